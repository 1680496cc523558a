"""The grant of a tab that registers without one, and of one whose grant is revoked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from trio.testing import wait_all_tasks_blocked

from kapture.errors import ErrorCode
from kapture.hub.grants.reported_grants import EVERY_SITE, EVERYTHING, grant_of
from kapture.policy.grant import Grant
from kapture.wire import messages
from tests.unit.hub.simulated import fails, world

INTERACT = {"sites": ["example.com"], "level": "interact"}


@pytest.mark.parametrize(
    ("capabilities", "open_port", "grant"),
    [
        ([], False, EVERYTHING),
        ([], True, EVERYTHING),
        (["cdp"], False, None),
        (["cdp"], True, EVERY_SITE),
    ],
)
def test_only_the_open_port_makes_a_tab_that_carries_cdp_usable_without_a_grant(
    capabilities: list[str], *, open_port: bool, grant: Grant | None
) -> None:
    register = messages.Register(tab_id="tab1", capabilities=capabilities)
    assert grant_of(register, open_port=open_port) == grant


@pytest.mark.parametrize("no_pairing", [False, True])
@pytest.mark.parametrize("granted", [None, INTERACT])
async def test_a_grant_that_is_revoked_is_gone_on_an_open_port_too(
    tmp_path: Path, autojump_clock: Any, granted: dict[str, Any] | None, *, no_pairing: bool
) -> None:
    async with world(tmp_path, no_pairing=no_pairing) as there:
        tab = await there.token_tab(url="https://example.com/", grant=granted)
        await tab.send(type="event", event="grant", grant=None)
        await wait_all_tasks_blocked()
        error = await fails(ErrorCode.POLICY_DENIED, there.call("t_echo"))
        assert "Nobody has allowed anything on this tab." in str(error)
