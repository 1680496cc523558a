"""Every door of the port, with everything that somebody can show there: the table decides, and it alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import trio
from trio_websocket import ConnectionClosed, ConnectionRejected

from kapture.pairing import TabProof
from kapture.pairing.access import Caller, Door, Who
from kapture.pairing.proof import decode
from kapture.pairing.ticket import CDP, CONSOLE, PERSON, make_ticket
from kapture.server.admission import EXTENSION_ORIGIN
from tests.unit.server.served import Served, served, status

OVER_WEBSOCKET = [
    Door.MCP, Door.LIVE, Door.BROWSERS, Door.RELEASE, Door.ROTATE_KEY, Door.CDP
]  # fmt: skip
SHOWN = ["nothing", "token", "session", "ticket of a Console", "ticket of a person", "ticket for CDP"]
MAKES = {
    "nothing": Who.ANYBODY,
    "token": Who.CLIENT,
    "session": Who.SESSION,
    "ticket of a Console": Who.SESSION,
    "ticket of a person": Who.PERSON,
    "ticket for CDP": Who.CDP,
}
LABELS = {"ticket of a Console": CONSOLE, "ticket of a person": PERSON, "ticket for CDP": CDP}


def origins(there: Served) -> dict[Caller, list[tuple[bytes, bytes]]]:
    return {
        Caller.PROGRAM: [],
        Caller.OWN_PAGE: [(b"Origin", f"http://127.0.0.1:{there.port}".encode())],
        Caller.EXTENSION: [(b"Origin", EXTENSION_ORIGIN.encode())],
    }


async def admitted(there: Served, door: Door, shown: str, where: str, origin: list[tuple[bytes, bytes]]) -> bool:
    """Whether somebody gets in who shows this in the header, the first message or the path."""
    secret = {
        "token": there.token,
        "session": there.pairing.open_session(),
        **{name: make_ticket(there.secrets.key, label) for name, label in LABELS.items()},
    }.get(shown, "")
    headers, path = list(origin), door.path
    if where == "header":
        headers.append((b"Authorization", f"Bearer {secret}".encode()))
    elif where == "path":
        path = f"{path}/{secret}"
    try:
        async with there.open(path, headers) as socket:
            if where == "message":
                name = "ticket" if shown in LABELS else "token"
                await socket.send_message(json.dumps({"type": "authenticate", name: secret}))
                return bool(json.loads(await socket.get_message())["type"] == "authenticated")
            if door is Door.ROTATE_KEY:
                await socket.get_message()
            elif door is Door.CDP:
                await socket.send_message('{"id": 1, "method": "Browser.getVersion"}')
                await socket.get_message()
            elif door is Door.MCP:
                await socket.send_message("{}")
                return str(await socket.get_message()).startswith("mcp: ")
            else:
                await socket.send_message("{}")
                await socket.get_message()
            return True
    except (ConnectionRejected, ConnectionClosed):
        return False


@pytest.mark.parametrize("no_pairing", [False, True])
@pytest.mark.parametrize("door", OVER_WEBSOCKET, ids=lambda door: door.path)
async def test_a_websocket_is_admitted_by_the_table_alone(tmp_path: Path, door: Door, *, no_pairing: bool) -> None:
    async with served(tmp_path, no_pairing=no_pairing) as there:
        before = there.secrets
        for caller, origin in origins(there).items():
            for shown in SHOWN:
                for where in ("header", "message", "path"):
                    if shown == "nothing" and where != "message":
                        continue
                    ticket = shown in LABELS
                    takes = {"header": not ticket, "message": door.shown == "first message", "path": door is Door.CDP}
                    expected = door.reached_from(caller) and takes[where] and door.admits(MAKES[shown])
                    if where == "path":
                        expected = expected and ticket
                    if no_pairing and where == "message" and door is Door.MCP and caller is Caller.PROGRAM:
                        continue  # served at once: there is no first message
                    with trio.fail_after(20):
                        got = await admitted(there, door, shown, where, origin)
                    assert got == expected, (caller, shown, where)
        assert there.secrets == before or door is Door.ROTATE_KEY


@pytest.mark.parametrize("no_pairing", [False, True])
async def test_an_http_request_is_admitted_by_the_table_alone(tmp_path: Path, *, no_pairing: bool) -> None:
    doors = (Door.MCP, Door.TARGETS, Door.HOME, Door.HEALTH, Door.CONSOLE)
    async with served(tmp_path, no_pairing=no_pairing) as there:
        for door in doors:
            for caller, origin in origins(there).items():
                for who, secret in {
                    Who.ANYBODY: "",
                    Who.CLIENT: there.token,
                    Who.SESSION: there.pairing.open_session(),
                }.items():
                    headers = [f"{name.decode()}: {value.decode()}" for name, value in origin]
                    headers += [f"Authorization: Bearer {secret}"] if secret else []
                    answer = status(await there.get(door.path, *headers))
                    is_open = no_pairing and caller is not Caller.OWN_PAGE and who is Who.ANYBODY
                    by = Who.OPEN if is_open else who
                    allowed = door.reached_from(caller) and (door.admits(by) or door.admits(Who.ANYBODY))
                    assert (answer < 400) == allowed, (door, caller, who, answer)


async def test_no_token_of_any_kind_but_a_clients_registers_a_tab(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        for secret, expected in ((there.token, "registered"), (there.pairing.open_session(), "refused")):
            async with there.open("/") as socket:
                await socket.get_message()  # the challenge
                await socket.send_message(json.dumps({"type": "authenticate", "token": secret}))
                await socket.send_message(json.dumps({"type": "register", "tabId": "tab1"}))
                assert json.loads(await socket.get_message())["type"] == expected
        with pytest.raises(ConnectionRejected):
            async with there.open("/", [(b"Authorization", f"Bearer {there.pairing.open_session()}".encode())]):
                pass


@pytest.mark.parametrize("proven", [False, True])
async def test_only_a_tab_that_has_proved_the_key_has_a_panel(tmp_path: Path, *, proven: bool) -> None:
    async with served(tmp_path) as there, there.open("/", () if proven else there.bearer()) as socket:
        if proven:
            proof = TabProof(decode(there.secrets.key) or b"")
            nonce, mac = proof.answer(json.loads(await socket.get_message())["nonce"])
            await socket.send_message(json.dumps({"type": "proof", "nonce": nonce, "mac": mac}))
            await socket.get_message()
        await socket.send_message(json.dumps({"type": "register", "tabId": "tab1", "capabilities": ["cdp"]}))
        assert json.loads(await socket.get_message())["type"] == "registered"
        await socket.send_message(json.dumps({"type": "invoke", "id": "1", "command": "list_tabs", "params": {}}))
        while (answer := json.loads(await socket.get_message()))["type"] not in ("result", "error"):
            pass
        assert answer["type"] == ("result" if proven else "error")
