"""A watcher of navigations that is fed with what Chromium sends, with no browser."""

from __future__ import annotations

from typing import Any

from kapture.cdp import PendingReply
from kapture.page.navigation_watcher import NavigationWatcher, WaitUntil

UNTIL: list[WaitUntil] = ["commit", "domcontentloaded", "load", "networkidle"]


class Browser:
    """Feeds a watcher what Chromium sends for the main frame `M`."""

    def __init__(self) -> None:
        self.asked: list[PendingReply] = []
        self.watcher = NavigationWatcher("M", self._ask)

    def _ask(self) -> PendingReply:
        self.asked.append(PendingReply())
        return self.asked[-1]

    def event(self, method: str, **params: Any) -> None:
        self.watcher.on_event(method, params)

    def ask(self, url: str = "https://a.example/new", **more: Any) -> None:
        self.event("Page.frameRequestedNavigation", frameId="M", url=url, **more)

    def start(self, loader: str = "L1", url: str = "https://a.example/new", kind: str = "differentDocument") -> None:
        self.event("Page.frameStartedNavigating", frameId="M", url=url, loaderId=loader, navigationType=kind)

    def request(self, loader: str = "L1", url: str = "https://a.example/new", **more: Any) -> None:
        self.event(
            "Network.requestWillBeSent",
            frameId="M",
            type="Document",
            requestId=loader,
            loaderId=loader,
            request={"url": url},
            **more,
        )

    def respond(self, status: int, loader: str = "L1") -> None:
        self.event(
            "Network.responseReceived", frameId="M", type="Document", loaderId=loader, response={"status": status}
        )

    def fail(self, error: str = "net::ERR_CONNECTION_REFUSED", loader: str = "L1", *, canceled: bool = False) -> None:
        self.event("Network.loadingFailed", type="Document", requestId=loader, errorText=error, canceled=canceled)

    def commit(
        self, loader: str = "L1", url: str = "https://a.example/new", kind: str = "Navigation", **more: Any
    ) -> None:
        self.event("Page.frameNavigated", frame={"id": "M", "url": url, "loaderId": loader, **more}, type=kind)

    def milestone(self, name: str, loader: str = "L1") -> None:
        self.event("Page.lifecycleEvent", frameId="M", loaderId=loader, name=name)

    def stop(self) -> None:
        self.event("Page.frameStoppedLoading", frameId="M")

    def reached(self) -> list[str]:
        return [until for until in UNTIL if self.watcher.reached(until)]
