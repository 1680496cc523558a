"""Pins: what a person points at in a tab, for the clients that may read it.

Only the extension makes one, on a press of its person: a page has no way to. A client is told of a pin with its next
answer, and has all of them by `pins`. A pin dies with its element, or when it is dismissed.
"""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import attrs
import msgspec
import trio

from kapture.cdp import CdpError
from kapture.commands.core.answer import Blob, CallResult
from kapture.commands.core.context import Pin, Progress
from kapture.commands.core.registry import get_command
from kapture.commands.person import Pins as PinsParams
from kapture.commands.person import pin_line
from kapture.errors import ErrorCode, KaptureError
from kapture.hub.client import Client
from kapture.hub.consent import address_of
from kapture.hub.state import HubState
from kapture.hub.tabs.tab import Tab
from kapture.page import Page
from kapture.page.element import Element, quoted
from kapture.page.remote_objects import backend_node_id, element_of
from kapture.policy.shown import escaped
from kapture.wire import messages

RunCall: TypeAlias = Callable[[Client, str, Mapping[str, Any], Progress | None], Awaitable[CallResult]]

MOST_PINS = 20
"""Of one tab; another one takes the place of the oldest."""
_PICTURE_PX = 800
_LOOKS_S = 2.0


@attrs.define(eq=False, kw_only=True)
class _Kept:
    pin: Pin
    element: Element
    url: str  # of the document that it is in
    told: set[str] = attrs.field(factory=set)  # ids of clients


class Pins:
    """The pins of one hub. `call` runs a command for a client; the hub sets it."""

    def __init__(self, state: HubState, nursery: trio.Nursery) -> None:
        self._state = state
        self.call: RunCall | None = None
        self._nursery = nursery
        self._numbers = itertools.count(1)
        self._kept: dict[str, list[_Kept]] = {}  # by tab
        nursery.start_soon(self._follow_tabs)

    # By the person

    def point(self, tab: Tab, pointed: messages.Point) -> None:
        """Make a pin of what the person points at."""
        self._nursery.start_soon(self._make, tab, pointed)

    async def _make(self, tab: Tab, pointed: messages.Point) -> None:
        client, decision = self._state.clients.panel(tab.tab_id), "withdrawn"
        try:
            with self._state.consent.calling(client), trio.move_on_after(10):
                if tab.scripts is not None:
                    with suppress(KaptureError):  # an idle tab is being attached to again
                        await tab.scripts.ready()
                if (page := _page_of(tab)) is None:
                    return
                element = await _element(page, pointed.node)
                if element is None:
                    return  # it is in a document outside the grant, or gone
                area = None if pointed.area is None else msgspec.to_builtins(pointed.area)
                aim = {"target": {"ref": element.ref}} if area is None else {"region": area}
                picture: Blob | None = None
                with suppress(KaptureError):  # then it is a pin without a picture
                    assert self.call is not None  # noqa: S101  the hub has set it
                    shot = await self.call(
                        client, "screenshot", {"tabId": tab.tab_id, "max_side": _PICTURE_PX, **aim}, None
                    )
                    picture = shot.parts[0]
                number = next(self._numbers)
                name = quoted(element.name, 80) if element.name.strip() else ""
                pin = Pin(
                    pin=number,
                    tab_id=tab.tab_id,
                    ref=element.ref,
                    what=f"{element.role or element.tag} {name}".strip(),
                    note=escaped(pointed.note),
                    area=area is not None,
                    picture=picture,
                )
                self.keep(tab, pin, element, element.frame.policy_url)
                decision = "tab"
        finally:
            url = address_of(tab).url
            self._state.records.tab_requested("pin", client, url=url, decision=decision, tab_id=tab.tab_id)

    def keep(self, tab: Tab, pin: Pin, element: Element, url: str) -> None:
        """Keep a pin of this element, in a document with this URL."""
        kept = self._kept.setdefault(tab.tab_id, [])
        kept.append(_Kept(pin=pin, element=element, url=url))
        del kept[:-MOST_PINS]
        self._changed(tab)

    # By clients

    async def of(self, client_id: str, tab_id: str) -> Sequence[Pin]:
        """The pins of a tab in documents that the call in progress may read, and that are still there."""
        tab = self._state.router.find(tab_id)
        await self._drop_dead(tab)
        may_read = self._state.consent.gate(tab)
        shown = [one for one in self._kept.get(tab_id, []) if may_read(one.url)]
        for one in shown:
            one.told.add(client_id)
        return [one.pin for one in shown]

    def has(self, tab: Tab) -> bool:
        """Whether the tab has any."""
        return bool(self._kept.get(tab.tab_id))

    def dismiss(self, tab_id: str, number: int) -> None:
        """Take a pin away; `INVALID_PARAMS` if there is none with this number."""
        kept = self._kept.get(tab_id, [])
        found = [one for one in kept if one.pin.pin == number]
        if not found:
            raise KaptureError(ErrorCode.INVALID_PARAMS, f"There is no pin {number} in tab {tab_id}.")
        kept.remove(found[0])
        self._changed(self._state.router.find(tab_id))

    async def with_news(self, client: Client, result: CallResult) -> CallResult:
        """The answer, with the pins that this client has not been told of."""
        if client.kind == "panel" or not any(self._kept.values()):
            return result
        news = []
        for tab in tuple(self._state.router.connected.values()):
            if not any(client.client_id not in one.told for one in self._kept.get(tab.tab_id, [])):
                continue
            decision = self._state.consent.decide(client, get_command("pins"), PinsParams(), tab)
            if not self._state.owners.may_use(client, tab.tab_id):
                continue
            if not decision.allowed or tab.handed_over is not None:
                continue
            told = {one.pin.pin for one in self._kept[tab.tab_id] if client.client_id in one.told}
            with self._state.consent.calling(client):
                news += [pin for pin in await self.of(client.client_id, tab.tab_id) if pin.pin not in told]
        return attrs.evolve(result, said=(*result.said, *map(pin_line, news))) if news else result

    # The tabs

    async def _follow_tabs(self) -> None:
        async with self._state.events.subscribe() as events:
            async for event in events:
                for tab_id in [event.tab_id] if event.tab_id else list(self._kept):
                    if not self._kept.get(tab_id):
                        continue
                    tab = self._state.router.connected.get(tab_id)
                    if event.kind == "tab_gone":
                        del self._kept[tab_id]
                    elif tab is not None and event.kind in ("tab_changed", "tab_connected", "missed"):
                        await self._drop_dead(tab)
                        self._show(tab)

    async def _drop_dead(self, tab: Tab) -> None:
        """Drop the pins whose elements are gone."""
        page = _page_of(tab)
        dead: list[_Kept] = []

        async def look(one: _Kept) -> None:
            there = page is not None and one.element.frame in page.frames.all()
            if not (there and await _is_there(one.element)):
                dead.append(one)

        # At once: a page that does not answer holds every client's answer up, and by one wait rather than by twenty.
        with self._state.consent.calling(self._state.clients.panel(tab.tab_id)):
            async with trio.open_nursery() as nursery:
                for one in tuple(self._kept.get(tab.tab_id, [])):
                    nursery.start_soon(look, one)
        if dead:
            self._kept[tab.tab_id] = [one for one in self._kept.get(tab.tab_id, []) if one not in dead]
            self._changed(tab)

    def _changed(self, tab: Tab) -> None:
        self._show(tab)
        self._state.events.publish("pins", tab.tab_id)

    def _show(self, tab: Tab) -> None:
        if tab.panel is not None:
            tab.panel.show_pins([one.pin for one in self._kept.get(tab.tab_id, [])])


def _page_of(tab: Tab) -> Page | None:
    return tab.backend.current_page if tab.backend is not None else None


async def _element(page: Page, node: int) -> Element | None:
    """The element with this id of the browser's, if it is in a document that is granted."""
    for frame in page.frames.all():
        if frame.granted and not frame.why_silent:
            with suppress(KaptureError, CdpError):  # it is of another document
                return await element_of(frame, node)
    return None


async def _is_there(element: Element) -> bool:
    """Whether it is; a page that does not answer now still has it."""
    try:
        with trio.move_on_after(_LOOKS_S):
            await backend_node_id(element)
    except KaptureError as error:
        return error.code not in (ErrorCode.REF_EXPIRED, ErrorCode.DETACHED, ErrorCode.TAB_DISCONNECTED)
    return True
