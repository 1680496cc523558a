"""What only a program of the person's own may ask of the hub: the client token is not enough."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
import trio
from trio_websocket import ConnectionClosed, ConnectionRejected

from kapture.pairing.ticket import CDP, CONSOLE, PERSON, make_ticket
from tests.unit.server.served import Served, served

PATHS = ["/browsers", "/release", "/rotate-key"]


async def refused(there: Served, path: str, first: Mapping[str, object], *, bearer: bool = False) -> bool:
    """Whether the hub closes a connection that begins so, before it does anything."""
    with trio.fail_after(30):
        try:
            async with there.open(path, there.bearer() if bearer else ()) as socket:
                await socket.send_message(json.dumps(first))
                await socket.get_message()
        except ConnectionClosed as closed:
            return closed.reason is not None and closed.reason.code == 1008
        except ConnectionRejected as rejected:
            return rejected.status_code == 403
    return False


@pytest.mark.parametrize("open_port", [False, True], ids=["paired", "--no-pairing"])
@pytest.mark.parametrize("path", PATHS)
async def test_a_client_that_does_not_hold_the_key_is_refused(tmp_path: Path, path: str, *, open_port: bool) -> None:
    async with served(tmp_path, no_pairing=open_port) as there:
        before = there.secrets
        by_token = {"type": "authenticate", "token": there.token}
        launch = {"type": "launch", "grant": {"sites": ["*"], "level": "full"}, "browser": "/bin/sh", "headless": True}
        assert await refused(there, path, by_token)
        assert await refused(there, path, by_token, bearer=True)
        assert await refused(there, path, launch, bearer=True)
        for label in (CONSOLE, CDP):
            other = make_ticket(before.key, label)
            assert await refused(there, path, {"type": "authenticate", "ticket": other}), label
        assert there.secrets == before


async def test_a_ticket_is_good_once(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        first = {"type": "authenticate", "ticket": make_ticket(there.secrets.key, PERSON)}
        assert not await refused(there, "/release", first)
        assert await refused(there, "/release", first)


async def test_such_a_ticket_makes_no_client(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        ticket = make_ticket(there.secrets.key, PERSON)
        assert await refused(there, "/mcp", {"type": "authenticate", "ticket": ticket})
