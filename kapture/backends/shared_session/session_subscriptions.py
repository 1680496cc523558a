"""Which events one of several users of a CDP session has asked for: what the browser itself would send it.

A domain's events begin with `enable` and end with `disable`, or begin with any command of a domain that has no
`enable`; some have a switch of their own (https://chromedevtools.github.io/devtools-protocol/).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

_WITHOUT_ENABLE = frozenset({"BackgroundService", "Emulation", "HeapProfiler", "Storage", "Tracing"})
_ENABLES = frozenset({"DOM.getDocument", "DOM.getFlattenedDocument"})
"""The methods that enable their domain implicitly."""


@attrs.frozen
class _Switch:
    """A method that switches an event on or off: by `parameter`, or by `on` itself."""

    event: str
    parameter: str = ""
    on: bool = True


_SWITCHES: Mapping[str, _Switch] = {
    "Page.setLifecycleEventsEnabled": _Switch("Page.lifecycleEvent", "enabled"),
    "Page.setInterceptFileChooserDialog": _Switch("Page.fileChooserOpened", "enabled"),
    "Page.startScreencast": _Switch("Page.screencastFrame"),
    "Page.stopScreencast": _Switch("Page.screencastFrame", on=False),
    "Input.setInterceptDrags": _Switch("Input.dragIntercepted", "enabled"),
}
_SWITCHED = frozenset(switch.event for switch in _SWITCHES.values())
_TO_ALL = "Inspector"
"""The domain whose events come in any case: what happens to the target itself."""


class Subscriptions:
    """Of one user, on one session of the browser."""

    def __init__(self) -> None:
        self.domains: set[str] = set()  # that are enabled
        self.enabling: set[str] = set()  # that will be, once the browser has answered
        self.bindings: set[str] = set()
        self._used: set[str] = set()  # domains without `enable`
        self._switched_on: set[str] = set()

    def sent(self, method: str, params: Mapping[str, Any]) -> None:
        """Note a command of this user."""
        domain, _, name = method.partition(".")
        if name == "enable" or method in _ENABLES:
            self.domains.add(domain)
            self.enabling.discard(domain)
        elif domain in _WITHOUT_ENABLE:
            self._used.add(domain)
        elif name == "disable":
            self.domains.discard(domain)
            self.enabling.discard(domain)
            self._switched_on = {event for event in self._switched_on if event.partition(".")[0] != domain}
            if domain == "Runtime":
                self.bindings.clear()
        elif method == "Runtime.addBinding":
            self.bindings.add(str(params.get("name")))
        elif method == "Runtime.removeBinding":
            self.bindings.discard(str(params.get("name")))
        elif (switch := _SWITCHES.get(method)) is not None:
            on = bool(params.get(switch.parameter)) if switch.parameter else switch.on
            (self._switched_on.add if on else self._switched_on.discard)(switch.event)

    def need(self, domain: str) -> bool:
        """Whether the user has enabled a domain, or is about to."""
        return domain in self.domains or domain in self.enabling

    def include(self, method: str, params: Mapping[str, Any]) -> bool:
        """Whether the user gets this event."""
        if method == "Runtime.bindingCalled":
            return params.get("name") in self.bindings
        if method in _SWITCHED:
            return method in self._switched_on
        domain = method.partition(".")[0]
        return domain in self.domains or domain in self._used or domain == _TO_ALL
