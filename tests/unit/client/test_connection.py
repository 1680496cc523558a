"""A client's connection to the hub: whether it is let in, and what was sent at once."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path

import attrs
import pytest
import trio
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, Request, TextMessage

from kapture.cli.hub import stop
from kapture.cli.running_hub import hub_status
from kapture.cli.tour import own_hub
from kapture.client.connection import ConnectionClosedError, HubAbsentError
from kapture.client.start import LOG_NAME, connected
from kapture.errors import ErrorCode, KaptureError
from kapture.pairing import Pairing, key_file
from kapture.policy.kept_caps import Caps, kept
from kapture.server.connections import TooManyConnectionsError
from kapture.server.listener import open_port, port_of
from kapture.settings import Settings
from tests.support.ended_process import ended_process
from tests.support.fake_hub import FakeHub
from tests.support.fake_hub_port import listening
from tests.support.forked import run_kapture
from tests.support.stack import free_port, hub_process


async def test_a_client_without_room_is_told_so_and_starts_no_hub_of_its_own(tmp_path: Path, hub: FakeHub) -> None:
    def full() -> None:
        raise TooManyConnectionsError(ErrorCode.QUEUE_FULL, "The hub has 2 connections.")

    async with listening(hub, tmp_path, on_authenticated=full):
        with pytest.raises(KaptureError, match="The hub has 2 connections") as failure:
            async with connected(tmp_path):
                raise AssertionError
        assert failure.value.code is ErrorCode.QUEUE_FULL


@pytest.mark.parametrize(
    ("query", "named"), [("toolsets=nonsense", "There is no toolset 'nonsense'"), ("profile=maximal", "maximal")]
)
async def test_a_query_that_the_hub_refuses_is_an_error_in_its_words(
    tmp_path: Path, hub: FakeHub, query: str, named: str
) -> None:
    async with listening(hub, tmp_path):
        with pytest.raises(KaptureError, match=named) as failure:
            async with connected(tmp_path, query):
                raise AssertionError
        assert failure.value.code is ErrorCode.INVALID_PARAMS


async def test_a_program_that_squats_on_the_port_receives_nothing_from_the_client(tmp_path: Path, hub: FakeHub) -> None:
    async with listening(hub, tmp_path, prove=False):
        with pytest.raises(KaptureError) as error:
            async with connected(tmp_path):
                raise AssertionError
    assert error.value.code is ErrorCode.UNAUTHORIZED
    assert hub.clients == []


async def test_neither_end_waits_for_the_end_of_the_handshake_to_send(tmp_path: Path, nursery: trio.Nursery) -> None:
    pairing = Pairing(tmp_path)

    async def serve(stream: trio.SocketStream) -> None:
        socket = WSConnection(ConnectionType.SERVER)
        received = ""
        while True:
            socket.receive_data(await stream.receive_some() or None)
            for event in socket.events():
                if isinstance(event, Request):
                    nonce = dict(event.extra_headers)[b"kapture-nonce"].decode()
                    proof = [(b"Kapture-Proof", pairing.client_proof(nonce).encode())]
                    await stream.send_all(socket.send(AcceptConnection(subprotocol="mcp", extra_headers=proof)))
                elif isinstance(event, TextMessage) and (received := received + event.data).endswith("first"):
                    sent = [TextMessage('{"type":"authenticated"}'), TextMessage("at once"), CloseConnection(1000)]
                    await stream.send_all(b"".join(socket.send(each) for each in sent))
                    await stream.receive_some()  # the client closes too
                    return

    async def serve_and_close(stream: trio.SocketStream) -> None:
        async with stream:
            await serve(stream)

    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    nursery.start_soon(trio.serve_listeners, serve_and_close, listeners)
    pairing.write_key_file(listeners[0].socket.getsockname()[1])
    async with connected(tmp_path, first=[b"first"]) as connection:
        with trio.fail_after(30):
            assert await connection.receive() == b"at once"
            with pytest.raises(ConnectionClosedError):
                await connection.receive()
    nursery.cancel_scope.cancel()


_PAGE = b"<!DOCTYPE HTML><html><title>Error response</title><p>Nothing matches the given URI.</p></html>"


@asynccontextmanager
async def web_server(home: Path, status: str = "404 Not Found", kind: str = "text/html") -> AsyncIterator[int]:
    """A web server on the port that the key file in `home` names."""

    async def answer(stream: trio.SocketStream) -> None:
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(_PAGE)}\r\n\r\n"
        await stream.receive_some(65_536)
        await stream.send_all(head.encode() + _PAGE)
        await stream.aclose()

    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(trio.serve_tcp, answer, 0)
        port: int = listeners[0].socket.getsockname()[1]
        Pairing(home).write_key_file(port)
        yield port
        nursery.cancel_scope.cancel()


async def test_another_server_on_the_port_is_named_as_that_without_its_page(tmp_path: Path) -> None:
    async with web_server(tmp_path) as port:
        with pytest.raises(KaptureError) as failure:
            async with connected(tmp_path):
                raise AssertionError
    assert failure.value.code is ErrorCode.UNAUTHORIZED
    assert str(failure.value) == (
        f"UNAUTHORIZED: The program on port {port} is not a Kapture hub: it answered with HTTP status 404. "
        "Stop it, or set KAPTURE_PORT to another port for the hub and its clients."
    )


@pytest.mark.parametrize("status", ["400 Bad Request", "401 No", "404 Not Found", "503 Full"])
async def test_no_words_of_a_program_without_the_key_are_passed_on(tmp_path: Path, status: str) -> None:
    async with web_server(tmp_path, status, "text/plain") as port:
        with pytest.raises(KaptureError) as failure:
            async with connected(tmp_path):
                raise AssertionError
    assert failure.value.code is ErrorCode.UNAUTHORIZED
    assert failure.value.message == (
        f"The program on port {port} refused the connection ({status[:3]}), and could not prove that it is the hub."
    )


async def test_the_key_file_of_a_hub_that_was_killed_is_not_a_running_hub_whoever_has_its_port(tmp_path: Path) -> None:
    async with web_server(tmp_path):
        key_file.write(tmp_path, attrs.evolve(key_file.read(tmp_path), pid=ended_process()))
        with pytest.raises(HubAbsentError):
            async with connected(tmp_path):
                raise AssertionError


# A hub that a client starts: with what capped the one before, or not at all.


async def test_a_hub_that_cannot_start_is_an_error_with_what_this_start_has_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / LOG_NAME).write_text("2026-01-31 12:00:00,000 ERROR Something of yesterday.\n")
    listeners = await open_port(0)
    monkeypatch.setenv("KAPTURE_PORT", str(port := port_of(listeners)))
    monkeypatch.setenv("KAPTURE_HOME", str(home))
    try:
        with pytest.raises(KaptureError) as failed:
            async with connected(home, start=True):
                raise AssertionError
    finally:
        for listener in listeners:
            await listener.aclose()
    assert failed.value.code is ErrorCode.NO_BACKEND
    assert failed.value.message == (
        f"The hub could not be started (exit code 2). Another program is listening on port {port}. "
        "Stop it, or choose another port with --port or KAPTURE_PORT."
    )


async def test_the_hub_of_a_tour_keeps_the_safe_mode_of_the_one_before(tmp_path: Path) -> None:
    home, port = tmp_path / "home", free_port()
    with hub_process(home, port, arguments=["--safe-mode"]):
        pass
    async with own_hub(Settings(home=home, port=port)):
        assert (await hub_status(home))["policy"]["safeMode"]
    assert kept(home) == Caps(policy_file=None, sha256=None, safe_mode=True)


@pytest.mark.parametrize("gone", [False, True])
async def test_a_hub_that_a_client_starts_keeps_the_policy_of_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, gone: bool
) -> None:
    home, policy = tmp_path / "home", tmp_path / "policy.toml"
    policy.write_text('deny = ["bank.example"]\n')
    policy.chmod(0o600)
    monkeypatch.setenv("KAPTURE_PORT", str(free_port()))
    monkeypatch.setenv("KAPTURE_HOME", str(home))
    with hub_process(home, arguments=["--policy", str(policy), "--safe-mode"]):
        pass
    if gone:
        policy.unlink()
        with pytest.raises(KaptureError) as refused:
            async with connected(home, start=True):
                pass
        assert f"kapture serve --background --policy {policy} --safe-mode" in str(refused.value)
        return
    async with connected(home, start=True):
        in_force = (await hub_status(home))["policy"]
        shown = run_kapture(["status"], {**os.environ, "KAPTURE_HOME": str(home)}, home).stdout.decode()
    await stop(home)
    assert (in_force["file"], in_force["safeMode"]) == (str(policy), True)
    assert in_force["sha256"] == sha256(policy.read_bytes()).hexdigest()
    assert f"{policy} (SHA-256 {in_force['sha256']}), safe mode" in shown
