"""Shares: what the person lets another machine, or a container, do with the hub, and the ports through which it comes.

A share is opened by a program of the person's (`/share`) and lasts as long as that program's socket. It has a port of
its own on the loopback addresses, to which the program has OpenSSH forward a socket of the other machine, or which
containers and virtual machines reach by their host's loopback; or a Unix socket in a folder that a container mounts.
Clients name the port as 127.0.0.1 in `Host`, however they reach it: no other name is accepted, by which web pages could
come. Nothing but `/mcp` is served there, and only to holders of the share's own token. Its clients' names end with the
share's name, by which the policy finds its caps: they take away from the tabs' grants, as the policy file does, and can
give nothing. The level is never `full`.

Limits: no raw CDP, no Console, no scenarios, no tab of its own. Of this machine's files a share has those of a folder
of its own; others are carried (`kapture.hub.carried_files`).
"""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import attrs
import msgspec
import trio
from trio_websocket import WebSocketConnection

from kapture import __version__
from kapture.commands.core.registry import all_commands
from kapture.data_folder import SHARES
from kapture.endpoints.proven_socket import send, serve_program
from kapture.errors import ErrorCode, KaptureError
from kapture.hub import Hub
from kapture.hub.carried_files import carried_uploads
from kapture.hub.shares import OpenShare
from kapture.mcp.endpoint import McpEndpoint
from kapture.pairing import key_file
from kapture.pairing.access import Door, Who
from kapture.pairing.proof import HubProof, answer_client, fresh, same
from kapture.policy.policy import FROM_SHARE, ShareCaps
from kapture.policy.policy_file import Pattern, PatternError, Section
from kapture.private_files import private_folder
from kapture.server.listener import Listener, open_port, port_of
from kapture.server.routes import RouteTable, ServeWebSocket, Upgrade, WebSocketRoute
from kapture.wire import share as wire

SOCKET = "hub.sock"
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
_LONGEST_SOCKET = 100
"""Bytes of a Unix socket's path: systems take 103 or 107 (sockaddr_un.sun_path)."""
_KEPT = ("status",)
"""What tells of this machine, beside the scenarios."""
_DECODER: msgspec.json.Decoder[wire.FromProgram] = msgspec.json.Decoder(wire.FromProgram)


@attrs.frozen
class ShareSecrets:
    """The secrets of one share, which are worth nothing anywhere else."""

    key: str = attrs.field(factory=fresh, repr=False)
    token: str = attrs.field(factory=fresh, repr=False)

    def holder(self, token: str | None) -> Who | None:
        """Who has this token."""
        return Who.REMOTE if same(self.token, token) else None

    def client_proof(self, nonce: str) -> str:
        """The proof with which the hub identifies itself to the share's clients."""
        return answer_client(self.key, nonce)

    def tab_proof(self) -> HubProof:
        """Refuse: no tab comes this way."""
        raise _no_proof()

    def spend_ticket(self, label: str, ticket: str) -> None:
        """Refuse: nobody acts for the person this way."""
        raise _no_proof()

    def open_session(self) -> str:
        """Refuse, as above."""
        raise _no_proof()


def _no_proof() -> KaptureError:
    return KaptureError(ErrorCode.UNAUTHORIZED, "A share takes its own token, and nothing else.")


MakeListener = Callable[..., Listener]


class Shares:
    """The shares of one hub. `make_listener` makes the listener of a port."""

    def __init__(self, hub: Hub, mcp: McpEndpoint, make_listener: MakeListener) -> None:
        self._hub = hub
        self._mcp = mcp
        self._make_listener = make_listener
        self._replaceable: dict[str, tuple[Callable[[], None], trio.Event]] = {}
        """How to end a share that is opened again when its connection is lost, which may be long before that is known
        here; and its end."""

    async def serve(self, upgrade: Upgrade) -> None:
        """Serve one program of the person's until it closes its socket."""
        await serve_program(upgrade.request, self._hub, _DECODER, self._fulfil)

    async def _fulfil(self, socket: WebSocketConnection, wanted: wire.FromProgram) -> None:
        if isinstance(wanted, wire.End):
            self._hub.state.shares.end(wanted.name)
            await send(socket, wire.Ended())
            return
        with trio.CancelScope() as scope:
            async with self._opened(wanted, scope.cancel) as shared:
                await send(socket, shared)
                while True:
                    await socket.get_message()
        raise KaptureError(
            ErrorCode.CANCELLED, "The person has ended this share.", hint="Run the command again to share anew."
        )

    @asynccontextmanager
    async def _opened(self, wanted: wire.Share, end: Callable[[], None]) -> AsyncIterator[wire.Shared]:
        policy, caps = self._hub.state.consent.policy, caps_of(wanted)
        records = self._hub.state.records
        record = partial(records.shared, wanted.name, level=wanted.level, sites=wanted.sites, clients=wanted.clients)
        while wanted.again and (before := self._replaceable.get(wanted.name)) is not None:
            before[0]()
            await before[1].wait()
        if wanted.name in policy.shares:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                f"There is a share {wanted.name!r} already.",
                hint=f"End it with `kapture share end {wanted.name}`, or choose another name.",
            )
        secrets = ShareSecrets()
        policy.shares[wanted.name] = caps
        gone = trio.Event()
        if wanted.again:
            self._replaceable[wanted.name] = end, gone
        rules = policy.files(f"{FROM_SHARE}{wanted.name}")
        try:
            async with (
                _listeners(self._hub.state.settings.home, wanted) as (listeners, folder),
                trio.open_nursery() as nursery,
            ):
                port = self._hub.state.settings.port if wanted.folder else port_of(listeners)
                shared = wire.Shared(port, str(folder or ""), secrets.key, secrets.token, __version__)
                if folder is not None:
                    key_file.write(folder, key_file.of_share(shared, socket=SOCKET))
                table = RouteTable(websockets=[WebSocketRoute(Door.MCP, self._serving(wanted.name, secrets))], http=[])
                listener = self._make_listener(self._hub, table, port=port, secrets=secrets)
                nursery.start_soon(listener.serve, listeners)
                with (
                    self._hub.state.shares.opened(OpenShare(name=wanted.name, caps=caps, end=end)),
                    carried_uploads(rules) as self._hub.state.carried[wanted.name],
                ):
                    record(ended=False)
                    yield shared
                nursery.cancel_scope.cancel()
        finally:
            del policy.shares[wanted.name]
            self._replaceable.pop(wanted.name, None)
            gone.set()
            self._hub.state.carried.pop(wanted.name, None)
            record(ended=True)

    def _serving(self, name: str, secrets: ShareSecrets) -> ServeWebSocket:
        async def serve(upgrade: Upgrade) -> None:
            await self._mcp.serve_websocket(upgrade.request, prove=secrets.client_proof, share=name)

        return serve


@asynccontextmanager
async def _listeners(home: Path, wanted: wire.Share) -> AsyncIterator[tuple[list[trio.SocketListener], Path | None]]:
    """The listeners of a share, and the folder of its Unix socket, whose files go with the block."""
    if not wanted.folder:
        try:
            listeners = await open_port(wanted.port)
        except OSError as error:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                f"The share's port {wanted.port} cannot be used: {error.strerror or error}.",
                hint="Choose another with --port, or leave it out.",
            ) from error
        try:
            yield listeners, None
        finally:
            for listener in listeners:
                await listener.aclose()
        return
    folder = private_folder(private_folder(home / SHARES) / wanted.name)
    path = folder / SOCKET
    if len(bytes(path)) > _LONGEST_SOCKET or not hasattr(trio.socket, "AF_UNIX"):
        raise KaptureError(
            ErrorCode.UNSUPPORTED,
            f"A Unix socket cannot be made at {path}.",
            hint="Set KAPTURE_HOME to a shorter path for the hub, or share over SSH.",
        )
    path.unlink(missing_ok=True)  # of a hub that was killed
    socket = trio.socket.socket(trio.socket.AF_UNIX)
    try:
        mode = os.umask(0o177)  # not changed afterwards, when a container may have put another file there
        try:
            await socket.bind(str(path))
        finally:
            os.umask(mode)
        socket.listen()
        yield [trio.SocketListener(socket)], folder
    finally:
        socket.close()
        path.unlink(missing_ok=True)
        (folder / key_file.FILE_NAME).unlink(missing_ok=True)


def caps_of(wanted: wire.Share) -> ShareCaps:
    """What the clients of this share may do; `INVALID_PARAMS` for a name or a site that is none."""
    if _NAME.fullmatch(wanted.name) is None:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"{wanted.name!r} cannot be the name of a share.",
            hint="Use up to 40 lower-case letters, digits, dots, dashes and underscores.",
        )
    for site in wanted.sites or ():
        try:
            Pattern.compile(site)
        except PatternError as error:
            raise KaptureError(ErrorCode.INVALID_PARAMS, f"{site!r} names no site: {error}.") from error
    denied = tuple(
        command.name for command in all_commands() if command.toolset == "scenarios" or command.name in _KEPT
    )
    files = any(site.startswith("file:") for site in wanted.sites or ())
    section = Section(
        level=wanted.level,
        allow=wanted.sites,
        deny=() if files else ("file:///*",),  # this machine's, unless the person names them
        evaluate=False,
        cdp=False,
        commands_denied=denied,
    )
    return ShareCaps(section=section, clients=wanted.clients)
