"""The page of one tab, which is set up whenever the browser's debugger is attached to the tab."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, TypeAlias

import trio

from kapture.backends.page_life import Action, Event, State, step
from kapture.cdp import CdpConnection, CdpTransport, ChooseEvents
from kapture.changed import Changed
from kapture.errors import Detached, ErrorCode, KaptureError, PolicyDenied, TabDisconnected, leaves

if TYPE_CHECKING:
    from kapture.page import Page

SetUpPage: TypeAlias = "Callable[[CdpConnection], AbstractAsyncContextManager[Page]]"


class AttachedPage:
    """Performs the actions of `page_life`. `fail_pending` is called with an error when pending requests of the page
    cannot be answered any more. `choose_events`: see `CdpConnection`.

    Pages are set up in `serve`, one attempt after the other; a transition is complete when the call that caused it
    returns.
    """

    def __init__(
        self,
        transport: CdpTransport,
        fail_pending: Callable[[KaptureError], None],
        choose_events: ChooseEvents = lambda _: None,
    ) -> None:
        self._transport = transport
        self._choose_events = choose_events
        self._fail_pending = fail_pending
        self.changed_state = Changed()
        """Notified of another state, and of another page."""
        self._attempt = trio.CancelScope()  # around setting up and using a page; cancelled when that page is void
        self.state = State.OPENING
        self.now: Page | None = None
        self.connection: CdpConnection | None = None
        self.reason: KaptureError | None = None

    async def get(self) -> Page:
        """The page; waits while it is being set up. Raises the reason if there is none."""
        while self.now is None:
            if self.reason is not None:
                raise self.reason
            await self.changed_state.wait()
        return self.now

    async def come_back(self) -> None:
        """Return once there is a page, even if it cannot be set up for now."""
        while self.now is None:
            await self.changed_state.wait()

    @property
    def held(self) -> bool:
        """Whether a script holds the debugger's session."""
        return self.state is State.HELD

    def attached(self) -> None:
        """Set the page up again, because the debugger was attached again."""
        error = KaptureError(ErrorCode.DETACHED, "The page is being set up again.", hint="Try again.")
        self._happened(Event.ATTACHED, error)

    def detached(self, error: KaptureError) -> None:
        """Drop the page, because the debugger was detached."""
        self._happened(Event.DETACHED, error)

    async def hold(self) -> None:
        """Drop the page, once it is set up, for a script that gets the debugger's session, until `attached` or
        `detached`.

        Raises the reason if there is no page.
        """
        await self.get()
        self._happened(Event.HELD, KaptureError(ErrorCode.DETACHED, "A script has taken the tab.", hint="Try again."))

    def changed(self) -> None:
        """Note that the tab's address, title or grant has changed: setting up a page may succeed now."""
        self._happened(Event.CHANGED)

    def close(self, error: KaptureError) -> None:
        """End for good, because the socket has ended."""
        self._happened(Event.CLOSED, error)

    async def serve(self, set_up: SetUpPage, on_open: Callable[[], None]) -> None:
        """Keep a page set up for as long as the debugger is attached. `on_open` is called for each page."""
        while True:
            while self.state is not State.OPENING:
                await self.changed_state.wait()
            await self._attempt_once(set_up, on_open)

    async def _attempt_once(self, set_up: SetUpPage, on_open: Callable[[], None]) -> None:
        """Set up one page and use it until it is dropped."""
        attempt = self._attempt = trio.CancelScope()
        connection = self.connection = CdpConnection(self._transport, self._choose_events)
        try:
            with attempt:
                async with set_up(connection) as page:
                    await trio.lowlevel.checkpoint_if_cancelled()  # the attempt may be void already
                    self._happened(Event.OPENED, page=page)
                    on_open()
                    await trio.sleep_forever()
        except* KaptureError as group:
            if not attempt.cancel_called:
                self._happened(Event.BROKE, _not_set_up(group))

    def _happened(self, event: Event, error: KaptureError | None = None, page: Page | None = None) -> None:
        self.state, actions = step(self.state, event)
        for action in actions:
            match action:
                case Action.KEEP_PAGE:
                    self.now = page
                case Action.DROP_PAGE:
                    self.now = self.connection = None
                    self._attempt.cancel()
                    if error is not None:
                        self._fail_pending(error)
                case Action.KEEP_REASON:
                    self.reason = error
                case Action.DROP_REASON:
                    self.reason = None
        self.changed_state.notify()


def _not_set_up(group: BaseExceptionGroup[KaptureError]) -> KaptureError:
    error = leaves(group)[0]
    assert isinstance(error, KaptureError)  # noqa: S101  `except*` chose the group by it
    if isinstance(error, (Detached, TabDisconnected, PolicyDenied)):
        return error
    return KaptureError(
        ErrorCode.DETACHED,
        f"The page could not be set up: {error.message}",
        hint="Reload the tab, or disconnect and connect it again.",
        data=error.data,
    )
