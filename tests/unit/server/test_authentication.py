"""Admission: the extension by its proof, clients by a token or a ticket, pages never."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from trio_websocket import ConnectionClosed, ConnectionRejected

from kapture.hub.memory import HubMemory
from kapture.hub.records import Records
from kapture.pairing import TabProof
from kapture.pairing.access import Caller, Door, Who
from kapture.pairing.proof import decode, fresh
from kapture.pairing.ticket import CDP, CONSOLE, PERSON, make_ticket
from kapture.policy.audit import AuditLog, entries
from kapture.server.admission import EXTENSION_ORIGIN, FurtherCallers, Refusal, identify_caller
from kapture.server.request_head import RequestHead
from kapture.server.server import Server, route_table
from kapture.settings import Limits
from tests.unit.server.served import Served, drained, register, served, status


async def test_refused_connections_and_new_keys_are_in_the_audit_log(tmp_path: Path) -> None:
    async with AuditLog.open(tmp_path) as audit, served(tmp_path, audit=audit) as there:
        await there.get("/mcp?token=hunter2", "Origin: http://evil.example/secret")
        await there.get("/mcp", "Authorization: Bearer hunter2")
        with pytest.raises(ConnectionRejected):
            async with there.open("/", [(b"Authorization", b"Bearer hunter2")]):
                pass
        async with there.open("/mcp") as client:
            await client.send_message('{"type":"authenticate","token":"hunter2"}')
            await drained(client)
        async with there.open("/") as tab:
            await tab.send_message(json.dumps({"type": "register", "tabId": "tab1"}))
            await drained(tab)
        Server(there.hub, there.pairing, there.listener).rotate_key()
    logged = [entry for entry in entries(tmp_path) if entry["event"] in ("connect", "rotate-key")]
    assert [(entry["event"], entry["outcome"]) for entry in logged] == [
        *[("connect", "denied")] * 5,
        ("rotate-key", "ok"),
    ]
    assert [entry.get("path") for entry in logged[:5]] == ["/mcp", "/mcp", "/", "/mcp", None]
    assert logged[0]["site"] == "http://evil.example"
    assert all(entry["reason"] for entry in logged[:5])
    assert "hunter2" not in audit.path.read_text()
    assert "secret" not in audit.path.read_text()


async def test_a_ticket_in_the_path_of_a_refused_request_is_not_in_the_audit_log(tmp_path: Path) -> None:
    async with AuditLog.open(tmp_path) as audit, served(tmp_path, audit=audit) as there:
        ticket = make_ticket(there.secrets.key, CDP)
        for path in (f"/cdp/{ticket}", f"/nothing/{there.token}", f"/cdp/{ticket}/json/version"):
            for header in ((b"Origin", b"http://evil.example"), (b"X-None", b"")):
                with suppress(ConnectionRejected):
                    async with there.open(path, [header]):
                        pass

    log = audit.path.read_text()
    assert f'"/cdp/({len(ticket)} characters)"' in log
    assert there.token not in log
    assert ticket not in log


async def test_a_flood_of_refused_connections_does_not_wash_out_the_audit_log(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with AuditLog.open(tmp_path) as audit:
        records = Records(audit, HubMemory(Limits()))
        for _ in range(1_000):
            records.connection_refused("no")
        await trio.sleep(61)
        records.connection_refused("no")
    logged = list(entries(tmp_path))
    assert len(logged) == 61
    assert logged[-1]["unrecorded"] == 940
    assert records.counters.refused_connections == 1_001


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:8000", "chrome-extension://abc"])
async def test_a_page_cannot_connect_not_even_with_the_token(tmp_path: Path, origin: str) -> None:
    async with served(tmp_path) as there:
        for path in ("/", "/mcp"):
            with pytest.raises(ConnectionRejected) as refused:
                async with there.open(path, [*there.bearer(), (b"Origin", origin.encode())]):
                    pass
            assert refused.value.status_code == 403
        assert status(await there.get("/health", f"Origin: {origin}")) == 403


async def test_the_extension_is_challenged(tmp_path: Path) -> None:
    async with served(tmp_path) as there, there.open(headers=[(b"Origin", EXTENSION_ORIGIN.encode())]) as socket:
        assert json.loads(await socket.get_message())["type"] == "challenge"


async def test_a_client_with_the_token_registers_a_tab(tmp_path: Path) -> None:
    async with served(tmp_path) as there, there.open(headers=there.bearer()) as socket:
        assert (await register(socket))["type"] == "registered"
        assert list(there.hub.tabs) == ["tab1"]


async def test_a_wrong_token_is_refused_before_the_upgrade(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        for path in ("/", "/mcp"):
            with pytest.raises(ConnectionRejected) as refused:
                async with there.open(path, [(b"Authorization", b"Bearer nonsense")]):
                    pass
            assert refused.value.status_code == 401


async def test_a_client_can_make_sure_of_the_hub(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        nonce = fresh()
        async with there.open(headers=[*there.bearer(), (b"Kapture-Nonce", nonce.encode())]) as socket:
            headers = dict(socket.handshake_headers)
            assert headers[b"kapture-proof"].decode() == there.pairing.client_proof(nonce)
        with pytest.raises(ConnectionRejected) as refused:
            async with there.open(headers=[*there.bearer(), (b"Kapture-Nonce", b"short")]):
                pass
        assert refused.value.status_code == 400


async def test_mcp_sockets_need_the_token_in_header_or_first_message(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        async with there.open("/mcp?profile=x", there.bearer()) as socket:
            await socket.send_message("hi")
            assert await socket.get_message() == "mcp: 'hi'"
        assert there.seen == ["/mcp?profile=x"]
        async with there.open("/mcp") as socket:
            await socket.send_message(json.dumps({"type": "authenticate", "token": there.token}))
            assert json.loads(await socket.get_message()) == {"type": "authenticated"}
            await socket.send_message("hi")
            assert await socket.get_message() == "mcp: 'hi'"
        for first in ('{"jsonrpc":"2.0","method":"initialize","id":1}', '{"type":"authenticate","token":"wrong"}', "{"):
            async with there.open("/mcp") as socket:
                await socket.send_message(first)
                with pytest.raises(ConnectionClosed) as closed:
                    await socket.get_message()
                assert closed.value.reason is not None
                assert closed.value.reason.code == 1008
        assert len(there.seen) == 2


@pytest.mark.parametrize("caller", ["extension", "client"])
async def test_a_message_without_proof_is_not_taken_into_memory_however_long(tmp_path: Path, caller: str) -> None:
    """Data that the hub does not read stays in the system's buffers, which are far smaller."""
    announced, sent = 48 * 2**20, 0
    async with served(tmp_path, limits=Limits(proof_ms=500)) as there:
        lines = [f"GET {'/' if caller == 'extension' else '/mcp'} HTTP/1.1", f"Host: 127.0.0.1:{there.port}"]
        lines += [f"Origin: {EXTENSION_ORIGIN}"] if caller == "extension" else []
        lines += ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
        lines += [f"Sec-WebSocket-Key: {'A' * 22}==", "", ""]
        async with await trio.open_tcp_stream("127.0.0.1", there.port) as stream:
            await stream.send_all("\r\n".join(lines).encode())
            assert b" 101 " in await stream.receive_some(65_536)
            with trio.fail_after(60), suppress(trio.BrokenResourceError):
                await stream.send_all(b"\x81\xff" + announced.to_bytes(8, "big") + bytes(4))  # masked text
                while sent < announced:
                    await stream.send_all(bytes(2**16))
                    sent += 2**16
    assert sent < announced // 2


async def test_the_consoles_ticket_is_good_once_and_gives_a_session_token(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        own = [(b"Origin", f"http://127.0.0.1:{there.port}".encode())]
        ticket = make_ticket(there.secrets.key)
        async with there.open("/mcp", own) as socket:
            await socket.send_message(json.dumps({"type": "authenticate", "ticket": ticket}))
            token = json.loads(await socket.get_message())["token"]
        for message, code in (({"ticket": ticket}, 1008), ({"token": token}, None)):
            async with there.open("/mcp", own) as socket:
                await socket.send_message(json.dumps({"type": "authenticate", **message}))
                if code is None:
                    assert json.loads(await socket.get_message()) == {"type": "authenticated"}
                else:
                    with pytest.raises(ConnectionClosed):
                        await socket.get_message()


async def test_mcp_over_http_needs_the_token(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        assert status(await there.get("/mcp")) == 401
        assert status(await there.get("/mcp", "Authorization: Bearer wrong")) == 401
        answer = await there.get("/mcp", f"Authorization: Bearer {there.token}")
        assert status(answer) == 200
        assert b'{"mcp":"GET"}' in answer


async def test_without_pairing_everybody_local_gets_in_but_pages_do_not(tmp_path: Path) -> None:
    async with served(tmp_path, no_pairing=True) as there:
        assert status(await there.get("/mcp")) == 200
        async with there.open() as socket:
            assert (await register(socket))["type"] == "registered"
        async with there.open("/mcp") as socket:
            await socket.send_message("hi")
            assert await socket.get_message() == "mcp: 'hi'"
        with pytest.raises(ConnectionRejected):
            async with there.open(headers=[(b"Origin", b"http://evil.example")]):
                pass


# Every door of the port, with everything that somebody can show there: the table decides, and it alone.


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


# Who a request comes from, and which path each caller may use.


PORT = 61822
TABLE = route_table(SimpleNamespace(), SimpleNamespace(serve_websocket=None, serve_http=None))  # type: ignore[arg-type]


def _head(
    target: str = "/", *, method: str = "GET", host: str | None = "127.0.0.1:61822", **headers: str
) -> RequestHead:
    fields = [] if host is None else [(b"host", host.encode("latin-1"))]
    fields += [(name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in headers.items()]
    return RequestHead(method=method, target=target, headers=tuple(fields))


def refusal_of(head: RequestHead, *, upgrade: bool = False) -> Refusal | None:
    """Why this request is not served; None when it is."""
    caller = identify_caller(head, PORT)
    if isinstance(caller, Refusal):
        return caller
    route: Any = TABLE.websocket(head, caller) if upgrade else TABLE.request(head, caller)
    return route if isinstance(route, Refusal) else None


@pytest.mark.parametrize("host", ["127.0.0.1:61822", "localhost:61822", "[::1]:61822", "LocalHost:61822"])
def test_the_hubs_own_hosts_are_served(host: str) -> None:
    assert refusal_of(_head(host=host)) is None


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "evil.example:61822",
        "127.0.0.1",
        "localhost",
        "127.0.0.1:80",
        "127.0.0.1:61823",
        "127.0.0.1.evil.example:61822",
        "localhost.evil.example:61822",
        "127.0.0.1:61822.evil.example",
        "127.0.0.1:61822@evil.example",
        "0.0.0.0:61822",
        "[::]:61822",
        "127.0.0.2:61822",
        "127.0.0.1 :61822",
        "127.0.0.1:061822",
    ],
)
def test_any_other_host_is_refused(host: str | None) -> None:
    refusal = refusal_of(_head(host=host))
    assert refusal is not None
    assert refusal.status == 403


def test_two_hosts_are_refused() -> None:
    double = RequestHead(
        method="GET", target="/", headers=((b"host", b"127.0.0.1:61822"), (b"host", b"127.0.0.1:61822"))
    )
    assert refusal_of(double) is not None


@pytest.mark.parametrize("target", ["/", "/mcp", "/health"])
@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "https://127.0.0.1:61822",
        "http://127.0.0.1:8000",
        "http://127.0.0.1",
        "http://localhost:61822.evil.example",
        "http://evil.example:61822",
        "null",
        "",
        "file://",
        "chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        f"{EXTENSION_ORIGIN}.evil.example",
        f"{EXTENSION_ORIGIN}/",
        f"{EXTENSION_ORIGIN} http://evil.example",
    ],
)
def test_every_foreign_origin_is_refused(target: str, origin: str) -> None:
    refusal = refusal_of(_head(target, origin=origin))
    assert refusal is not None
    assert refusal.status == 403


OWN_PAGES = ("http://127.0.0.1:61822", "http://localhost:61822", "http://[::1]:61822", "HTTP://LOCALHOST:61822")


def test_every_caller_is_identified() -> None:
    assert identify_caller(_head(), PORT) is Caller.PROGRAM
    assert identify_caller(_head(origin=EXTENSION_ORIGIN), PORT) is Caller.EXTENSION
    other = f"chrome-extension://{'ab' * 16}"
    assert isinstance(identify_caller(_head(origin=other), PORT), Refusal)
    assert identify_caller(_head(origin=other), PORT, FurtherCallers(own_ids=("ab" * 16,))) is Caller.EXTENSION
    assert isinstance(identify_caller(_head(origin=other + "x"), PORT, FurtherCallers(own_ids=("ab" * 16,))), Refusal)
    for own in OWN_PAGES:
        assert identify_caller(_head(origin=own), PORT) is Caller.OWN_PAGE
    assert identify_caller(_head(sec_fetch_site="same-origin"), PORT) is Caller.OWN_PAGE
    assert identify_caller(_head(sec_fetch_site="none"), PORT) is Caller.PROGRAM


ORDINARY = {Caller.PROGRAM, Caller.EXTENSION, Caller.OWN_PAGE, Caller.LINK}
"""A caller when the person has admitted no other."""


@pytest.mark.parametrize(
    ("target", "upgrade", "callers"),
    [
        ("/", True, {Caller.PROGRAM, Caller.EXTENSION}),
        ("/mcp", True, {Caller.PROGRAM, Caller.OWN_PAGE}),
        ("/mcp?profile=chrome", False, {Caller.PROGRAM, Caller.OWN_PAGE}),
        ("/", False, ORDINARY),
        ("/health", False, ORDINARY),
        ("/console/app.js", False, ORDINARY),
    ],
)
def test_each_path_is_for_its_callers_only(target: str, upgrade: bool, callers: set[Caller]) -> None:
    link = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}
    signs = {
        Caller.PROGRAM: {},
        Caller.EXTENSION: {"origin": EXTENSION_ORIGIN},
        Caller.OWN_PAGE: {"origin": OWN_PAGES[0]},
        Caller.LINK: link,
    }
    served = {
        caller for caller, headers in signs.items() if refusal_of(_head(target, **headers), upgrade=upgrade) is None
    }
    assert served == callers


@pytest.mark.parametrize(
    ("target", "upgrade"),
    [("/other", False), ("/mcp/x", False), ("/healthy", False), ("/consoles", False), ("/console", True), ("/x", True)],
)
def test_a_path_that_no_route_names_is_not_found(target: str, upgrade: bool) -> None:
    refusal = refusal_of(_head(target), upgrade=upgrade)
    assert refusal is not None
    assert refusal.status == 404


def test_a_foreign_origin_beside_a_good_one_is_refused() -> None:
    fields = (
        (b"host", b"127.0.0.1:61822"),
        (b"origin", EXTENSION_ORIGIN.encode()),
        (b"origin", b"http://evil.example"),
    )
    assert refusal_of(RequestHead(method="GET", target="/", headers=fields)) is not None


@pytest.mark.parametrize("site", ["cross-site", "same-site", "something-new"])
def test_a_request_without_origin_that_another_page_caused_is_refused(site: str) -> None:
    assert (
        refusal_of(_head("/health", sec_fetch_site=site, sec_fetch_mode="no-cors", sec_fetch_dest="image")) is not None
    )
    assert refusal_of(_head("/mcp", method="POST", sec_fetch_site=site)) is not None
    assert (
        refusal_of(_head("/mcp", sec_fetch_site=site, sec_fetch_mode="navigate", sec_fetch_dest="document")) is not None
    )
    frame = _head("/console/", sec_fetch_site=site, sec_fetch_mode="navigate", sec_fetch_dest="iframe")
    assert refusal_of(frame) is not None


def test_a_person_may_follow_a_link_to_the_console() -> None:
    link = _head("/console/", sec_fetch_site="cross-site", sec_fetch_mode="navigate", sec_fetch_dest="document")
    assert refusal_of(link) is None
    assert refusal_of(_head("/console/", sec_fetch_site="none", sec_fetch_mode="navigate")) is None


@pytest.mark.parametrize("target", ["http://127.0.0.1:61822/", "*", "mcp"])
def test_a_target_that_is_no_path_is_refused(target: str) -> None:
    assert refusal_of(_head(target)) is not None


def test_only_an_origin_that_was_named_is_let_in() -> None:
    further = FurtherCallers(origins=frozenset({"https://tabs.example"}))
    assert identify_caller(_head(origin="https://tabs.example"), PORT, further) is Caller.NAMED_ORIGIN
    for other in ("https://tabs.example:8443", "http://tabs.example", "https://evil.example"):
        assert isinstance(identify_caller(_head(origin=other), PORT, further), Refusal)


def test_other_extensions_are_let_in_for_a_relay_only() -> None:
    origin = "chrome-extension://" + "a" * 32
    assert isinstance(identify_caller(_head(origin=origin), PORT), Refusal)
    relay = FurtherCallers(extensions=True)
    assert identify_caller(_head(origin=origin), PORT, relay) is Caller.OTHER_EXTENSION
    assert isinstance(identify_caller(_head(origin="https://evil.example"), PORT, relay), Refusal)


# What only a program of the person's own may ask of the hub: the client token is not enough.


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
