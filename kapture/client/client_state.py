"""The state of a client that must survive a restart of the hub: pending requests, and settings for the new hub.

No I/O here. The bridge passes every message through `from_client` or `from_hub`; when the connection to the hub is lost
it sends the client what `hub_lost` returns, and a new hub what `handshake` and `replay` return.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET

from kapture.changed import Changed
from kapture.client.json_rpc import HUB_UNREACHABLE, Id, encode, error_answer, read_head, read_subject
from kapture.errors import KaptureError, NoBackend

_MAX_REPLAYED = 256
_MAX_LOST_HANDSHAKES = 3  # before the client gets an error


class ClientState:
    """The state of one MCP client of the bridge."""

    def __init__(self) -> None:
        self.answered = Changed()
        """Notified when a request has been answered or cancelled."""
        self.handshake: bytes | None = None
        """The client's `initialize` request."""
        self._initialized: bytes | None = None
        self._lost_handshakes = 0
        self._settings: dict[str, bytes] = {}  # the log level and subscriptions, as the client sent them
        self._in_flight: dict[Id, str] = {}  # pending requests of the client, with their methods
        self._asked: set[Id] = set()  # pending requests of the hub
        self._stale: set[Id] = set()  # requests of hubs that are gone: their answers are dropped
        self._replayed: set[Id] = set()  # requests repeated to a new hub: the client has the answers already

    @property
    def waiting(self) -> tuple[Id, ...]:
        """The client's pending requests."""
        return tuple(self._in_flight)

    # Messages in transit

    def from_client(self, line: bytes) -> bool:
        """Note a message of the client; returns whether it may be sent to the hub."""
        head = read_head(line)
        if head.method is UNSET:
            if head.answer_id is None:
                return True
            if head.answer_id in self._stale:
                self._stale.discard(head.answer_id)
                return False
            self._asked.discard(head.answer_id)
        elif head.request_id is not None:
            self._in_flight[head.request_id] = head.method
            self._note_setting(head.method, line)
        elif head.method == "notifications/initialized":
            self._initialized = line
        elif head.method == "notifications/cancelled":
            self._settle(read_subject(line).requestId)
        return True

    def from_hub(self, message: bytes) -> bool:
        """Note a message of the hub; returns whether it is for the client."""
        head = read_head(message)
        if head.answer_id is not None:
            if head.answer_id in self._replayed:
                self._replayed.discard(head.answer_id)
                return False
            self._settle(head.answer_id)
        elif head.request_id is not None:
            self._asked.add(head.request_id)
        return True

    def _note_setting(self, method: str, line: bytes) -> None:
        if method == "initialize":
            self.handshake, self._initialized, self._lost_handshakes = line, None, 0
            self._settings.clear()
        elif method == "logging/setLevel":
            self._settings[method] = line
        elif method in ("resources/subscribe", "resources/unsubscribe"):
            uri = read_subject(line).uri
            if not isinstance(uri, str):
                return
            self._settings.pop(uri, None)
            if method == "resources/subscribe" and len(self._settings) < _MAX_REPLAYED:
                self._settings[uri] = line

    def _settle(self, request: object) -> None:
        if isinstance(request, Id):
            self._in_flight.pop(request, None)
        self.answered.notify()

    # Another hub

    @property
    def handshake_waits(self) -> bool:
        """Whether the client's `initialize` is pending: the new hub's answer is for the client."""
        return self.handshake is not None and read_head(self.handshake).id in self._in_flight

    def answers_handshake(self, message: bytes) -> bool:
        """Whether a message of the new hub answers the repeated `initialize`."""
        return self.handshake is not None and read_head(message).answer_id == read_head(self.handshake).id

    def replay(self) -> Iterator[bytes]:
        """The client's settings for the new hub; none before the client has completed its handshake."""
        if self._initialized is None:
            return
        yield self._initialized
        for line in self._settings.values():
            if (request := read_head(line).request_id) is not None:
                self._replayed.add(request)
            yield line

    def changes(self) -> Iterator[bytes]:
        """Notifications for the client that everything listed by the old hub may have changed."""
        if self._initialized is not None:
            for kind in ("tools", "resources"):
                yield encode(method=f"notifications/{kind}/list_changed")

    def hub_lost(self) -> Iterator[bytes]:
        """Messages for the client when the hub is lost: errors for pending requests, cancellations of the hub's own."""
        self._replayed.clear()
        for request, method in list(self._in_flight.items()):
            if method == "initialize" and self._lost_handshakes < _MAX_LOST_HANDSHAKES:
                self._lost_handshakes += 1
                continue
            del self._in_flight[request]
            problem = f"The Kapture hub was restarted during {method}: it may or may not have taken effect."
            if method == "initialize":
                problem = "The Kapture hub closes the connection during the handshake. Run `kapture doctor`."
                self.handshake = None
            yield error_answer(request, HUB_UNREACHABLE, problem)
        for request in self._asked:
            reason = {"requestId": request, "reason": "The Kapture hub was restarted."}
            yield encode(method="notifications/cancelled", params=reason)
        self._stale |= self._asked
        self._asked.clear()

    def refuse(self, request: Id, error: KaptureError) -> bytes:
        """The error answer to a request for which no hub can be reached."""
        self._in_flight.pop(request, None)
        absent = {"state": "no_hub"} if isinstance(error, NoBackend) else {}
        data = {"code": error.code.value, **absent, **error.data}
        return error_answer(request, HUB_UNREACHABLE, str(error), data)
