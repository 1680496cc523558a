"""Recordings of tabs: what is captured on each, in order, from the start until it is saved as a scenario.

A recording continues through navigations, and when the page of its tab is set up again; it ends with the tab. It is
kept in memory until it is saved.
"""

from __future__ import annotations

import datetime
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import attrs
import msgspec
import trio

from kapture.cdp import CdpConnection
from kapture.changed import Changed
from kapture.commands.core.recorder import RecordedStep, RecordingState, SavedRecording, SaveWish, StepEdit
from kapture.errors import ErrorCode, KaptureError
from kapture.hub import Hub
from kapture.page import Page
from kapture.page.read_gate import ReadGate
from kapture.page.recording import AnsweredDialog, CapturedAction, Navigation, OnEvent, RanCommand, RecordedEvent
from kapture.scenarios.captured import (
    Captured,
    CapturedStep,
    PageChange,
    of_action,
    of_command,
    of_dialog,
    of_navigation,
    updated,
)
from kapture.scenarios.keeping import keep
from kapture.scenarios.model import Check
from kapture.scenarios.optimizer import optimize
from kapture.scenarios.recorded_scenario import scenario_of, secret_names
from kapture.scenarios.recording_edits import edited, hidden, marked_as_secret, shown_value
from kapture.scenarios.secrets import SecretStore, StoredSecret
from kapture.scenarios.storage import ScenarioFolder

MOST_CAPTURED = 2_000
"""Limit of one recording, in steps; further ones are counted and left out."""

AskPerson = Callable[[str, str, str], Awaitable[bool]]
"""Asks the person of a tab (by id) a question with title and detail; returns whether they agree."""


@attrs.define(eq=False)
class Recording:
    """One recording. `url` is where it began; `going` is true until it is stopped."""

    url: str
    recorded_at: str
    captured: list[Captured] = attrs.field(factory=list)
    left_out: int = 0
    going: bool = True
    _numbers: Iterator[int] = attrs.field(factory=lambda: itertools.count(1))

    def edit(self, edit: StepEdit) -> None:
        """Delete or change a step."""
        self.captured = edited(self.captured, edit)

    def take(self, event: RecordedEvent) -> None:
        """Record an event of the page."""
        match event:
            case CapturedAction():
                self._take_action(event)
            case RanCommand():
                self.add(of_command(event))
            case AnsweredDialog():
                self.add(of_dialog(event))
            case Navigation():
                self.add(of_navigation(event))

    def add(self, item: Captured) -> None:
        """Append an item."""
        if len(self.captured) >= MOST_CAPTURED:
            self.left_out += 1
            return
        if isinstance(item, CapturedStep) and not item.id:
            item = attrs.evolve(item, id=f"hub-{next(self._numbers)}")
        self.captured.append(item)

    def _take_action(self, action: CapturedAction) -> None:
        if not action.command:
            for number in reversed(range(len(self.captured))):
                step = self.captured[number]
                if isinstance(step, CapturedStep) and step.id == action.id:
                    self.captured[number] = updated(step, action)
                    return
            return
        if action.replaces is not None:
            self.captured = [
                item for item in self.captured if isinstance(item, PageChange) or item.id != action.replaces
            ]
        step = of_action(action)
        self.add(hidden(step) if marked_as_secret(self.captured, step) else step)


class Recorder:
    """The recordings of one hub, at most one per tab."""

    def __init__(self, folder: ScenarioFolder, secrets: SecretStore, ask: AskPerson) -> None:
        self._folder = folder
        self._secrets = secrets
        self._ask = ask
        self._recordings: dict[str, Recording] = {}
        self._changed = Changed()

    @property
    def changed(self) -> Changed:
        """Notified when a recording of any tab has changed."""
        return self._changed

    def state(self, tab_id: str) -> RecordingState | None:
        """What has been recorded on a tab and not saved yet; None if nothing."""
        recording = self._recordings.get(tab_id)
        return None if recording is None else _state(tab_id, recording)

    def edit(self, tab_id: str, edit: StepEdit) -> RecordingState:
        """Change a step; `INVALID_PARAMS` if it does not exist or cannot be changed in this way."""
        recording = self._of(tab_id)
        recording.edit(edit)
        self._changed.notify()
        return _state(tab_id, recording)

    def _taking(self, recording: Recording) -> OnEvent:
        def take(event: RecordedEvent) -> None:
            recording.take(event)
            self._changed.notify()

        return take

    @asynccontextmanager
    async def open_page(self, connection: CdpConnection, tab_id: str, gate: ReadGate) -> AsyncIterator[Page]:
        """`Page.open`; a recording of the tab continues on the new page."""
        async with Page.open(connection, tab_id=tab_id, gate=gate) as page:
            recording = self._recordings.get(tab_id)
            if recording is not None and recording.going:
                await page.recording.start(self._taking(recording))
            yield page

    async def forget_gone_tabs(self, hub: Hub) -> None:
        """Drop unsaved recordings of tabs that are gone."""
        async with hub.subscribe() as events:
            async for event in events:
                if event.kind == "tab_gone" and event.tab_id is not None:
                    self._recordings.pop(event.tab_id, None)
                    self._changed.notify()

    async def start(self, page: Page) -> RecordingState:
        """Start recording a tab. An earlier unsaved recording of it is dropped."""
        if page.recording.active:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                f"Tab {page.tab_id} is being recorded already.",
                hint="Stop it with record_stop, or save it with record_save.",
            )
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        recording = Recording(page.url, now)
        await page.recording.start(self._taking(recording))
        self._recordings[page.tab_id] = recording
        self._changed.notify()
        return _state(page.tab_id, recording)

    async def stop(self, page: Page) -> RecordingState:
        """Stop recording; the recording is kept until it is saved or another one starts."""
        recording = self._of(page.tab_id)
        if page.recording.active:
            await page.recording.stop()
        recording.going = False
        self._changed.notify()
        return _state(page.tab_id, recording)

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
        recording.add(attrs.evolve(described, check=check))
        self._changed.notify()
        return _state(tab_id, recording)

    async def save(self, page: Page, wish: SaveWish) -> SavedRecording:
        """Save the recording as a scenario and end it. Values of secrets are stored only if the person agrees."""
        await self.stop(page)
        recording = self._of(page.tab_id)
        scenario, values = scenario_of(recording.captured, wish, url=recording.url, recorded_at=recording.recorded_at)
        stored = bool(values) and wish.store_secrets and await self._may_store(page.tab_id, wish.name, values)

        def write() -> str:
            return str(keep(self._folder, self._secrets, scenario, values if stored else {}, replace=wish.replace))

        path = await trio.to_thread.run_sync(write)
        self._recordings.pop(page.tab_id, None)
        self._changed.notify()
        return SavedRecording(
            name=scenario.name,
            path=path,
            steps=[step.words for step in scenario.chain],
            parameters=sorted(scenario.parameters),
            secrets=list(scenario.secrets),
            stored_secrets=stored,
            pattern=scenario.metadata.pattern,
        )

    async def _may_store(self, tab_id: str, name: str, secrets: Mapping[str, StoredSecret]) -> bool:
        title = f"Store {len(secrets)} secret{'s' if len(secrets) > 1 else ''} for the scenario {name}?"
        sites = ", ".join(sorted({origin for secret in secrets.values() for origin in secret.origins}))
        detail = (
            f"What you typed as {', '.join(sorted(secrets))} is encrypted, and typed when the scenario runs, at"
            f" {sites} only."
        )
        return await self._ask(tab_id, title, detail)

    def _of(self, tab_id: str) -> Recording:
        recording = self._recordings.get(tab_id)
        if recording is None:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                f"Nothing has been recorded on tab {tab_id}.",
                hint="Start with record_start.",
            )
        return recording


def _state(tab_id: str, recording: Recording) -> RecordingState:
    steps = optimize(recording.captured)
    return RecordingState(
        tabId=tab_id,
        recording=recording.going,
        steps=[
            RecordedStep(id=step.id, title=step.title, value=shown_value(step), secret=secret)
            for step, secret in zip(steps, secret_names(steps), strict=True)
        ],
        left_out=recording.left_out,
    )
