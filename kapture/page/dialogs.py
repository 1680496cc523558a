"""Blockers of a page's scripts: JavaScript dialogs, the print preview, and a pause in the debugger.

A dialog is answered by a command or by the policy for unattended runs. It blocks its page, so it may always be
dismissed. Accepting it or giving it text is an action on its page, which must be granted. The print preview is the
person's alone: the agent reports the events around printing, which a page cannot make. Making a PDF causes the same
events, but lets the page go on soon. A pause counts if a client's own command has enabled the debugger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal, TypeAlias

import attrs
import trio

from kapture.cdp import CdpSession
from kapture.changed import Changed
from kapture.errors import DialogOpen, ErrorCode, KaptureError, Wording
from kapture.page.documents.read_gate import read_denied

DialogType: TypeAlias = Literal["alert", "confirm", "prompt", "beforeunload", "print preview", "debugger pause"]
DialogPolicy: TypeAlias = Literal["ask", "dismiss", "accept"]

MAX_KEPT = 50
PRINT_BINDING = "kapturePrinting"
"""The binding that the agent calls with `beforeprint` and `afterprint` (kapture/page/agent/act/effects/printing.js)."""
_PREVIEW_S = 0.5
"""A pause of scripts for printing that lasts longer than this is a preview."""


@attrs.frozen
class _Way:
    """How something that is no JavaScript dialog is reported, and the commands that end it."""

    message: str
    hint: Wording
    lets: frozenset[str]


_WAYS: Mapping[str, _Way] = {
    "print preview": _Way(
        "The browser's print preview is open and blocks the page.",
        Wording("Only the person can print or close it.", "Or leave the page: {navigate} or {reload}."),
        frozenset({"navigate", "reload", "go_back", "go_forward"}),
    ),
    "debugger pause": _Way(
        "The page is paused in the debugger, which a raw command has enabled.",
        Wording("Resume it: {cdp} with Debugger.resume, or with Debugger.disable, which ends pausing."),
        frozenset({"cdp"}),
    ),
}


@attrs.frozen(kw_only=True)
class Dialog:
    """One dialog, or what blocks the page like one. `url` is that of the document that opened it; the text of an
    ungranted one is left out."""

    type: DialogType = attrs.field(validator=attrs.validators.instance_of(str))
    message: str = attrs.field(validator=attrs.validators.instance_of(str))
    default_prompt: str = attrs.field(validator=attrs.validators.instance_of(str))
    url: str
    frame_id: str = ""
    session: CdpSession = attrs.field(repr=False, eq=False)

    def describe(self) -> str:
        """`confirm "Delete it?"`."""
        return f'{self.type} "{self.message}"' if self.message else self.type

    @property
    def is_script(self) -> bool:
        """Whether it is a dialog of a script, which can be answered."""
        return self.type not in _WAYS

    def sentence(self) -> str:
        """Describe the open blocker and the way out, for an answer."""
        if self.is_script:
            return f"dialog {self.describe()} is open; answer it first"
        return self.error().explanation

    def error(self) -> DialogOpen:
        """`DIALOG_OPEN` for what needs the page."""
        data = {"dialog": {"type": self.type, "message": self.message, "defaultPrompt": self.default_prompt}}
        way = _WAYS.get(self.type) or _Way(
            f"A dialog is open and blocks the page: {self.describe()}.",
            Wording("Answer it with {handle_dialog}."),
            frozenset(),
        )
        error = DialogOpen(ErrorCode.DIALOG_OPEN, way.message, hint=way.hint, data=data)
        error.lets = way.lets
        return error


class Dialogs:
    """The dialogs of one tab. At most one is open at a time: a dialog blocks its page.

    `granted` says whether the document of the frame with this id, which shows this URL, is granted; `debugged` whether
    a client has enabled the debugger of a session. Without a nursery, print previews are not noticed.
    """

    def __init__(
        self,
        *,
        on_open: Callable[[Dialog], None],
        granted: Callable[[str, str], bool],
        debugged: Callable[[CdpSession], bool] = lambda _: False,
        nursery: trio.Nursery | None = None,
    ) -> None:
        self.policy: DialogPolicy = "ask"
        self.current: Dialog | None = None
        self.seen: list[Dialog] = []
        """Dialogs that opened, answered or not; the last `MAX_KEPT`."""
        self.dismissed: Dialog | None = None
        """The last dialog that was dismissed, by whomever. A page whose beforeunload dialog was stays open."""
        self._on_open = on_open
        self._granted = granted
        self.debugged = debugged
        self._nursery = nursery
        self._printing: set[tuple[CdpSession, int]] = set()  # the documents that have asked for it
        self._expects_pdf = 0
        self.changed = Changed()
        """Notified when a dialog opens or closes."""

    def observe(self, session: CdpSession) -> None:
        """Subscribe to the dialog events of one session."""
        session.on("Page.javascriptDialogOpening", lambda params: self._opening(session, params))
        session.on("Page.javascriptDialogClosed", self._closed_by_answer)
        session.on("Runtime.bindingCalled", partial(self._called, session))
        session.on("Debugger.paused", lambda _: self._paused(session))
        session.on("Debugger.resumed", lambda _: self.resumed(session))

    def blocked(self, command: str = "") -> DialogOpen | None:
        """`DIALOG_OPEN` while something blocks the page and somebody has to answer it, unless this command ends it."""
        if self.current is None or (self.current.is_script and self.policy != "ask"):
            return None
        error = self.current.error()
        return None if command in error.lets else error

    @contextmanager
    def expecting_pdf(self) -> Iterator[None]:
        """Take what the page reports of printing during the block for a PDF that is made of it."""
        self._expects_pdf += 1
        try:
            yield
        finally:
            self._expects_pdf -= 1

    def printing(self) -> DialogOpen | None:
        """`DIALOG_OPEN` if the dialog that the browser shows over the page, as is known, is for printing."""
        for session, _ in self._printing:
            self._open(_own("print preview", session))
        return self.blocked()

    def resumed(self, session: CdpSession) -> None:
        """The debugger does not pause the session's scripts any more."""
        if self.current is not None and self.current.type == "debugger pause" and self.current.session is session:
            self._closed()

    def left(self, session: CdpSession) -> None:
        """A session has ended, and with it what its documents have opened."""
        self._printing = {one for one in self._printing if one[0] is not session}
        if self.current is not None and self.current.session is session:
            self._closed()

    async def answer(self, dialog: Dialog, accept: bool, text: str | None = None) -> None:
        """Close this dialog. `text` is the answer to a prompt; None keeps its default.

        `EXECUTION_ERROR` if it is not open any more, whatever other dialog is; `POLICY_DENIED` for anything but
        dismissing it, if its page is not granted.
        """
        if self.current is not dialog:
            raise KaptureError(
                ErrorCode.EXECUTION_ERROR,
                f"The dialog is not open any more: {dialog.describe()}.",
                hint="Nothing was answered.",
                quotes_page=True,
            )
        if (accept or text is not None) and not self._granted(dialog.frame_id, dialog.url):
            error = read_denied(dialog.url, "The page that opened the dialog")
            error.advice = f"Dismiss it (accept: false), or: {error.hint}"
            raise error
        await dialog.session.send("Page.handleJavaScriptDialog", _answer(dialog, accept, text))
        while self.current is dialog:
            await self.changed.wait()

    def clear(self) -> None:
        """Forget the open dialog: its page is gone."""
        self._printing.clear()
        if self.current is not None:
            self._closed()

    def _opening(self, session: CdpSession, params: dict[str, Any]) -> None:
        if self.current is not None:
            return  # the sessions of several frames report it
        frame_id, url = params.get("frameId", ""), params.get("url", "")
        granted = self._granted(frame_id, url)
        dialog = Dialog(
            type=params["type"],
            message=params.get("message", "") if granted else "",
            default_prompt=(params.get("defaultPrompt") or "") if granted else "",
            url=url,
            frame_id=frame_id,
            session=session,
        )
        self.seen.append(dialog)
        del self.seen[:-MAX_KEPT]
        self._open(dialog)
        if self.policy != "ask":
            answer = _answer(dialog, self.policy == "accept" and granted, None)
            session.submit("Page.handleJavaScriptDialog", answer)

    def _open(self, dialog: Dialog) -> None:
        if self.current is None:
            self.current = dialog
            self.changed.notify()
            self._on_open(dialog)

    def _paused(self, session: CdpSession) -> None:
        if self.debugged(session):
            self._open(_own("debugger pause", session))

    def _called(self, session: CdpSession, params: dict[str, Any]) -> None:
        if params["name"] != PRINT_BINDING or self._nursery is None:
            return
        document = session, params["executionContextId"]
        if params["payload"] == "beforeprint" and not self._expects_pdf:
            self._printing.add(document)
            self._nursery.start_soon(self._print, document)
        elif params["payload"] == "afterprint":
            self._printing.discard(document)
            if not self._printing and self.current is not None and self.current.type == "print preview":
                self._closed()

    async def _print(self, document: tuple[CdpSession, int]) -> None:
        await trio.sleep(_PREVIEW_S)
        if document in self._printing:
            self._open(_own("print preview", document[0]))

    def _closed_by_answer(self, params: dict[str, Any]) -> None:
        if self.current is not None and params.get("result") is False:
            self.dismissed = self.current
        self._closed()

    def _closed(self) -> None:
        self.current = None
        self.changed.notify()


def _own(type: DialogType, session: CdpSession) -> Dialog:
    return Dialog(type=type, message="", default_prompt="", url="", session=session)


def _answer(dialog: Dialog, accept: bool, text: str | None) -> dict[str, Any]:
    answer: dict[str, Any] = {"accept": accept}
    if dialog.type == "prompt" and accept:
        answer["promptText"] = dialog.default_prompt if text is None else text
    return answer
