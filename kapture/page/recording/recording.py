"""Recording what a person does on a page: actions that the agent reports from the documents, navigations, answered
dialogs, and the commands that clients run meanwhile, in their order.

The agent reports through a binding in its own world, which the page cannot see (kapture/page/agent/record/). Actions in
documents outside the grant are dropped. In documents that come while the page is recorded, the agent keeps actions
until the recording is started there: nothing is lost between a document's first moment and the hub's hearing of it.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from functools import cache
from importlib.resources import files
from typing import Any, Literal, TypeAlias

import attrs
import trio

from kapture.cdp import CdpSession, is_gone_or_unsupported
from kapture.changed import Changed
from kapture.errors import KaptureError
from kapture.page.dialogs import Dialog, Dialogs
from kapture.page.documents.frame import AGENT_WORLD, ExecutionContext, Frame
from kapture.page.documents.frames import FrameTree
from kapture.page.documents.read_gate import names_no_site, shown_address
from kapture.page.introspection import ROOTS_WANTED, ClosedRoots
from kapture.page.target import frame_part
from kapture.wire.codec import decode_json


@attrs.frozen(kw_only=True)
class CapturedAction:
    """A person's action, as the equivalent command. Ids are unique; a later message may replace the `value` of the
    action with this `id`, or set `secretValue` instead. `secret` is the kind of secret that is typed; such an action
    has no value. `at`: where in the element it was pressed, in CSS pixels from its upper left corner. `onto`: `targets`
    and `element` of what something is dropped on. `replaces`: the id of an action that turned out to be this one.
    `withdrawn`: the action with this `id` turned out to be none. `origin` is that of its document, which `document`
    tells from others; the hub sets both.
    """

    id: str
    command: str = ""
    arguments: dict[str, Any] = attrs.field(factory=dict)
    targets: list[dict[str, Any]] = attrs.field(factory=list)
    element: dict[str, Any] | None = None
    at: list[float] | None = None
    onto: dict[str, Any] | None = None
    secret: str | None = None
    replaces: str | None = None
    withdrawn: bool = False
    value: str | None = None
    secretValue: str | None = attrs.field(default=None, repr=False)  # noqa: N815  as the agent writes it
    origin: str = ""
    document: str = ""


@attrs.frozen(kw_only=True)
class Navigation:
    """The main frame's URL changed. `cause`: the page, by itself or after an action; or the person, with the browser's
    own controls."""

    url: str
    cause: Literal["page", "address", "reload"]
    same_document: bool = False


@attrs.frozen(kw_only=True)
class AnsweredDialog:
    """A dialog that the person has answered. `text` is the answer to a prompt."""

    dialog: Dialog
    accepted: bool
    text: str | None = None


@attrs.frozen(kw_only=True)
class RanCommand:
    """A command that a client has run. `at`, `onto`: see `CapturedAction`. `secret_value` is a secret that is left out
    of the arguments; `origin` is that of the document it was typed into, which `document` tells from others. `click`:
    of a mouse button that is pressed, the click that it becomes if it is released in the same place."""

    command: str
    arguments: Mapping[str, Any]
    targets: Sequence[Mapping[str, Any]] = ()
    element: Mapping[str, Any] | None = None
    at: Sequence[float] | None = None
    onto: Mapping[str, Any] | None = None
    secret: str | None = None
    secret_value: str | None = attrs.field(default=None, repr=False)
    origin: str = ""
    document: str = ""
    click: RanCommand | None = None


@attrs.frozen(kw_only=True)
class OpenedTab:
    """The page has opened a tab, which is connected now."""

    tab_id: str


RecordedEvent: TypeAlias = CapturedAction | Navigation | AnsweredDialog | RanCommand | OpenedTab


BINDING = "kaptureWidgetMessage"
"""The function by which the widget sends what a person asks for, as JSON."""

MAX_WIDGET_MESSAGE = 200_000
"""Characters of one message."""

_WIDGET_BINDING = {"name": BINDING, "executionContextName": AGENT_WORLD}
_ANSWER_S = 5.0
"""A page that is too busy to draw it is asked again later."""


class PageWidget:
    """The widget of one page; `root` is the tab's own session. `documents` is notified when the tab shows another
    document, which it is to be drawn in; `on_message` gets what it sends."""

    def __init__(self, root: CdpSession, frames: FrameTree) -> None:
        self._root = root
        self._frames = frames
        self._drawn_in: ExecutionContext | None = None
        self._bound = False
        self._aside = 0
        self._unseen = 0
        self.documents = Changed()
        self.on_message: Callable[[str], None] | None = None
        frames.follow_documents(self._document_came)

    async def observe(self, session: CdpSession) -> None:
        """Follow the tab's own session."""
        if session is self._root:
            session.on("Runtime.bindingCalled", self._called)
            session.on("Page.frameNavigated", self._navigated)

    async def show(self, shown: Mapping[str, Any]) -> None:
        """Draw it, or what has changed of it. Where the document is outside the grant, or hangs, nothing is drawn."""
        main = self._frames.main
        if not main.granted or main.renderer.is_blocked:
            return
        with trio.move_on_after(_ANSWER_S), suppress(KaptureError):
            if not self._bound:
                await self._root.send("Runtime.addBinding", _WIDGET_BINDING)
                self._bound = True
            context = await main.context()
            if not main.granted:
                return  # it has gone elsewhere meanwhile
            self._drawn_in = context
            if await self._evaluate(main, context, self._draw(shown)) is not True:
                await main.call("platform")  # the agent must be there first
                await self._evaluate(main, context, f"{_source()};{self._draw(shown)}")

    async def stay(self) -> bool:
        """Have it stay as it is; whether it is there, and need not be drawn again."""
        main, context = self._frames.main, self._drawn_in
        if context is None or context is not main.current_context() or not main.granted or main.renderer.is_blocked:
            return False
        with trio.move_on_after(_ANSWER_S), suppress(KaptureError):
            asked = f"globalThis.kaptureWidget?.stay({self._state()})"
            return await self._evaluate(main, context, asked) is True
        return False

    async def remove(self) -> None:
        """Take it away."""
        if not self._bound:
            return
        main, self._drawn_in = self._frames.main, None
        context = main.current_context()  # of a document that was shown before, and comes back with what it showed
        if context is not None and not main.renderer.is_blocked:
            with trio.move_on_after(_ANSWER_S), suppress(KaptureError):
                await self._evaluate(main, context, "globalThis.kaptureWidget?.remove()")

    @asynccontextmanager
    async def aside(self) -> AsyncIterator[None]:
        """For the length of the block input goes past it: while a client's command acts on the page."""
        self._aside += 1
        try:
            await self._set("aside(true)")
            yield
        finally:
            self._aside -= 1
            if not self._aside:
                self._submit("aside(false)")

    @asynccontextmanager
    async def unseen(self) -> AsyncIterator[None]:
        """For the length of the block it is in no picture."""
        self._unseen += 1
        try:
            await self._set("unseen(true)")
            yield
        finally:
            self._unseen -= 1
            if not self._unseen:
                self._submit("unseen(false)")

    def _draw(self, shown: Mapping[str, Any]) -> str:
        return f"globalThis.kaptureWidget?.show({json.dumps(shown)},{self._state()})"

    def _state(self) -> str:
        return json.dumps({"aside": self._aside > 0, "unseen": self._unseen > 0})

    async def _set(self, call: str) -> None:
        main = self._frames.main
        if self._drawn_in is not None and not main.renderer.is_blocked:
            with suppress(KaptureError):
                await self._evaluate(main, self._drawn_in, f"globalThis.kaptureWidget?.{call}")

    def _submit(self, call: str) -> None:
        if self._drawn_in is not None:
            with suppress(KaptureError):
                self._frames.main.renderer.submit(self._drawn_in, f"globalThis.kaptureWidget?.{call}")

    async def _evaluate(self, main: Frame, context: ExecutionContext, expression: str) -> Any:
        outcome = await main.renderer.evaluate(context, expression)
        return outcome["result"].get("value")

    def _called(self, params: Mapping[str, Any]) -> None:
        if params["name"] != BINDING or self._drawn_in is None or len(params["payload"]) > MAX_WIDGET_MESSAGE:
            return
        if params["executionContextId"] == self._drawn_in.number and self.on_message is not None:
            self.on_message(params["payload"])

    def _navigated(self, params: Mapping[str, Any]) -> None:
        if not params["frame"].get("parentId"):
            self.documents.notify()  # also for one that comes back from the cache, which has its agent already

    def _document_came(self, frame: Frame) -> None:
        if frame.parent is None:
            self.documents.notify()


@cache
def _source() -> str:
    """Made from kapture/page/widget/."""
    return files("kapture.page").joinpath("widget.bundle.js").read_text("utf-8")


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
