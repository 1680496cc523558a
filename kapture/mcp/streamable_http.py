"""MCP over Streamable HTTP: an ASGI application for `/mcp`.

A handshake client (2025) gets a session of its own, created by `initialize` and ended by DELETE, after half an hour
without a request, or when others need its place, and may resume its streams. A 2026-07-28 client has no session: each
request stands alone, and requests that name the same client share that client's state.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial

import attrs
import trio
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from kapture.errors import KaptureError
from kapture.hub import ClientKind, Hub
from kapture.hub.client import session_of
from kapture.mcp.event_store import BoundedEventStore
from kapture.mcp.http_body import initializing_client, judged, read_body, too_long
from kapture.mcp.options import Options, parse_options
from kapture.mcp.session import SESSION_HEADER, Session, open_session

logger = logging.getLogger(__name__)

MAX_SESSIONS = 128
MAX_OF_CLIENT = 32
"""Sessions of clients with one name."""
_SESSION_HEADER = MCP_SESSION_ID_HEADER.lower().encode()
IDLE_MS = 30 * 60 * 1_000
MAX_BODY_BYTES = 64 * 1024 * 1024
_PASSED_ON_S = 1
_ENDED_BY_SDK_S = 1


@attrs.define(eq=False)
class _HttpSession:
    """One running session: its SDK manager, its client's name, the requests that it is serving, the ids of those that
    have one, the POSTs without one, when the last request ended, and whether it has ended itself."""

    manager: StreamableHTTPSessionManager
    scope: trio.CancelScope
    client: str = ""
    serving: set[trio.CancelScope] = attrs.field(factory=set)
    ids: set[str] = attrs.field(factory=set)
    messages: set[trio.Event] = attrs.field(factory=set)
    idle_since: float = attrs.field(factory=trio.current_time)
    ended: bool = False


class StreamableHttp:
    """The ASGI application. `run` runs its tasks; outside of that block it answers 503.

    The listener checks Host, Origin and Authorization first. Host and Origin are checked again here, because a mistake
    there would expose every tab to every web page.
    """

    def __init__(self, hub: Hub, *, port: int, idle_ms: float = IDLE_MS, max_sessions: int = MAX_SESSIONS) -> None:
        self._hub = hub
        self._idle_s = idle_ms / 1000
        self._max_sessions = max_sessions
        self._port = port
        self._nursery: trio.Nursery | None = None
        self._sessions: dict[str, _HttpSession] = {}
        self._opening = 0
        self._shared: dict[Options, _HttpSession] = {}
        self._sharing = trio.Lock()

    @asynccontextmanager
    async def run(self) -> AsyncIterator[StreamableHttp]:
        """Run sessions inside this block; all of them end with it."""
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            nursery.start_soon(self._expire)
            try:
                yield self
            finally:
                self._nursery = None
                nursery.cancel_scope.cancel()
                self._sessions.clear()
                self._shared.clear()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if self._nursery is None:
            await _problem(503, "The hub is stopping.")(scope, receive, send)
            return
        try:
            options = parse_options(scope.get("query_string", b"").decode("ascii", "replace"))
            if (proof := Headers(scope=scope).get(SESSION_HEADER)) is not None:
                session_of(proof)
        except KaptureError as error:
            await _problem(400, str(error))(scope, receive, send)
            return
        headers = Headers(scope=scope)
        request_id: str | None = None
        client: str | None = None
        if scope["method"] == "POST" and not too_long(headers.get("content-length", ""), MAX_BODY_BYTES):
            body, receive = await read_body(receive, MAX_BODY_BYTES)
            request_id, problem = judged(body)
            if problem is not None:
                await _problem(400, problem)(scope, receive, send)
                return
            client = initializing_client(body)
            del body
        version = headers.get(MCP_PROTOCOL_VERSION_HEADER)
        session_id = headers.get(MCP_SESSION_ID_HEADER)
        if version is not None and version not in HANDSHAKE_PROTOCOL_VERSIONS:
            session = await self._shared_session(options)
            await self._serve(session, scope, receive, _Status(send))
        elif session_id is None or client is not None:
            # A client that begins anew, as after a restart of the hub, may still send the id of its last session.
            fields = [(name, value) for name, value in scope["headers"] if name.lower() != _SESSION_HEADER]
            await self._serve_opening(options, client or "", {**scope, "headers": fields}, receive, send)
        elif session_id in self._sessions:
            await self._serve_known(session_id, request_id, scope, receive, send)
        else:
            await _problem(404, "There is no such session (any more): send `initialize` to start a new session.")(
                scope, receive, send
            )

    async def _serve(self, session: _HttpSession, scope: Scope, receive: Receive, status: _Status) -> None:
        with trio.CancelScope() as serving:
            session.serving.add(serving)
            try:
                await session.manager.handle_request(scope, receive, status)
            finally:
                session.serving.remove(serving)
                session.idle_since = trio.current_time()
        if serving.cancelled_caught and status.code is None:
            await _problem(500, "The session ended because of a bug in Kapture; see hub.log.")(scope, receive, status)

    async def _serve_known(
        self, session_id: str, request_id: str | None, scope: Scope, receive: Receive, send: Send
    ) -> None:
        session = self._sessions[session_id]
        if request_id in session.ids:  # the SDK would give both answers to the second, and leave the first open
            await _problem(400, "A request with this id is still being served.")(scope, receive, send)
            return
        if scope["method"] == "DELETE":  # the SDK fails on a message that it has accepted and not passed on by then
            with trio.move_on_after(_PASSED_ON_S):
                while session.messages:
                    await next(iter(session.messages)).wait()
        status = _Status(send)
        ids = set() if request_id is None else {request_id}
        passed_on = trio.Event()
        messages = {passed_on} if request_id is None and scope["method"] == "POST" else set()
        session.ids |= ids
        session.messages |= messages
        try:
            await self._serve(session, scope, receive, status)
        finally:
            session.ids -= ids
            session.messages -= messages
            passed_on.set()
        if scope["method"] == "DELETE" and status.code is not None and status.code < 400:
            self._end(session_id)

    async def _serve_opening(self, options: Options, client: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request without a session; only a successful `initialize` creates one that stays."""
        if self._opening >= self._max_sessions:
            await _problem(503, "Too many sessions are being opened.")(scope, receive, send)
            return
        self._opening += 1
        status = _Status(send)
        session = None
        try:
            assert self._nursery is not None  # noqa: S101  __call__ looked
            session = await self._nursery.start(self._host, options, "http", BoundedEventStore())
            session.client = client
            status.on_session = partial(self._remember, session)
            await self._serve(session, scope, receive, status)
        finally:
            self._opening -= 1
            if session is not None and status.session_id is None:
                session.scope.cancel()

    def _remember(self, session: _HttpSession, session_id: str) -> None:
        if not session.ended:  # by a bug, before it has answered `initialize`
            self._make_room(session.client)
            self._sessions[session_id] = session

    def _make_room(self, client: str) -> None:
        """End a session of a client that has as many as it may have; of the one with the most, if there is no room for
        others."""
        counts = Counter(session.client for session in self._sessions.values())
        if counts[client] >= min(MAX_OF_CLIENT, self._max_sessions):
            among = {client}
        elif len(self._sessions) >= self._max_sessions:
            among = {name for name, count in counts.items() if count == max(counts.values())}
        else:
            return
        _give_up([session for session in self._sessions.values() if session.client in among])

    async def _shared_session(self, options: Options) -> _HttpSession:
        """The session that serves all 2026-07-28 clients with these options."""
        async with self._sharing:
            if options not in self._shared:
                assert self._nursery is not None  # noqa: S101  __call__ looked
                if len(self._shared) >= self._max_sessions:
                    _give_up(list(self._shared.values()))
                session: _HttpSession = await self._nursery.start(self._host, options, "http", None)
                if session.ended:  # by a bug
                    return session
                self._shared[options] = session
            return self._shared[options]

    async def _host(
        self,
        options: Options,
        kind: ClientKind,
        events: BoundedEventStore | None,
        *,
        task_status: trio.TaskStatus[_HttpSession] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Run one session until its scope is cancelled."""
        hosted: _HttpSession | None = None
        try:
            with trio.CancelScope() as scope:
                async with open_session(self._hub, options, kind, shared=events is None) as session:
                    manager = self._manager(session, events)
                    async with manager.run():
                        hosted = _HttpSession(manager, scope)
                        task_status.started(hosted)
                        await trio.sleep_forever()
        except Exception:
            if hosted is None:
                raise  # the request that asked for the session fails
            # A bug in one session must not end the others, nor the hub.
            logger.exception("An HTTP session ended because of a bug in Kapture.")
            for serving in hosted.serving:  # the SDK ends some of these requests, and leaves others open for ever
                serving.deadline = trio.current_time() + _ENDED_BY_SDK_S
        finally:
            self._forget(hosted)

    def _forget(self, ended: _HttpSession | None) -> None:
        """Remove a session that has ended: requests to it get 404, and the next 2026-07-28 client a new one."""
        if ended is not None:
            ended.ended = True
        self._sessions = {key: session for key, session in self._sessions.items() if session is not ended}
        self._shared = {options: session for options, session in self._shared.items() if session is not ended}

    def _manager(self, session: Session, events: BoundedEventStore | None) -> StreamableHTTPSessionManager:
        hosts = [f"{name}:{self._port}" for name in ("127.0.0.1", "localhost", "[::1]")]
        return StreamableHTTPSessionManager(
            app=session.server,
            event_store=events,
            security_settings=TransportSecuritySettings(
                allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts]
            ),
            session_idle_timeout=None,
            max_sessions=1,
            max_request_body_size=MAX_BODY_BYTES,
        )

    def _end(self, session_id: str) -> None:
        session = self._sessions.pop(session_id, None)
        if session is not None:
            session.scope.cancel()

    async def _expire(self) -> None:
        """End sessions that have been idle for too long."""
        while True:
            now = trio.current_time()
            for session_id, session in list(self._sessions.items()):
                if not session.serving and now - session.idle_since >= self._idle_s:
                    self._end(session_id)
            for options, session in list(self._shared.items()):
                if not session.serving and now - session.idle_since >= self._idle_s:
                    del self._shared[options]
                    session.scope.cancel()
            await trio.sleep(self._idle_s / 30)


class _Status:
    """An ASGI `send` that records the response's status and the session that it opened."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.code: int | None = None
        self.session_id: str | None = None
        self.on_session: Callable[[str], None] = lambda _: None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.code = message["status"]
            session_id = Headers(raw=list(message.get("headers", ()))).get(MCP_SESSION_ID_HEADER)
            if session_id is not None and message["status"] < 400:
                self.session_id = session_id
                self.on_session(session_id)
        await self._send(message)


def _give_up(sessions: Sequence[_HttpSession]) -> None:
    """End the longest idle of these; one with a running call only if all have one, whatever streams are open."""
    ending = min(sessions, key=lambda session: (bool(session.ids), session.idle_since))
    for serving in ending.serving:  # the SDK leaves some of these requests open for ever
        serving.deadline = trio.current_time() + _ENDED_BY_SDK_S
    ending.scope.cancel()


def _problem(status: int, message: str) -> JSONResponse:
    """A JSON-RPC error without a request id, like the transport's own."""
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": message}}, status)
