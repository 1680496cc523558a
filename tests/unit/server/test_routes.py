"""Resources for browsers: health, and the Console with its content policy."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio
from trio.testing import wait_all_tasks_blocked
from trio_websocket import ConnectionClosed, ConnectionRejected, WebSocketConnection

from kapture.backends.chromium.target import TabIds
from kapture.hub.browsers import Browsers
from kapture.pairing.ticket import CDP, make_ticket
from kapture.policy import Grant
from kapture.settings import Limits
from tests.unit.server.served import Served, served, status


async def test_health_names_the_hub_and_nothing_secret(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        answer = await there.get("/health")
        assert status(answer) == 200
        health = json.loads(answer.partition(b"\r\n\r\n")[2])
        assert set(health) == {"kapture", "pid"}
        for secret in (there.token, there.secrets.key):
            assert secret.encode() not in answer


async def test_the_console_is_served_with_a_strict_content_policy(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        answer = await there.get("/console/demo/")
        head = answer.partition(b"\r\n\r\n")[0].lower()
        assert b"content-security-policy: default-src 'none'; script-src 'self'; style-src 'self';" in head
        assert b"frame-ancestors 'none'" in head
        assert b"x-content-type-options: nosniff" in head
        assert status(await there.get("/console/../../pyproject.toml")) in (404, 400)
        assert status(await there.get("/console/%2e%2e/%2e%2e/pyproject.toml")) == 404


async def test_the_console_has_the_shared_views_and_nothing_else_of_the_extension(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        assert status(await there.get("/console/ui/tokens.css")) == 200
        assert status(await there.get("/console/ui/options.html")) == 404
        assert status(await there.get("/console/ui/components/../options.html")) in (404, 400)
        assert status(await there.get("/console/manifest.json")) == 404


async def test_only_the_console_itself_gets_its_live_stream(tmp_path: Path) -> None:
    upgrade = ("Upgrade: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13")
    async with served(tmp_path) as there:
        lines = ["GET /console/live HTTP/1.1", f"Host: 127.0.0.1:{there.port}", "Connection: Upgrade", *upgrade, "", ""]
        assert status(await there.raw("\r\n".join(lines).encode())) == 403


async def test_a_share_that_the_person_ends_closes_its_port_and_says_so(tmp_path: Path) -> None:
    async with served(tmp_path) as there, there.open_as_person("/share") as program:
        await program.send_message(json.dumps({"type": "share", "name": "devhost"}))
        port = json.loads(await program.get_message())["port"]
        for name, answer in (("another", "failed"), ("devhost", "ended")):
            async with there.open_as_person("/share") as other:
                await other.send_message(json.dumps({"type": "end", "name": name}))
                assert json.loads(await other.get_message())["type"] == answer
        assert json.loads(await program.get_message())["code"] == "CANCELLED"
        with pytest.raises(ConnectionClosed):
            await program.get_message()
        assert there.hub.state.shares.rows() == []
        with pytest.raises(OSError, match="failed"):
            await trio.open_tcp_stream("127.0.0.1", port)


# What a program that has asked for a browser gets when that fails.


ATTACH = {"type": "attach", "grant": {"sites": ["*"], "level": "read"}, "endpoint": "ws://127.0.0.1:1"}


def failing(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    async def attach(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(Browsers, "attach", attach)


async def test_a_bug_is_reported_and_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    failing(monkeypatch, ZeroDivisionError())
    async with served(tmp_path) as there, there.open_as_person("/browsers") as program:
        await program.send_message(json.dumps(ATTACH))
        failed = json.loads(await program.get_message())
        assert "failed because of a bug in Kapture" in failed["message"]
        assert "bug in Kapture" in caplog.text


async def test_the_next_hub_knows_of_the_tabs_what_this_one_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which hub it is does not matter: the program sends to the next what it has got from the last."""
    given: list[TabIds] = []

    async def attach(_: object, __: object, ___: object, ids: TabIds, **____: object) -> None:
        given.append(ids)
        await trio.sleep_forever()

    async def kept(program: WebSocketConnection, tabs: list[dict[str, Any]]) -> dict[str, Any]:
        while True:
            message: dict[str, Any] = json.loads(await program.get_message())
            assert message["type"] == "kept"
            if message["tabs"] == tabs:
                return message

    monkeypatch.setattr(Browsers, "attach", attach)
    left = Grant.make(["a.test"], "read")
    async with served(tmp_path / "first") as there, there.open_as_person("/browsers") as program:
        await program.send_message(json.dumps(ATTACH))
        await kept(program, [])
        (ids,) = given
        one, two = ids.of("T1"), ids.of("T2")
        await kept(program, [{"target": "T1", "tabId": one}, {"target": "T2", "tabId": two}])
        ids.open("T1")
        await kept(program, [{"target": "T1", "tabId": one, "opened": True}, {"target": "T2", "tabId": two}])
        ids.let_go("T1")
        both: dict[str, Any] = {"target": "T1", "tabId": one, "opened": True, "letGo": True}
        await kept(program, [both, {"target": "T2", "tabId": two}])
        there.hub.state.command_line_grants.keep(two, left)
        rows = [both, {"target": "T2", "tabId": two, "grant": left.to_json()}]
        last = await kept(program, rows)
    async with served(tmp_path / "second") as there, there.open_as_person("/browsers") as program:
        await program.send_message(json.dumps({**ATTACH, "kept": last}))
        assert await kept(program, rows) == last
        assert (given[1].owner, given[1].known) == (ids.owner, ids.known)
        assert there.hub.state.command_line_grants.left(two) == left


@pytest.mark.parametrize("kept", [{"owner": "x"}, {"tabs": [{"target": "T1", "tabId": "../../.."}]}])
async def test_malformed_kept_browser_is_refused(tmp_path: Path, kept: dict[str, Any]) -> None:
    async with served(tmp_path) as there, there.open_as_person("/browsers") as program:
        sound = {"type": "kept", "owner": "0" * 32, "tabs": []}
        await program.send_message(json.dumps({**ATTACH, "kept": {**sound, **kept}}))
        assert json.loads(await program.get_message())["code"] == "INVALID_PARAMS"


# Who gets in at the CDP endpoint: who holds the client token or a fresh ticket, and nobody else.


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
async def test_discovery_routes_require_the_token(tmp_path: Path, *, open_port: bool) -> None:
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
