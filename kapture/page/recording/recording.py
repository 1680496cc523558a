"""Recording what a person does on a page: actions that the agent reports from the documents, navigations, answered
dialogs, and the commands that clients run meanwhile, in their order.

The agent reports through a binding in its own world, which the page cannot see (kapture/page/agent/record/). Actions in
documents outside the grant are dropped. In documents that come while the page is recorded, the agent keeps actions
until the recording is started there: nothing is lost between a document's first moment and the hub's hearing of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, Literal, TypeAlias

import attrs
import trio

from kapture.cdp import CdpSession, is_gone_or_unsupported
from kapture.errors import KaptureError
from kapture.page.dialogs import Dialog, Dialogs
from kapture.page.documents.execution_context import AGENT_WORLD
from kapture.page.documents.frame import Frame
from kapture.page.documents.frames import FrameTree
from kapture.page.documents.read_gate import names_no_site, shown_address
from kapture.page.introspection.closed_roots import ROOTS_WANTED, ClosedRoots
from kapture.page.recording.recorded_events import (
    AnsweredDialog,
    CapturedAction,
    Navigation,
    OpenedTab,
    RanCommand,
    RecordedEvent,
)
from kapture.page.target import frame_part
from kapture.wire.codec import decode_json

RECORD_BINDING = "kaptureRecord"
"""The binding that the agent calls with each action, as JSON."""

MAX_MESSAGE = 1_000_000
"""Limit of one message of the agent, in characters."""

_BINDING = {"name": RECORD_BINDING, "executionContextName": AGENT_WORLD}
_IN_NEW_DOCUMENTS = {"source": "kapture.expectRecording()", "worldName": AGENT_WORLD}  # after the agent's own script
_LAST_WORDS_S = 2.0
_RELOADS = ("reload", "reloadBypassingCache")


OnEvent: TypeAlias = Callable[[RecordedEvent], None]


class PageRecording:
    """The recording of one page; at most one at a time."""

    def __init__(
        self,
        frames: FrameTree,
        dialogs: Dialogs,
        documents: Sequence[CdpSession],
        shows: Callable[[str], bool],
        nursery: trio.Nursery,
    ) -> None:
        self._frames = frames
        self._dialogs = dialogs
        self._documents = documents
        self._shows = shows
        self._roots = ClosedRoots(nursery)
        self._on_event: OnEvent | None = None
        self._active = ExitStack()
        self._dialog: Dialog | None = None
        self._cause: Literal["page", "address", "reload"] = "address"
        self._commands = 0
        self._after: list[RecordedEvent] = []
        self._scripts: dict[CdpSession, str] = {}

    @property
    def active(self) -> bool:
        """Whether the page is being recorded."""
        return self._on_event is not None

    async def start(self, on_event: OnEvent, *, just_opened: bool = False) -> None:
        """Record from here on, in every granted document, and in those that come. `on_event` must not block.

        `just_opened`: another page has opened this one, so that no person has chosen its first address.
        """
        self._on_event = on_event
        self._dialog = self._dialogs.current
        self._cause = "address"
        if just_opened and names_no_site(self._frames.main.url):
            self._cause = "page"
        elif just_opened:
            self._moved_to(self._frames.main.url, "page", same_document=False)
        begun = False
        try:
            await self._begin()
            begun = True
        finally:
            if not begun:
                self.end()

    async def _begin(self) -> None:
        self._active.enter_context(self._frames.watching_documents(self._document_came))
        for session in tuple(self._documents):
            await self._prepare(session)
        for frame in self._frames.all():
            self._document_came(frame)
        if self._frames.main.granted and self._dialogs.blocked() is None:
            await self._frames.main.call("startRecording")  # actions after the answer are recorded
            await self._roots.look_for(self._frames.main).wait()

    async def stop(self) -> None:
        """Stop recording. Earlier actions have been reported by then, unless the page is too busy to report them."""
        self._active.close()
        for frame in self._frames.all():
            frame.notify("stopRecording")
        with trio.move_on_after(_LAST_WORDS_S), suppress(KaptureError):
            await self._frames.main.call("stopRecording")
        self._end()

    def end(self) -> None:
        """Stop recording at once: what the page has not reported yet is lost."""
        self._active.close()
        for frame in self._frames.all():
            frame.notify("stopRecording")
        self._end()

    def _end(self) -> None:
        self._on_event = None
        for session in self._documents:
            self._leave(session)
        self._scripts.clear()

    @contextmanager
    def command(self) -> Iterator[Callable[[RanCommand], None]]:
        """Mark a client's command: what it does on the page is not a person's action. The block calls the yielded
        function with the steps that the command stands for."""
        steps: list[RecordedEvent] = []
        self._commands += 1
        try:
            yield steps.append
        finally:
            self._commands -= 1
            for step in steps:
                self._publish(step)
            if self._commands == 0:
                after, self._after = self._after, []
                for event in after:
                    self._publish(event)

    def child_opened(self, tab_id: str) -> None:
        """The page has opened a tab. Where a client's command runs, that comes after the command."""
        if self._commands:
            self._after.append(OpenedTab(tab_id=tab_id))
        else:
            self._publish(OpenedTab(tab_id=tab_id))

    async def observe(self, session: CdpSession) -> None:
        """Subscribe to the events of one session."""
        session.on("Runtime.bindingCalled", lambda params: self._called(session, params))
        session.on("Page.frameRequestedNavigation", self._requested)
        session.on("Page.frameStartedNavigating", self._started)
        session.on("Page.frameNavigated", self._navigated)
        session.on("Page.navigatedWithinDocument", self._moved)
        session.on("Page.javascriptDialogOpening", lambda _: self._dialog_opened())
        session.on("Page.javascriptDialogClosed", self._dialog_closed)
        if self.active and session in self._documents:
            await self._prepare(session)

    async def _prepare(self, session: CdpSession) -> None:
        try:
            await session.send("Runtime.addBinding", _BINDING)
            script = await session.send("Page.addScriptToEvaluateOnNewDocument", _IN_NEW_DOCUMENTS)
        except KaptureError as error:
            if not is_gone_or_unsupported(error):
                raise
        else:
            self._scripts[session] = script["identifier"]
            if not self.active:  # it was stopped meanwhile
                self._leave(session)

    def _leave(self, session: CdpSession) -> None:
        session.submit("Runtime.removeBinding", {"name": RECORD_BINDING})
        if (script := self._scripts.pop(session, None)) is not None:
            session.submit("Page.removeScriptToEvaluateOnNewDocument", {"identifier": script})

    def _publish(self, event: RecordedEvent) -> None:
        if self._on_event is not None:
            self._on_event(event)

    # Actions

    def _document_came(self, frame: Frame) -> None:
        if frame.granted:
            frame.notify("startRecording")
            self._roots.look_for(frame)

    def _called(self, session: CdpSession, params: Mapping[str, Any]) -> None:
        if not self.active or params["name"] != RECORD_BINDING:
            return
        frame = self._frame_of(session, params["executionContextId"])
        if frame is None or not frame.granted or len(params["payload"]) > MAX_MESSAGE:
            return
        if params["payload"] == ROOTS_WANTED:
            self._roots.look_for(frame)
        elif not self._commands:
            action = decode_json(params["payload"], CapturedAction)
            where = frame_part(frame, self._frames)
            targets = [{**target, **where} for target in action.targets]
            onto = action.onto and {**action.onto, "targets": [{**one, **where} for one in action.onto["targets"]]}
            there = {"origin": frame.document_origin, "document": frame.loader_id}
            self._publish(attrs.evolve(action, targets=targets, onto=onto, **there))

    def _frame_of(self, session: CdpSession, number: int) -> Frame | None:
        for frame in self._frames.all():
            context = frame.current_context() if frame.session is session else None
            if context is not None and context.number == number:
                return frame
        return None

    # Navigations

    def _is_main(self, frame_id: str) -> bool:
        return self.active and self._frames.known and frame_id == self._frames.main.id

    def _requested(self, params: Mapping[str, Any]) -> None:
        if self._is_main(params["frameId"]) and params.get("disposition", "currentTab") == "currentTab":
            self._cause = "page"

    def _started(self, params: Mapping[str, Any]) -> None:
        reloads = params.get("navigationType") in _RELOADS and self._cause == "address"
        if reloads and self._is_main(params["frameId"]):
            self._cause = "reload"

    def _navigated(self, params: Mapping[str, Any]) -> None:
        if not self.active:
            return
        frame = self._frames.by_id(params["frame"]["id"])
        if frame is not None:
            self._document_came(frame)  # also a document restored from the cache, which stopped recording when it left
        if frame is not None and frame.parent is None:
            cause, self._cause = self._cause, "address"
            self._moved_to(frame.url, cause, same_document=False)

    def _moved(self, params: Mapping[str, Any]) -> None:
        if self._is_main(params["frameId"]):
            self._cause = "address"
            self._moved_to(params["url"], "page", same_document=True)

    def _moved_to(self, url: str, cause: Literal["page", "address", "reload"], *, same_document: bool) -> None:
        shown = shown_address(url, self._shows)
        if self._commands:
            self._after.append(Navigation(url=shown, cause="page", same_document=same_document))
        else:
            self._publish(Navigation(url=shown, cause=cause, same_document=same_document))

    # Dialogs

    def _dialog_opened(self) -> None:
        self._dialog = self._dialogs.current

    def _dialog_closed(self, params: Mapping[str, Any]) -> None:
        dialog, self._dialog = self._dialog, None
        if dialog is None or self._commands or self._dialogs.policy != "ask":
            return
        frame = self._frames.by_id(dialog.frame_id)
        if frame is not None and frame.granted:
            text = params.get("userInput") if dialog.type == "prompt" and params["result"] else None
            self._publish(AnsweredDialog(dialog=dialog, accepted=params["result"], text=text))
