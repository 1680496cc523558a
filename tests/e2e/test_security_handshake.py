"""A tab's socket without the key: nothing is revealed, and no proof can be made from another one."""

from __future__ import annotations

import json
from typing import Any

import pytest
import trio
from trio_websocket import ConnectionClosed, WebSocketConnection, open_websocket_url

from kapture.pairing import KeyFile, TabProof, key_file
from kapture.pairing.proof import CLIENT_LABEL, decode, fresh, mac
from tests.support.stack import HubProcess

pytestmark = pytest.mark.e2e


def secrets_of(hub: HubProcess) -> KeyFile:
    return key_file.read(hub.home)


async def tab_socket(hub: HubProcess, nursery: trio.Nursery, **headers: str) -> WebSocketConnection:
    from trio_websocket import connect_websocket_url

    extra = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return await connect_websocket_url(nursery, f"ws://127.0.0.1:{hub.port}/", extra_headers=extra)


async def message_from(socket_: WebSocketConnection) -> dict[str, Any] | None:
    """The hub's next message; None when it has closed the socket."""
    with trio.fail_after(30):
        try:
            message: dict[str, Any] = json.loads(await socket_.get_message())
        except ConnectionClosed:
            return None
        return message


async def until_closed(socket_: WebSocketConnection) -> list[dict[str, Any]]:
    heard = []
    while (message := await message_from(socket_)) is not None:
        heard.append(message)
    return heard


REGISTER = {"type": "register", "tabId": "attacker"}


@pytest.mark.parametrize(
    "messages",
    [
        [REGISTER],
        [{"type": "proof", "nonce": "x", "mac": "y"}],
        [{"type": "proof", "nonce": "A" * 43, "mac": "A" * 43}],
        [{"type": "proof"}, REGISTER],
        [{"type": "authenticate", "token": "A" * 43}],
        [{"type": "event", "event": "tab", "url": "https://evil.test/"}, REGISTER],
        [{"type": "invoke", "id": "1", "command": "list_tabs", "params": {}}, REGISTER],
    ],
    ids=lambda messages: "-".join(message["type"] for message in messages),
)
async def test_without_the_proof_no_tab_registers_and_nothing_is_revealed(
    hub: HubProcess, messages: list[dict[str, Any]]
) -> None:
    async with trio.open_nursery() as nursery:
        socket_ = await tab_socket(hub, nursery)
        challenge = await message_from(socket_)
        assert challenge is not None
        assert set(challenge) == {"type", "nonce"}
        for message in messages:
            try:
                await socket_.send_message(json.dumps(message))
            except ConnectionClosed:
                break
        heard = await until_closed(socket_)
        assert {message["type"] for message in heard} <= {"error", "refused"}
        shown = json.dumps(heard)
        assert secrets_of(hub).key not in shown
        assert secrets_of(hub).clientToken not in shown
        nursery.cancel_scope.cancel()


async def test_a_proof_recorded_on_another_socket_is_refused(hub: HubProcess) -> None:
    key = decode(secrets_of(hub).key) or b""
    async with trio.open_nursery() as nursery:
        first = await tab_socket(hub, nursery)
        challenge = await message_from(first)
        assert challenge is not None
        nonce, mac_ = TabProof(key).answer(challenge["nonce"])
        recorded = json.dumps({"type": "proof", "nonce": nonce, "mac": mac_})
        await first.send_message(recorded)
        assert (await message_from(first) or {}).get("type") == "proof"
        second = await tab_socket(hub, nursery)
        await message_from(second)
        await second.send_message(recorded)
        assert {message["type"] for message in await until_closed(second)} <= {"error", "refused"}
        nursery.cancel_scope.cancel()


async def test_the_hubs_challenge_reflected_at_another_socket_proves_nothing(hub: HubProcess) -> None:
    async with trio.open_nursery() as nursery:
        one, other = await tab_socket(hub, nursery), await tab_socket(hub, nursery)
        first, second = await message_from(one), await message_from(other)
        assert first is not None
        assert second is not None
        await other.send_message(json.dumps({"type": "proof", "nonce": first["nonce"], "mac": second["nonce"]}))
        assert "proof" not in {message["type"] for message in await until_closed(other)}
        nursery.cancel_scope.cancel()


async def test_a_socket_that_never_proves_itself_is_closed(hub: HubProcess) -> None:
    async with trio.open_nursery() as nursery:
        await until_closed(await tab_socket(hub, nursery))
        nursery.cancel_scope.cancel()


async def test_the_hub_proves_itself_to_a_client_before_it_is_trusted(hub: HubProcess) -> None:
    nonce = fresh()
    headers = [(b"Kapture-Nonce", nonce.encode()), (b"Authorization", f"Bearer {secrets_of(hub).clientToken}".encode())]
    with trio.fail_after(30):
        async with open_websocket_url(f"ws://127.0.0.1:{hub.port}/mcp", extra_headers=headers) as socket_:
            answer = {name.lower(): value for name, value in socket_.handshake_headers}
            key = decode(secrets_of(hub).key) or b""
            assert answer[b"kapture-proof"].decode() == mac(key, CLIENT_LABEL, nonce)
