"""JavaScript dialogs: answering the open one, and how later ones are handled."""

from __future__ import annotations

from typing import Annotated, Literal

import attrs
from msgspec import Meta

from kapture.commands.core.answer import Answer
from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import Access, Lane, command
from kapture.errors import ErrorCode, KaptureError


@attrs.frozen(kw_only=True)
class DialogAnswered(Answer):
    """The dialog that was open, and how it was answered."""

    type: str
    message: str
    accepted: bool
    entered: str | None = None

    def text(self) -> str:
        """One line."""
        how = "accepted" if self.accepted else "dismissed"
        entered = f" with {self.entered!r}" if self.entered is not None else ""
        return f"{how} {self.type} {self.message!r}{entered}"


@attrs.frozen(kw_only=True)
class DialogPolicySet(Answer):
    """The policy in force."""

    policy: str

    def text(self) -> str:
        """One line."""
        how = {"ask": "wait for handle_dialog", "dismiss": "are dismissed at once", "accept": "are accepted at once"}
        return f"dialogs in this tab {how[self.policy]}"


@attrs.frozen(kw_only=True)
class HandleDialog:
    """Answer the open alert, confirm, prompt or beforeunload dialog."""

    accept: Annotated[bool, Meta(description="OK or leave; false: Cancel or stay.")] = True
    text: Annotated[str | None, Meta(description="Text for a prompt.")] = None
    message: Annotated[str | None, Meta(description="Refuse a dialog that says anything else.")] = None


@command("handle_dialog", access=Access.INTERACT, lane=Lane.CONTROL, acts=True)
async def handle_dialog(tab: TabContext, params: HandleDialog) -> DialogAnswered:
    """Answer the dialog at once, whatever command it blocks."""
    dialog = tab.page.dialogs.current
    if dialog is None:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS, "No dialog is open in this tab.", hint="There is nothing to answer; continue."
        )
    if not dialog.is_script:
        raise dialog.error()
    if params.message is not None and params.message != dialog.message:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"The open dialog is another one: {dialog.describe()}.",
            hint="Nothing was answered. Look at what it says before you answer it.",
            data={"dialog": {"type": dialog.type, "message": dialog.message}},
            quotes_page=True,
        )
    if params.text is not None and dialog.type != "prompt":
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"The open dialog is of type {dialog.type}; only a prompt takes text.",
            hint="Leave text out.",
            data={"dialog": {"type": dialog.type, "message": dialog.message}},
        )
    entered = None
    if dialog.type == "prompt" and params.accept:
        entered = dialog.default_prompt if params.text is None else params.text
    async with tab.acting():
        await tab.page.dialogs.answer(dialog, params.accept, entered)
        tab.page.watch_changes()  # what came before the dialog is no effect of the answer
    return DialogAnswered(type=dialog.type, message=dialog.message, accepted=params.accept, entered=entered)


@attrs.frozen(kw_only=True)
class DialogPolicy:
    """Set how dialogs that open from now on in this tab are handled, for unattended runs."""

    policy: Annotated[
        Literal["ask", "dismiss", "accept"],
        Meta(description="ask: wait for handle_dialog (the default)."),
    ]


@command(
    "dialog_policy",
    access=Access.INTERACT,
    lane=Lane.CONTROL,
    toolset="more",
    idempotent=True,
    reads_page=False,
)
async def dialog_policy(tab: TabContext, params: DialogPolicy) -> DialogPolicySet:
    """Set the policy for as long as the tab is connected."""
    tab.page.dialogs.policy = params.policy
    return DialogPolicySet(policy=params.policy)
