"""What people have stopped: clients on one tab, or all of them everywhere. Only a person lets them go on, in the
extension or the Console.

A client is known by the name that people see, so that connecting again does not help it. One of another machine can
choose any: with it all of its share are stopped, or all of the group's, which may call themselves any machine.
"""

from __future__ import annotations

from collections.abc import Sequence

from kapture.errors import ErrorCode, KaptureError
from kapture.hub.client import Client, Clients
from kapture.hub.elsewhere import Group
from kapture.hub.events import Events
from kapture.hub.tabs.router import Router
from kapture.hub.tabs.tab import Tab


class Pauses:
    """The pauses of one hub."""

    def __init__(self, router: Router, clients: Clients, events: Events, group: Group) -> None:
        self._router = router
        self._clients = clients
        self._group = group
        self._events = events
        self._tabs: dict[str, list[str]] = {}
        self.everywhere = False

    def clients(self, tab_id: str) -> Sequence[str]:
        """Who is paused on this tab alone, for people."""
        return self._tabs.get(tab_id, ())

    def check(self, client: Client, tab_id: str | None) -> None:
        """`POLICY_DENIED` if the client is paused on this tab; None: everywhere."""
        if client.is_person:
            return
        if self.everywhere:
            raise _paused("everything")
        if tab_id is not None and (whom := _stopped_with(client)) in self.clients(tab_id):
            raise _paused(f"{whom} on tab {tab_id}")

    def stop(self, tab: Tab, name: str) -> None:
        """Pause the client with this name on a tab, and end what it runs there or waits for."""
        named = {_stopped_with(client) for client in self._clients if client.display_name == name} or {name}
        paused = self._tabs.setdefault(tab.tab_id, [])
        paused += sorted(named - set(paused))
        tab.fail_of(lambda client: _stopped_with(client) in named, _stopped())
        self._changed(tab)

    def pause_all(self, *, stop: bool) -> None:
        """Pause all clients everywhere; `stop`: also end what they run or wait for."""
        self.everywhere = True
        if stop and self._group.elsewhere is not None:
            self._group.elsewhere.end_all(_stopped())
        for tab in self._router.connected.values():
            if stop:
                tab.fail_of(lambda client: not client.is_person, _stopped())
            self._changed(tab)

    def resume(self, tab: Tab) -> None:
        """Let all clients of a tab go on; one that is paused everywhere stays so."""
        self._tabs.pop(tab.tab_id, None)
        self._changed(tab)

    def resume_all(self) -> None:
        """Let all clients go on, on every tab."""
        self.everywhere = False
        self._tabs.clear()
        for tab in self._router.connected.values():
            self._changed(tab)

    def forget(self, tab_id: str) -> None:
        """Drop what is known of a gone tab."""
        self._tabs.pop(tab_id, None)

    def show(self, tab: Tab) -> None:
        """Show the tab's person in its browser who is paused."""
        if tab.panel is not None:
            tab.panel.show_pauses(self.clients(tab.tab_id), everywhere=self.everywhere)

    def _changed(self, tab: Tab) -> None:
        self.show(tab)
        self._events.publish("tab_changed", tab.tab_id)


def _stopped_with(client: Client) -> str:
    """Whom people stop when they stop this client."""
    if client.from_group:
        return "all agents of the group"
    return f"all clients @{client.share}" if client.share else client.display_name


def _stopped() -> KaptureError:
    return KaptureError(
        ErrorCode.CANCELLED,
        "The person pressed Stop. It may have taken effect.",
        hint="Do not go on by other ways: ask the person what to do.",
        data={"stopped": True},
    )


def _paused(what: str) -> KaptureError:
    return KaptureError(
        ErrorCode.POLICY_DENIED,
        f"The person has paused {what}.",
        hint="Do not try other ways: ask the person to press Resume in Kapture's popup, panel or Console.",
        data={"paused": True},
    )
