"""JavaScript dialogs: observed when they open, answered by a command or by the policy for unattended runs.

A dialog blocks its page, so it may always be dismissed. Accepting it or giving it text is an action on its page, which
must be granted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import attrs

from kapture.cdp import CdpSession
from kapture.changed import Changed
from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.page.documents.read_gate import read_denied

DialogType: TypeAlias = Literal["alert", "confirm", "prompt", "beforeunload"]
DialogPolicy: TypeAlias = Literal["ask", "dismiss", "accept"]

MAX_KEPT = 50


@attrs.frozen(kw_only=True)
class Dialog:
    """One dialog. `url` is that of the document that opened it; the text of an ungranted one is left out."""

    type: DialogType = attrs.field(validator=attrs.validators.instance_of(str))
    message: str = attrs.field(validator=attrs.validators.instance_of(str))
    default_prompt: str = attrs.field(validator=attrs.validators.instance_of(str))
    url: str
    frame_id: str = ""
    session: CdpSession = attrs.field(repr=False, eq=False)

    def describe(self) -> str:
        """`confirm "Delete it?"`."""
        return f'{self.type} "{self.message}"' if self.message else self.type


class Dialogs:
    """The dialogs of one tab. At most one is open at a time: a dialog blocks its page.

    `granted` says whether the document of the frame with this id, which shows this URL, is granted.
    """

    def __init__(self, *, on_open: Callable[[Dialog], None], granted: Callable[[str, str], bool]) -> None:
        self.policy: DialogPolicy = "ask"
        self.current: Dialog | None = None
        self.seen: list[Dialog] = []
        """Dialogs that opened, answered or not; the last `MAX_KEPT`."""
        self.dismissed: Dialog | None = None
        """The last dialog that was dismissed, by whomever. A page whose beforeunload dialog was stays open."""
        self._on_open = on_open
        self._granted = granted
        self.changed = Changed()
        """Notified when a dialog opens or closes."""

    def observe(self, session: CdpSession) -> None:
        """Subscribe to the dialog events of one session."""
        session.on("Page.javascriptDialogOpening", lambda params: self._opening(session, params))
        session.on("Page.javascriptDialogClosed", self._closed_by_answer)

    def blocked(self) -> KaptureError | None:
        """`DIALOG_OPEN` while a dialog blocks the page and somebody has to answer it."""
        if self.current is None or self.policy != "ask":
            return None
        return KaptureError(
            ErrorCode.DIALOG_OPEN,
            f"A dialog is open and blocks the page: {self.current.describe()}.",
            hint=Wording("Answer it with {handle_dialog}."),
            data={
                "dialog": {
                    "type": self.current.type,
                    "message": self.current.message,
                    "defaultPrompt": self.current.default_prompt,
                }
            },
        )

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
        self.current = dialog
        self.seen.append(dialog)
        del self.seen[:-MAX_KEPT]
        self.changed.notify()
        self._on_open(dialog)
        if self.policy != "ask":
            answer = _answer(dialog, self.policy == "accept" and granted, None)
            session.submit("Page.handleJavaScriptDialog", answer)

    def _closed_by_answer(self, params: dict[str, Any]) -> None:
        if self.current is not None and params.get("result") is False:
            self.dismissed = self.current
        self._closed()

    def _closed(self) -> None:
        self.current = None
        self.changed.notify()


def _answer(dialog: Dialog, accept: bool, text: str | None) -> dict[str, Any]:
    answer: dict[str, Any] = {"accept": accept}
    if dialog.type == "prompt" and accept:
        answer["promptText"] = dialog.default_prompt if text is None else text
    return answer
