"""Recordings of tabs: what is captured on each, in order, from the start until it is saved as a scenario.

A recording goes on through navigations, when the page of its tab is set up anew, and in the tabs that its pages open;
it ends with the last of its tabs. All of it is in memory until it is saved.
"""

from __future__ import annotations

import datetime
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import attrs
import msgspec
import trio

from kapture.cdp import CdpConnection
from kapture.changed import Changed
from kapture.commands.core.recorder import RecordedStep, RecordingState, SavedRecording, SaveWish, StepEdit
from kapture.errors import ErrorCode, KaptureError
from kapture.page import Page
from kapture.page.documents.read_gate import ReadGate
from kapture.page.recording.recording import OnEvent, OpenedTab, RanCommand, RecordedEvent
from kapture.scenarios.files.index import ending_at, listed
from kapture.scenarios.files.keeping import keep
from kapture.scenarios.files.storage import ScenarioFolder
from kapture.scenarios.model import Check
from kapture.scenarios.record.captured import CapturedStep, of_command
from kapture.scenarios.record.optimizer import optimize
from kapture.scenarios.record.recorded_addresses import OPENS, Addressed, addressed, known_secrets
from kapture.scenarios.record.recorded_scenario import scenario_of, secret_names
from kapture.scenarios.record.recording import Recording
from kapture.scenarios.record.recording_edits import shown_value
from kapture.scenarios.record.without_values import without_values
from kapture.scenarios.secrets.secret_store import SecretStore, StoredSecret

AskPerson = Callable[[str, str, str], Awaitable[bool]]
"""Asks the person of a tab (by id) a question with title and detail; returns whether they agree."""


class Recorder:
    """The recordings of one hub, at most one a tab; a recording may have several tabs."""

    def __init__(self, folder: ScenarioFolder, secrets: SecretStore, ask: AskPerson) -> None:
        self._folder = folder
        self._secrets = secrets
        self._ask = ask
        self._recordings: dict[str, Recording] = {}
        self._pages: dict[str, Page] = {}
        self._offered: set[str] = set()
        self._changed = Changed()

    @property
    def changed(self) -> Changed:
        """Notified when a recording of any tab has changed."""
        return self._changed

    def state(self, tab_id: str) -> RecordingState | None:
        """Return the unsaved recording of a tab; None if there is none."""
        recording = self._recordings.get(tab_id)
        return None if recording is None else _state(tab_id, recording)

    def is_offered(self, tab_id: str) -> bool:
        """Whether the page shows the recorder for its person to start."""
        return tab_id in self._offered

    def withdraw(self, tab_id: str) -> None:
        """Show the recorder no longer for that."""
        self._offered.discard(tab_id)
        self._changed.notify()

    def edit(self, tab_id: str, edit: StepEdit) -> RecordingState:
        """Change a step; `INVALID_PARAMS` if it does not exist or cannot be changed in this way."""
        recording = self._of(tab_id)
        recording.edit(edit)
        self._changed.notify()
        return _state(tab_id, recording)

    def _taking(self, recording: Recording, tab: int) -> OnEvent:
        def take(event: RecordedEvent) -> None:
            recording.take(event, tab)
            self._changed.notify()

        return take

    async def _follow(self, page: Page, recording: Recording, *, just_opened: bool = False) -> None:
        """Record what is done on this page of one of the recording's tabs."""
        taking = self._taking(recording, recording.tabs[page.tab_id])
        await page.recording.start(taking, just_opened=just_opened)

    @asynccontextmanager
    async def open_page(self, connection: CdpConnection, tab_id: str, gate: ReadGate) -> AsyncIterator[Page]:
        """`Page.open`; a recording of the tab continues on the new page."""
        async with Page.open(connection, tab_id=tab_id, gate=gate) as page:
            recording = self._recordings.get(tab_id)
            if recording is not None and recording.going:
                await self._follow(page, recording, just_opened=recording.begins(tab_id))
            self._pages[tab_id] = page
            try:
                yield page
            finally:
                if self._pages.get(tab_id) is page:
                    del self._pages[tab_id]

    def child_opened(self, opener_id: str, tab_id: str) -> None:
        """A recording goes on in the tab that one of its tabs has opened."""
        recording = self._recordings.get(opener_id)
        if recording is None or not recording.going or tab_id in self._recordings:
            return
        if not recording.join(tab_id, opener_id):
            return
        self._recordings[tab_id] = recording
        page = self._pages.get(opener_id)
        if page is not None and page.recording.active:
            page.recording.child_opened(tab_id)
        else:
            self._taking(recording, recording.tabs[opener_id])(OpenedTab(tab_id=tab_id))

    async def go_on_in(self, tab_id: str, *, opener_id: str) -> None:
        """The same of a tab that a command has opened, whose page may be there already."""
        self.child_opened(opener_id, tab_id)
        recording, page = self._recordings.get(tab_id), self._pages.get(tab_id)
        if recording is not None and recording.going and page is not None and not page.recording.active:
            await self._follow(page, recording)

    def tab_gone(self, tab_id: str, *, closed: bool) -> None:
        """The tab will not come back. What was recorded and not saved goes with the last tab of its recording."""
        self._offered.discard(tab_id)
        recording = self._recordings.pop(tab_id, None)
        if recording is not None:
            recording.leave(tab_id, closed=closed)
            self._changed.notify()

    async def start(self, page: Page) -> RecordingState:
        """Start recording a tab. An earlier unsaved recording of it is dropped."""
        _check_not_recorded(page)
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        recording = Recording(page.url, now, tabs={page.tab_id: 1})
        await self._follow(page, recording)
        self._forget(self._recordings.get(page.tab_id))
        self._pages[page.tab_id] = page
        self._recordings[page.tab_id] = recording
        self._offered.discard(page.tab_id)
        self._changed.notify()
        return _state(page.tab_id, recording)

    async def offer(self, page: Page) -> RecordingState:
        """Show the recorder in the page, where its person starts it. What is not saved yet stays until then."""
        _check_not_recorded(page)
        self._offered.add(page.tab_id)
        self._changed.notify()
        return RecordingState(tabId=page.tab_id, recording=False, steps=[], offered=True)

    async def stop(self, page: Page) -> RecordingState:
        """Stop recording; the recording is kept until it is saved or another one starts."""
        recording = self._of(page.tab_id)
        pages = [one for tab_id in recording.tabs if (one := self._pages.get(tab_id)) is not None]
        async with trio.open_nursery() as nursery:
            for one in pages:
                if one.recording.active:
                    nursery.start_soon(one.recording.stop)
        recording.going = False
        self._changed.notify()
        return _state(page.tab_id, recording)

    def end(self, tab_id: str) -> None:
        """Stop a recording at once: one of its tabs may not be recorded any more. What was recorded is kept."""
        recording = self._recordings.get(tab_id)
        if recording is None or not recording.going:
            return
        for one in recording.tabs:
            if (page := self._pages.get(one)) is not None and page.recording.active:
                page.recording.end()
        recording.going = False
        self._changed.notify()

    def add_check(
        self,
        tab_id: str,
        kind: str,
        expected: Any,
        targets: Sequence[Mapping[str, Any]],
        element: Mapping[str, Any] | None,
    ) -> RecordingState:
        """Append a check."""
        recording = self._of(tab_id)
        if kind in ("text", "no_text"):  # found by its text, an element would always have it
            targets = [target for target in targets if "text" not in target and "name" not in target]
        described = of_command(RanCommand(command="", arguments={}, targets=targets, element=element))
        check = msgspec.convert({"kind": kind, "expected": expected}, Check)
        recording.add(attrs.evolve(described, check=check, tab=recording.tabs[tab_id]))
        self._changed.notify()
        return _state(tab_id, recording)

    async def save(self, page: Page, wish: SaveWish) -> SavedRecording:
        """Save the recording as a scenario and end it. Values of secrets are stored only if the person agrees."""
        await self.stop(page)
        recording = self._of(page.tab_id)
        scenario, values = scenario_of(
            recording.captured,
            wish,
            url=recording.url,
            recorded_at=recording.recorded_at,
            forgotten=recording.forgotten,
        )
        stored = bool(values) and wish.store_secrets and await self._may_store(page.tab_id, wish.name, values)

        def write() -> tuple[str, list[str]]:
            path = keep(self._folder, self._secrets, scenario, values if stored else {}, replace=wish.replace)
            others = [entry for entry in listed(self._folder) if entry.name != scenario.name]
            return str(path), ending_at(others, scenario.metadata.url)

        path, follows = await trio.to_thread.run_sync(write)
        self._forget(recording)
        self._changed.notify()
        return SavedRecording(
            name=scenario.name,
            path=path,
            steps=[step.words for step in scenario.chain],
            parameters=sorted(scenario.parameters),
            secrets=list(scenario.secrets),
            stored_secrets=stored,
            follows=follows,
        )

    async def _may_store(self, tab_id: str, name: str, secrets: Mapping[str, StoredSecret]) -> bool:
        title = f"Store {len(secrets)} secret{'s' if len(secrets) > 1 else ''} for the scenario {name}?"
        sites = ", ".join(sorted({origin for secret in secrets.values() for origin in secret.origins}))
        detail = (
            f"What you typed as {', '.join(sorted(secrets))} is encrypted, and typed when the scenario runs, at"
            f" {sites} only."
        )
        return await self._ask(tab_id, title, detail)

    def _forget(self, recording: Recording | None) -> None:
        self._recordings = {tab_id: one for tab_id, one in self._recordings.items() if one is not recording}

    def _of(self, tab_id: str) -> Recording:
        recording = self._recordings.get(tab_id)
        if recording is None:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                f"Nothing has been recorded on tab {tab_id}.",
                hint="Start with record_start.",
            )
        return recording


def _check_not_recorded(page: Page) -> None:
    if page.recording.active:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"Tab {page.tab_id} is being recorded already.",
            hint="Stop it with record_stop, or save it with record_save.",
        )


def _state(tab_id: str, recording: Recording) -> RecordingState:
    steps = without_values(optimize(recording.captured), recording.forgotten)
    typing = [*steps, *recording.forgotten]
    names = secret_names(typing)
    secrets = known_secrets(typing, names)
    return RecordingState(
        tabId=tab_id,
        recording=recording.going,
        steps=[_shown(addressed(step, secrets), step, name) for step, name in zip(steps, names, strict=False)],
        left_out=recording.left_out,
        full=recording.full,
    )


def _shown(opened: Addressed, step: CapturedStep, secret: str | None) -> RecordedStep:
    """A step as people see it; the address that it opens is as it was typed, unless it holds a secret."""
    if opened.secrets:
        return RecordedStep(id=step.id, title=opened.step.title, secret=opened.secrets[0])
    shown = step if step.command in OPENS else opened.step
    return RecordedStep(id=step.id, title=shown.title, value=shown_value(shown), secret=secret)
