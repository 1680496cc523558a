"""Permissions: of the site that is granted, also when the tab has gone elsewhere since the call was admitted."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest
import trio
from trio.testing import MockClock

from kapture.commands.core.context import TabContext
from kapture.commands.permissions import Permissions, permissions
from kapture.errors import PolicyDenied
from tests.unit.page.frame_world import World


async def test_no_permission_is_set_for_a_site_outside_the_grant_that_the_tab_has_gone_to(
    autojump_clock: MockClock,
) -> None:
    world = World()
    given: list[tuple[str, str]] = []

    async def permission(name: str, setting: str) -> None:
        given.append((name, setting))

    tab = SimpleNamespace(page=SimpleNamespace(frames=world.tree), browser=SimpleNamespace(permission=permission))
    world.navigate("M", "https://secret.example/", None)
    with pytest.raises(PolicyDenied), trio.fail_after(1):
        await permissions(cast("TabContext", tab), Permissions(name="geolocation", setting="allow"))
    assert given == []
