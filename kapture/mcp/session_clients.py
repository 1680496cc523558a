"""The clients of one MCP session, as registered with the hub, and the current tab of each."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Protocol

import trio

from kapture.hub import Client, ClientKind, Elicit, Hub
from kapture.hub.carried_files import FileCarrier
from kapture.mcp.page_tools import DynamicTools

_MAX_CLIENTS = 64
IDLE_S = 30 * 60


class ClientInfo(Protocol):
    """MCP's `Implementation`: how a client describes itself."""

    @property
    def name(self) -> str:
        """The client's name."""

    @property
    def version(self) -> str:
        """The client's version."""

    @property
    def title(self) -> str | None:
        """The client's name for people."""


class SessionClient:
    """One client: its registration with the hub, its current tab, and how many of its requests are being served."""

    def __init__(
        self,
        hub: Hub,
        kind: ClientKind,
        info: ClientInfo | None,
        name: str,
        browser: str,
        proof: str | None,
        share: str,
        carrier: FileCarrier | None,
    ) -> None:
        self._stack = ExitStack()
        self.client: Client = self._stack.enter_context(
            hub.client(
                name=info.name[:200] if info else "unnamed",
                version=info.version[:100] if info else "",
                title=(info.title or "")[:200] if info else "",
                kind=kind,
                session_name=name,
                browser=browser,
                proof=proof,
                share=share,
                carrier=carrier,
            )
        )
        self.page_tools = DynamicTools(hub)
        """The tools of pages that may be shown to it; asked on its behalf."""
        self.current_tab: str | None = None
        self.picked = False
        """Whether the client has chosen its current tab itself."""
        self.serving = 0
        self.last_request = trio.current_time()

    def pick(self, tab_id: str | None) -> None:
        """Set the tab that the client has chosen; None: it has none."""
        self.current_tab, self.picked = tab_id, tab_id is not None

    def leave(self) -> None:
        """Unregister the client, which drops everything that belongs to it."""
        self._stack.close()


class SessionClients:
    """The clients of one session: one, or (`shared`) one for each name, version and proof of session in its requests.
    `name`: of their sessions, for people; `browser`: the one that they see. `proof`: of the one client's session.

    Clients of a shared session have no connection that ends. They are dropped after half an hour without requests, and
    the longest idle ones when there are too many.
    """

    def __init__(
        self,
        hub: Hub,
        kind: ClientKind,
        *,
        name: str = "",
        browser: str = "",
        proof: str | None = None,
        shared: bool = False,
        share: str = "",
        carrier: FileCarrier | None = None,
    ) -> None:
        self._hub = hub
        self._kind = kind
        self._name = name
        self._browser = browser
        self._proof = proof
        self._shared = shared
        self._share = share
        self._carrier = carrier
        self._clients: OrderedDict[tuple[str, str, str | None], SessionClient] = OrderedDict()

    def get(self, info: ClientInfo | None, proof: str | None = None) -> SessionClient:
        """The client with this description, registered with the hub on first use. `proof`: in its request."""
        proof = self._proof or proof
        key = (info.name, info.version, proof) if self._shared and info else ("", "", None)
        client = self._clients.get(key)
        if client is None:
            self._forget_idle(keep=_MAX_CLIENTS - 1)
            client = self._clients[key] = SessionClient(
                self._hub, self._kind, info, self._name, self._browser, proof, self._share, self._carrier
            )
        self._clients.move_to_end(key)
        return client

    @contextmanager
    def serving(
        self, info: ClientInfo | None, elicit: Elicit | None, proof: str | None = None
    ) -> Iterator[SessionClient]:
        """The client of a request, which is kept for the duration of the block. `elicit` asks its person."""
        client = self.get(info, proof)
        client.client.elicit = elicit if not self._share else None  # its person is not the one at this browser
        client.serving += 1
        try:
            yield client
        finally:
            client.serving -= 1
            client.last_request = trio.current_time()

    async def forget_when_idle(self) -> None:
        """Drop the clients that have been idle for too long, until cancelled."""
        while True:
            await trio.sleep(IDLE_S / 10)
            self._forget_idle(keep=_MAX_CLIENTS)

    def close(self) -> None:
        """Unregister all clients."""
        while self._clients:
            self._clients.popitem()[1].leave()

    def _forget_idle(self, *, keep: int) -> None:
        now = trio.current_time()
        for key, client in list(self._clients.items()):
            if not self._shared or client.serving:
                continue
            if len(self._clients) > keep or now - client.last_request > IDLE_S:
                del self._clients[key]
                client.leave()
