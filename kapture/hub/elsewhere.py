"""The tabs of other machines, where the hub is in a group (`kapture.group`): what the hub needs of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import attrs

from kapture.commands.core.answer import CallResult
from kapture.commands.core.context import Progress
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

    def has_seen(self, tab_id: str) -> bool:
        """Whether another machine has a tab with this id, or had one a while ago."""

    async def rows(self, client: Client) -> Sequence[Mapping[str, Any]]:
        """One row, as in `list_tabs`, for each of their tabs that are for the group; none while the server is away."""

    async def call(
        self, client: Client, command: str, arguments: Mapping[str, Any], progress: Progress | None
    ) -> CallResult:
        """Have the machine that has the tab run a call; `TAB_NOT_FOUND` if none does."""

    def end_all(self, error: KaptureError) -> None:
        """End all calls for other machines' tabs with this error."""

    def left(self, client: Client) -> None:
        """A client of this hub has left: what the others keep for it may go."""

    async def look(self) -> None:
        """Bring what `status` shows of the other machines up to date."""

    def status(self) -> Mapping[str, Any]:
        """What `status` shows of the group."""


@attrs.define
class Group:
    """The group that the hub is in, if it is in one."""

    elsewhere: Elsewhere | None = None

    def of(self, client: Client) -> Elsewhere | None:
        """The same for a client that may use the tabs of other machines: an agent of this machine that is not bound to
        one of its browsers. Others come from other machines themselves, or are the person, who is here."""
        bound = client.share or client.browser or client.is_person or client.kind == "cdp"
        return None if bound else self.elsewhere


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
