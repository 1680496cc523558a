"""Dialogs and how they were answered."""

from __future__ import annotations

import attrs

from kapture.commands.core.answer import Answer


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
