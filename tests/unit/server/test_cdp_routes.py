"""Who gets in at the CDP endpoint: who holds the client token or a fresh ticket, and nobody else."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import attrs
import pytest
import trio
from trio.testing import wait_all_tasks_blocked
from trio_websocket import ConnectionClosed, ConnectionRejected

from kapture.pairing.ticket import CDP, make_ticket
from kapture.settings import Limits
from tests.unit.server.served import Served, served


async def version_over(there: Served, path: str, *, token: bool = False) -> str:
    """`Browser.getVersion` over a WebSocket at this path; or the status of the refusal."""
    try:
        async with there.open(path, there.bearer() if token else ()) as socket:
            await socket.send_message('{"id": 1, "method": "Browser.getVersion"}')
            return str(json.loads(await socket.get_message())["result"]["protocolVersion"])
    except ConnectionRejected as refused:
        return str(refused.status_code)


async def test_the_client_token_opens_the_endpoint(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        assert await version_over(there, "/cdp", token=True) == "1.3"
        assert await version_over(there, "/cdp") == "401"


async def test_a_ticket_lets_one_connection_in(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        ticket = make_ticket(there.secrets.key, CDP)
        assert await version_over(there, f"/cdp/{ticket}") == "1.3"
        assert await version_over(there, f"/cdp/{ticket}") == "401"


async def test_neither_a_consoles_ticket_nor_anything_in_the_query_opens_it(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        assert await version_over(there, f"/cdp/{make_ticket(there.secrets.key)}") == "401"
        ticket = make_ticket(there.secrets.key, CDP)
        assert await version_over(there, f"/cdp?ticket={ticket}&token={there.token}") == "401"
        assert await version_over(there, f"/cdp/{ticket}") == "1.3"  # the query has not spent it


@pytest.mark.parametrize("open_port", [False, True], ids=["paired", "--no-pairing"])
async def test_what_clients_look_up_needs_the_token_too(tmp_path: Path, *, open_port: bool) -> None:
    async with served(tmp_path, no_pairing=open_port) as there:
        for path in ("/json/version", "/json/version/", "/json/list", "/json"):
            assert b" 401 " in (await there.get(path)).splitlines()[0]
            answer = await there.get(path, f"Authorization: Bearer {there.token}")
            assert b" 200 " in answer.splitlines()[0]
        about = await there.get("/json/version", f"Authorization: Bearer {there.token}")
        assert f"ws://127.0.0.1:{there.port}/cdp".encode() in about


async def test_pages_cannot_use_it(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        own = (b"Origin", f"http://127.0.0.1:{there.port}".encode())
        for headers in ([own], [own, *there.bearer()]):
            with pytest.raises(ConnectionRejected) as refused:
                async with there.open("/cdp", headers):
                    pass
            assert refused.value.status_code == 403


async def test_a_script_that_reads_too_slowly_is_told_so(tmp_path: Path) -> None:
    """The close frame comes after the message that was on its way when the script was given up."""
    limits = attrs.evolve(Limits(), buffered_bytes=10_000)
    async with served(tmp_path, limits=limits) as there, there.open("/cdp", there.bearer()) as script:

        async def ask() -> None:
            with suppress(ConnectionClosed):
                for number in range(400):
                    await script.send_message(json.dumps({"id": number, "method": "M" * 100_000}))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask)
            await wait_all_tasks_blocked(0.2)
            with suppress(ConnectionClosed):
                while True:
                    assert "MMM is not available here" in await script.get_message()
            nursery.cancel_scope.cancel()
        assert script.closed is not None
        assert (script.closed.code, script.closed.reason) == (1013, "The script reads its messages too slowly.")
