"""The group's server: Redis, or what speaks like it (Valkey), through coredis.

All keys begin `kapture:{GROUP}:`; the braces keep them in one slot of a cluster.

    hubs           sorted set: run → when its lease ends, in ms of the server's clock
    hub:RUN        hash: "" → the hub's facts, tab id → record
    tab:ID         the run of the hub that has the tab
    in:RUN         stream: messages to the hub, field `m`
    chunk:NAME     a part of a large message

Needs Redis 6.2 (`XADD NOMKSTREAM`, `GETDEL`). The messages that a hub has read are removed at the latest when none has
come for a moment.
"""

from __future__ import annotations

import logging
import re
import ssl
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import coredis
import trio
from coredis.connection import (
    BaseConnection,
    Location,
    TCPConnection,
    TCPLocation,
    UnixDomainSocketConnection,
    UnixDomainSocketLocation,
)
from coredis.exceptions import ConnectionError as ConnectionLost
from coredis.exceptions import RedisError
from coredis.pool import ConnectionPool
from coredis.retry import NoRetryPolicy

from kapture.errors import ErrorCode, KaptureError
from kapture.group.engine import CHUNK_S, LEASE_S, MOST_ENTRIES, STREAM_S, EngineAway, Renewal
from kapture.private_files import open_secret_file
from kapture.settings import GroupServer

logging.getLogger("coredis").setLevel(logging.CRITICAL)  # it logs each attempt to connect that fails

_ANSWERS_S = 4.0
_BLOCK_MS = 1_000
_READ_AT_ONCE = 32
_TRIM_BYTES = 2**20
_HUBS_AT_ONCE = 20
_MOST_HUBS = 1_000
_MOST_VALUE_BYTES = 4 * 2**20
"""Of one value that the server sends: chunks and envelopes have at most 1 MiB."""
_MOST_ANSWER_BYTES = 32 * 2**20
"""Of the server's answer to one request, or to those of a pipeline."""
_MOST_LISTED_BYTES = 64 * 2**20
_ENDED = "the connection has ended"
_CONNECTING = re.compile(r"Error connecting to \([^()]{0,300}\): ")
"""What coredis puts before the reason."""
_MALFORMED = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, AssertionError, RecursionError)
_MAX_PASSWORD_BYTES = 4_096

_RENEW = """
local hub, hubs, stream = KEYS[1], KEYS[2], KEYS[3]
local run, facts, lease, kept, tab = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local fresh = 1 - redis.call('EXISTS', hub)
local gone = 7 + 2 * ARGV[6]
for i = 7, gone - 1, 2 do redis.call('HSET', hub, ARGV[i], ARGV[i + 1]) end
for i = gone, #ARGV do
  redis.call('HDEL', hub, ARGV[i])
  if redis.call('GET', tab .. ARGV[i]) == run then redis.call('DEL', tab .. ARGV[i]) end
end
redis.call('HSET', hub, '', facts)
local taken = {}
for _, id in ipairs(redis.call('HKEYS', hub)) do
  if id ~= '' then
    local owner = redis.call('GET', tab .. id)
    if not owner or owner == run then
      redis.call('SET', tab .. id, run, 'PX', lease)
    else
      redis.call('HDEL', hub, id)
      taken[#taken + 1] = id
    end
  end
end
redis.call('PEXPIRE', hub, lease)
redis.call('ZREMRANGEBYSCORE', hubs, '-inf', string.format('%.0f', now))
redis.call('ZADD', hubs, string.format('%.0f', now + lease), run)
local made = 1 - redis.call('EXISTS', stream)
if made == 1 then
  redis.call('XADD', stream, '*', '', '')
  redis.call('XTRIM', stream, 'MAXLEN', 0)
end
redis.call('PEXPIRE', stream, kept)
return {fresh, made, string.format('%.0f', now), taken}
"""

_LEAVE = """
for _, id in ipairs(redis.call('HKEYS', KEYS[1])) do
  if redis.call('GET', ARGV[2] .. id) == ARGV[1] then redis.call('DEL', ARGV[2] .. id) end
end
redis.call('DEL', KEYS[1], KEYS[3])
redis.call('ZREM', KEYS[2], ARGV[1])
"""

_LIVE = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
return redis.call('ZRANGEBYSCORE', KEYS[1], string.format('(%.0f', now), '+inf')
"""


class _Bounded(BaseConnection):
    """A connection that ends when the server sends too much, or what nobody has asked for: coredis keeps all of it."""

    _answer_bytes = 0

    def _data_received(self, data: bytes) -> None:
        answering = self._requests[0] if self._requests else None
        super()._data_received(data)
        same = bool(self._requests) and self._requests[0] is answering
        self._answer_bytes = self._answer_bytes + len(data) if same else 0
        unread = self._parser.bytes_written - self._parser.bytes_read
        if unread > _MOST_VALUE_BYTES or self._answer_bytes > _MOST_ANSWER_BYTES:
            raise ConnectionLost("it answers with too much")
        unasked = (self._push_message_buffer_in, self._streamed_message_buffer_in)
        if answering is None or any(buffer.statistics().current_buffer_used for buffer in unasked):
            raise ConnectionLost("it sends what it was not asked for")


class _BoundedTcp(_Bounded, TCPConnection):
    """Over TCP, or TLS."""


class _BoundedUnix(_Bounded, UnixDomainSocketConnection):
    """Over a Unix socket."""


@contextmanager
def _answering() -> Iterator[None]:
    """Raise `EngineAway` for every failure of the server, also for answers of another form than its commands have."""
    with _away():
        try:
            yield
        except _MALFORMED as error:  # coredis takes the form for granted, as the code below does
            raise RedisError(f"its answer is none: {error}") from None


@contextmanager
def _away() -> Iterator[None]:
    """Raise `EngineAway` for every failure of the server, or on the way to it."""
    try:
        yield
    except (RedisError, TimeoutError, OSError) as error:
        raise EngineAway(_reason(error)) from error
    except BaseExceptionGroup as group:
        failures, others = group.split((RedisError, TimeoutError, OSError))
        if others is not None or failures is None:
            raise
        raise EngineAway(_reason(failures.exceptions[0])) from group


def _reason(error: BaseException) -> str:
    """What has failed in the end, in one line."""
    while error.__cause__ is not None or isinstance(error, BaseExceptionGroup):
        error = error.__cause__ or error.exceptions[0]  # type: ignore[attr-defined]
    if isinstance(error, TimeoutError):
        return "it does not answer"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not accepted: {error.verify_message.rstrip('.')}"
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return _CONNECTING.sub("", " ".join(text.split()))[:200].rstrip(".") or _ENDED


class RedisServer:
    """Connects one hub to the server of a group."""

    def __init__(self, server: GroupServer, group: str, password_file: Path | None, ca_file: Path | None) -> None:
        self.server = server
        self.prefix = f"kapture:{{{group}}}:"
        self.password = _password(password_file)
        self.tls = _tls(ca_file) if server.tls else None
        self.last_read = "0-0"

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[RedisEngine]:
        """Be connected for the length of the block."""
        server = self.server
        location: Location = TCPLocation(server.host, server.port)
        more: dict[str, Any] = {} if self.tls is None else {"ssl_context": self.tls}
        if server.path:
            location = UnixDomainSocketLocation(server.path)
        with _away():
            pool: ConnectionPool[Any] = ConnectionPool(
                connection_class=_BoundedUnix if server.path else _BoundedTcp,
                location=location,
                db=server.db,
                username=server.user,
                password=self.password,
                stream_timeout=_ANSWERS_S,
                connect_timeout=_ANSWERS_S,
                timeout=_ANSWERS_S,
                max_connections=4,
                **more,
            )
            async with (
                coredis.Redis(connection_pool=pool, retry_policy=NoRetryPolicy()) as client,
                pool.acquire() as reader,
            ):
                engine = RedisEngine(client, self, reader)
                try:
                    yield engine
                finally:
                    engine.end()


class RedisEngine:
    """`kapture.group.engine.Engine` over one client of coredis."""

    def __init__(self, client: coredis.Redis[bytes], server: RedisServer, reader: BaseConnection) -> None:
        self._client = client
        self._reader = reader
        self._server = server
        self._prefix = server.prefix
        self._untrimmed = 0
        self._ended = False
        self._requests: set[trio.CancelScope] = set()

    def end(self) -> None:
        """The connection ends, and with it every request: coredis would leave some of them waiting."""
        self._ended = True
        for request in self._requests:
            request.cancel()

    @contextmanager
    def _request(self) -> Iterator[None]:
        """Raise `EngineAway` if what is asked in the block fails, or the connection has ended, or does meanwhile."""
        with trio.CancelScope() as scope:
            self._requests.add(scope)
            try:
                if self._ended:
                    scope.cancel()
                with _answering():
                    yield
                return
            except RuntimeError:  # "Connection pool is not initialized or has exited"
                if not self._ended:
                    raise
            finally:
                self._requests.discard(scope)
        raise EngineAway(_ENDED)

    def _keys(self, run: str) -> list[str]:
        return [f"{self._prefix}hub:{run}", f"{self._prefix}hubs", f"{self._prefix}in:{run}"]

    async def renew(self, run: str, facts: bytes, changed: Mapping[str, bytes], gone: Collection[str]) -> Renewal:
        """See `Engine`."""
        pairs = [part for pair in changed.items() for part in pair]
        lease_ms, kept_ms = round(LEASE_S * 1_000), round(STREAM_S * 1_000)
        fixed: list[str | bytes | int] = [run, facts, lease_ms, kept_ms, f"{self._prefix}tab:", len(changed)]
        with self._request():
            answer: Any = await self._client.eval(_RENEW, self._keys(run), [*fixed, *pairs, *gone])
            fresh, made, now, taken = answer
            if made:
                self._server.last_read = "0-0"
            return Renewal(fresh=bool(fresh), taken=[tab.decode() for tab in taken], now=int(now) / 1_000)

    async def leave(self, run: str) -> None:
        """See `Engine`."""
        with self._request():
            await self._client.eval(_LEAVE, self._keys(run), [run, f"{self._prefix}tab:"])

    async def owner(self, tab_id: str) -> str | None:
        """See `Engine`."""
        with self._request():
            found = await self._client.get(f"{self._prefix}tab:{tab_id}")
            return None if found is None else found.decode("ascii", "replace")

    async def facts(self, run: str) -> bytes | None:
        """See `Engine`."""
        with self._request():
            found = await self._client.hget(f"{self._prefix}hub:{run}", "")
            return None if found is None else _bytes(found)

    async def live(self) -> frozenset[str]:
        """See `Engine`."""
        with self._request():
            found: Any = await self._client.eval(_LIVE, [f"{self._prefix}hubs"])
            return frozenset(run.decode("ascii", "replace") for run in found)

    async def hubs(self, *, tabs: bool) -> Mapping[str, Mapping[str, bytes]]:
        """See `Engine`."""
        runs, found, size = sorted(await self.live())[:_MOST_HUBS], dict[str, Mapping[str, bytes]](), 0
        for start in range(0, len(runs), _HUBS_AT_ONCE):
            some = runs[start : start + _HUBS_AT_ONCE]
            with self._request():
                async with self._client.pipeline(transaction=False) as pipeline:
                    for run in some:
                        if tabs:
                            pipeline.hgetall(f"{self._prefix}hub:{run}")
                        else:
                            pipeline.hmget(f"{self._prefix}hub:{run}", [""])
                assert pipeline.results is not None  # noqa: S101  it has run
                for run, each in zip(some, pipeline.results, strict=True):
                    entries = each.items() if tabs else ((b"", value) for value in each if value is not None)
                    found[run] = {name.decode("utf-8", "replace"): _bytes(value) for name, value in entries}
                    size += sum(map(len, found[run].values()))
            if size > _MOST_LISTED_BYTES:
                raise EngineAway("it lists too much")
        return found

    async def send(self, messages: Sequence[tuple[str, bytes]]) -> Sequence[bool]:
        """See `Engine`."""
        with self._request():
            # Without the layers above the connection: this is what a call costs.
            async with self._client.connection_pool.acquire() as connection:
                sent = [
                    connection.create_request(
                        b"XADD",
                        f"{self._prefix}in:{run}",
                        b"NOMKSTREAM",
                        b"MAXLEN",
                        b"~",
                        MOST_ENTRIES,
                        b"*",
                        b"m",
                        raw,
                    )
                    for run, raw in messages
                ]
            return [await request is not None for request in sent]

    async def receive(self, run: str) -> Sequence[bytes]:
        """See `Engine`."""
        key = f"{self._prefix}in:{run}"
        while True:
            with self._request():
                if self._untrimmed > _TRIM_BYTES:
                    await self._trim(key)
                words = (b"COUNT", _READ_AT_ONCE, b"BLOCK", _BLOCK_MS, b"STREAMS", key, self._server.last_read)
                read: Any = await self._reader.create_request(b"XREAD", *words)
                entries = read[key.encode()] if read else ()
                if entries:
                    self._server.last_read = entries[-1][0].decode()
                raw = [_bytes(fields[1]) for _, fields in entries]
                self._untrimmed += sum(map(len, raw))
                if self._untrimmed and not raw:
                    await self._trim(key)
            if raw:
                return raw

    async def _trim(self, key: str) -> None:
        """Remove what has been read."""
        milliseconds, _, sequence = self._server.last_read.partition("-")
        after: Any = f"{milliseconds}-{int(sequence) + 1}"
        await self._client.xtrim(key, coredis.PureToken.MINID, after, coredis.PureToken.EQUAL)
        self._untrimmed = 0

    async def put(self, chunks: Mapping[str, bytes]) -> None:
        """See `Engine`."""
        with self._request():
            for name, chunk in chunks.items():
                await self._client.set(f"{self._prefix}chunk:{name}", chunk, px=round(CHUNK_S * 1_000))

    async def take(self, names: Sequence[str]) -> Sequence[bytes | None]:
        """See `Engine`."""
        with self._request():
            found = [await self._client.getdel(f"{self._prefix}chunk:{name}") for name in names]
            return [None if part is None else _bytes(part) for part in found]


def _bytes(value: object) -> bytes:
    if not isinstance(value, bytes):
        raise TypeError(f"{type(value).__name__} in place of a string")
    return value


def _password(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        with open_secret_file(path) as file:
            return file.read(_MAX_PASSWORD_BYTES).decode().strip() or None
    except (OSError, UnicodeDecodeError) as error:
        problem = (isinstance(error, OSError) and error.strerror) or "it is no text"
        raise KaptureError(
            ErrorCode.UNAUTHORIZED,
            f"The password of the group's server cannot be read from {path}: {problem}.",
            hint="Name a file with nothing but the password, readable by you alone, by group_password_file.",
        ) from error


def _tls(path: Path | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=path)
    except (OSError, ssl.SSLError) as error:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"The certificates in {path} cannot be used: {error.strerror or error}.",
            hint="Name a PEM file by group_ca_file.",
        ) from error
