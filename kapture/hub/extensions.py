"""The extensions of browsers: each keeps a socket of its own beside those of its tabs.

By it the hub knows the browsers, also those without a tab, and can ask their person for a tab, or about one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

import attrs
import trio

from kapture.backends.outbox import Outbox
from kapture.errors import ErrorCode, KaptureError
from kapture.policy import Grant
from kapture.wire import extension_messages, messages
from kapture.wire.codec import Reason, encode, protocol_error

Outcome: TypeAlias = Literal["tab", "deny", "unanswered"]

TAB_REQUEST = "tab_request"
"""The capability of an extension that can ask its person for a tab."""
TAB_CONTROL = "tab_control"
"""The capability to ask for another grant of a connected tab, and to disconnect it."""
STANDING = "standing"
"""The capability to keep standing grants, and to have one revoked."""
TAB_NARROW = "tab_narrow"
"""The capability to take away a part of a connected tab's grant."""

TAB_OWNER = "tab_owner"
"""The capability to show whose a tab is, and to close one that its client has left behind."""


@attrs.frozen(kw_only=True)
class TabAnswer:
    """The answer to a request for a tab. `tab_id` is that of the tab that the person chose; `opened`: a new one."""

    decision: Outcome
    tab_id: str | None = None
    standing: str | None = None
    opened: bool = False


@attrs.define(eq=False)
class _Request:
    sent: extension_messages.TabRequest
    answered: trio.Event = attrs.field(factory=trio.Event)
    answer: TabAnswer | None = None


class Extension:
    """The extension of one browser, for as long as its socket is open."""

    def __init__(
        self, register: extension_messages.RegisterBrowser, kind: str, outbox: Outbox, close: Callable[[], None]
    ) -> None:
        self.browser = register.browser
        self.kind = kind
        self.launched = register.launched
        self.can_request_tab = TAB_REQUEST in register.capabilities
        self.controls_tabs = TAB_CONTROL in register.capabilities
        self.narrows_grants = TAB_NARROW in register.capabilities
        self.keeps_standing = STANDING in register.capabilities
        self.standing: Sequence[extension_messages.StandingGrant] | None = None  # until it has listed them
        self._shows_owners = TAB_OWNER in register.capabilities
        self.connected_at = time.time()
        self.close = close
        self._outbox = outbox
        self._asked = 0
        self._requests: dict[str, _Request] = {}

    @property
    def pending(self) -> Sequence[extension_messages.TabRequest]:
        """Return the open questions to its person."""
        return tuple(request.sent for request in self._requests.values())

    async def request_tab(self, request: extension_messages.TabRequest) -> TabAnswer:
        """Ask the person for a tab, or about one. Sets the request's `id`; cancelling the caller withdraws it.

        `NO_BACKEND` if the extension disconnects meanwhile.
        """
        self._asked += 1
        request.id = f"r{self._asked}"
        waiting = self._requests[request.id] = _Request(request)
        try:
            self._outbox.put(encode(request))
            await waiting.answered.wait()
        finally:
            del self._requests[request.id]
            self._outbox.offer(encode(extension_messages.TabRequestEnd(id=request.id)))
        if waiting.answer is None:
            raise KaptureError(
                ErrorCode.NO_BACKEND,
                "The browser disconnected before its person had answered.",
                hint="Ask again when the browser is running.",
            )
        return waiting.answer

    def tell_clients(self, clients: extension_messages.Clients) -> None:
        """Tell the extension who is there."""
        self._outbox.put(encode(clients))

    def revoke(self, grant_id: str) -> None:
        """Have the extension revoke a standing grant."""
        self._outbox.put(encode(extension_messages.StandingRevoke(id=grant_id)))

    def disconnect_tab(self, tab_id: str) -> None:
        """Have the extension disconnect a tab."""
        self._outbox.put(encode(extension_messages.TabDisconnect(tab_id=tab_id)))

    def close_unused(self, tab_id: str) -> None:
        """Have the extension close a tab that no person has used, if it can."""
        if self._shows_owners:
            self._outbox.offer(encode(extension_messages.TabCloseUnused(tab_id=tab_id)))

    def narrow_grant(self, tab_id: str, left: Grant) -> None:
        """Have the extension take away a part of a tab's grant, if it can."""
        if self.narrows_grants:
            self._outbox.put(encode(extension_messages.TabNarrow(tab_id=tab_id, **left.to_json())))

    def take(self, message: messages.FromTab) -> None:
        """Process a message of the extension; `PROTOCOL_ERROR` for one that only a tab sends."""
        match message:
            case extension_messages.TabRequestAnswer():
                waiting = self._requests.get(message.id)
                if waiting is not None:
                    waiting.answer = TabAnswer(
                        decision=message.decision,
                        tab_id=message.tab_id,
                        standing=message.standing,
                        opened=message.opened,
                    )
                    waiting.answered.set()
            case messages.Ping():
                self._outbox.offer(encode(messages.Pong(ts=message.ts)))
            case messages.Pong():
                return
            case _:
                raise protocol_error(Reason.OUT_OF_ORDER, "This message has no meaning after `browser_registered`.")

    def ended(self) -> None:
        """Fail pending requests, because the socket has ended."""
        for waiting in self._requests.values():
            waiting.answered.set()


class Extensions:
    """The extensions that are connected to one hub, by the secret id of their browser instance."""

    def __init__(self) -> None:
        self._connected: dict[str, Extension] = {}
        self.profiles: dict[str, str] = {}
        """The names that people have given their browser profiles, by the secret id of the browser instance."""
        self.unproven = False
        """Whether the last extension that connected failed to prove that it holds the key."""

    @property
    def connected(self) -> Mapping[str, Extension]:
        """The extensions that are connected now."""
        return self._connected

    def add(self, extension: Extension) -> None:
        """Add an extension that has connected. It replaces an older socket of the same browser instance."""
        instance = extension.browser.instance
        older = self._connected.get(instance)
        self._connected[instance] = extension
        self.profiles[instance] = extension.browser.profile
        if older is not None:
            older.close()

    def remove(self, extension: Extension) -> None:
        """Remove an extension whose socket has ended."""
        if self._connected.get(extension.browser.instance) is extension:
            del self._connected[extension.browser.instance]
        extension.ended()
