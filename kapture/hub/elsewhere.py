"""The tabs of other machines, where the hub is in a group (`kapture.group`): what the hub needs of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import attrs

from kapture.commands.core.answer import CallResult
from kapture.commands.core.context import Progress
from kapture.commands.core.registry import Command
from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.hub.client import Client


class Elsewhere(Protocol):
    """The other machines of the hub's group."""

    @property
    def name(self) -> str:
        """The group's name."""

    @property
    def machine(self) -> str:
        """This machine's name in it."""

    async def rows(self, client: Client | None) -> Sequence[Mapping[str, Any]]:
        """One row, as in `list_tabs`, for each of their tabs that are for the group; none while the server is away."""

    async def call(
        self, client: Client, command: Command, arguments: Mapping[str, Any], progress: Progress | None
    ) -> CallResult:
        """Have the machine that has the tab run a call; `TAB_NOT_FOUND` if none does."""

    def left(self, client: Client) -> None:
        """A client of this hub has left: what the others keep for it may go."""

    def status(self) -> Mapping[str, Any]:
        """What `status` shows of the group."""


@attrs.define
class Group:
    """The group that the hub is in, if it is in one."""

    elsewhere: Elsewhere | None = None


def not_for_group(tab_id: str) -> KaptureError:
    """`TAB_NOT_FOUND`: there is no such tab for an agent on another machine of the group."""
    return KaptureError(
        ErrorCode.TAB_NOT_FOUND,
        f"There is no tab {tab_id[:128]!r} for your group.",
        hint=Wording("{list_tabs} shows the connected tabs."),
        data={"tabId": tab_id[:128]},
    )


def taken_from_group(tab_id: str) -> KaptureError:
    """`POLICY_DENIED`, for what the group's agents run on a tab that is no longer for them."""
    return KaptureError(
        ErrorCode.POLICY_DENIED,
        f"The person has taken tab {tab_id} from the group while this ran. It may have taken effect.",
        hint="Do not go on by other ways: ask the person what to do.",
        data={"tabId": tab_id},
    )
