"""Dialogs that block a page: answering the one that is open, and what becomes of later ones."""

from __future__ import annotations

from typing import Annotated, Literal

import attrs
from msgspec import Meta

from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import Access, Lane, command
from kapture.commands.formatters.dialogs import DialogAnswered, DialogPolicySet
from kapture.errors import ErrorCode, KaptureError


@attrs.frozen(kw_only=True)
class HandleDialog:
    """Answer the alert, confirm, prompt or beforeunload dialog that is open."""

    accept: Annotated[bool, Meta(description="OK or leave; false: Cancel or stay.")] = True
    text: Annotated[str | None, Meta(description="For a prompt.")] = None


@command("handle_dialog", access=Access.INTERACT, lane=Lane.CONTROL)
async def handle_dialog(tab: TabContext, params: HandleDialog) -> DialogAnswered:
    """Answer it, beside whatever command waits for it."""
    dialog = tab.page.dialogs.current
    if dialog is None:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS, "No dialog is open in this tab.", hint="Nothing needs to be answered; go on."
        )
    if params.text is not None and dialog.type != "prompt":
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"The open dialog is of type {dialog.type}; text can only be entered into a prompt.",
            hint="Leave text out.",
            data={"dialog": {"type": dialog.type, "message": dialog.message}},
        )
    entered = None
    if dialog.type == "prompt" and params.accept:
        entered = dialog.default_prompt if params.text is None else params.text
    await tab.page.dialogs.answer(params.accept, entered)
    return DialogAnswered(type=dialog.type, message=dialog.message, accepted=params.accept, entered=entered)


@attrs.frozen(kw_only=True)
class DialogPolicy:
    """Set what becomes of dialogs that open from now on in this tab, for runs that nobody watches."""

    policy: Annotated[
        Literal["ask", "dismiss", "accept"],
        Meta(description="ask: they wait for handle_dialog (the default). Others: answered at once."),
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
    """Keep the policy for as long as the tab is connected."""
    tab.page.dialogs.policy = params.policy
    return DialogPolicySet(policy=params.policy)
