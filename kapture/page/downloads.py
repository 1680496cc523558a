"""Downloads that the page started, as reported by the browser. The backend handles the files themselves."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

import attrs

from kapture.cdp import CdpSession
from kapture.changed import Changed
from kapture.page.documents.frames import FrameTree
from kapture.page.documents.read_gate import EVERY_SITE, NOBODY, ReadGate, shown_address
from kapture.page.tab_memory import kept_url

CAPACITY = 100

DownloadState: TypeAlias = Literal["inProgress", "completed", "canceled"]


@attrs.define(kw_only=True)
class Download:
    """One download. `url` is cut where it is very long. `filename` is suggested by the server or link: not a path, and
    not to be trusted."""

    guid: str
    url: str
    filename: str
    owner: str
    """The URL that decides about the document that started it; `NOBODY` if that is not known."""
    state: DownloadState = "inProgress"
    received_bytes: float = 0
    total_bytes: float = 0

    def is_of_granted(self, gate: ReadGate) -> bool:
        """Whether a document that may be read started it: its URL (`data:`) need not say whose contents it has."""
        return gate(self.owner) or (self.owner == NOBODY and gate(EVERY_SITE))


def shown_download(download: Download | None, gate: ReadGate) -> str | None:
    """Its name, or its URL; only the origin if it comes from outside the grant. None if a document outside the grant
    started it."""
    if download is None or not download.is_of_granted(gate):
        return None
    address = shown_address(download.url, gate)
    return (download.filename or address) if address == download.url else address


class Downloads:
    """The downloads of one tab, oldest first."""

    def __init__(self, frames: FrameTree) -> None:
        self._frames = frames
        self._downloads: OrderedDict[str, Download] = OrderedDict()
        self.changed = Changed()
        """Notified when a download begins, progresses or ends."""

    def __iter__(self) -> Iterator[Download]:
        return iter(tuple(self._downloads.values()))

    def get(self, guid: str) -> Download | None:
        """The download with this CDP guid."""
        return self._downloads.get(guid)

    def observe(self, session: CdpSession) -> None:
        """Subscribe to the download events of one session."""
        session.on("Page.downloadWillBegin", self._began)
        session.on("Page.downloadProgress", self._went_on)

    def _began(self, params: dict[str, Any]) -> None:
        frame = self._frames.by_id(params.get("frameId", ""))
        self._downloads.setdefault(
            params["guid"],
            Download(
                guid=params["guid"],
                url=kept_url(params["url"]),
                filename=params.get("suggestedFilename", ""),
                owner=NOBODY if frame is None else frame.policy_url,
            ),
        )
        while len(self._downloads) > CAPACITY:
            self._downloads.popitem(last=False)
        self.changed.notify()

    def _went_on(self, params: dict[str, Any]) -> None:
        if download := self._downloads.get(params["guid"]):
            download.state = params["state"]
            download.received_bytes = params.get("receivedBytes", 0)
            download.total_bytes = params.get("totalBytes", 0)
            self.changed.notify()
