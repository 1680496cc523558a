"""What the clients of a share may do."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from kapture.server.connections import TooManyConnectionsError
from kapture.server.routes import RouteTable
from kapture.server.server import make_listener
from kapture.server.shares import ShareSecrets, caps_of
from kapture.wire.share import Share
from tests.unit.hub.simulated import world
from tests.unit.policy.deciding import grant, policy


@pytest.mark.parametrize(("sites", "allowed"), [(None, False), (("*",), False), (("file:///home/ann/*",), True)])
def test_files_of_this_machine_are_shown_in_tabs_only_if_the_share_names_them(
    sites: tuple[str, ...] | None, allowed: bool
) -> None:
    rules = policy()
    rules.shares["devhost"] = caps_of(Share(name="devhost", sites=sites))
    given = grant("interact", "*", "file://")
    assert rules.may_read("file:///home/ann/page.html", grant=given, client="claude @devhost") is allowed
    assert rules.may_read("file:///home/ann/page.html", grant=given, client="claude")


async def test_share_takes_only_a_part_of_the_connections_that_the_hub_may_have(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        limit = there.hub.state.settings.limits.connections
        listener = make_listener(there.hub, RouteTable(websockets=[], http=[]), port=1, secrets=ShareSecrets())

        def fill(stack: ExitStack) -> None:
            for _ in range(limit // 2):
                connection = stack.enter_context(listener.connections.open())
                stack.enter_context(connection.serving())
                connection.prove()

        with ExitStack() as stack, pytest.raises(TooManyConnectionsError):
            fill(stack)
