"""Downloads that the page started, as reported by the browser. The backend handles the files themselves."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

import attrs

from kapture.cdp import CdpSession
from kapture.changed import Changed

CAPACITY = 100

DownloadState: TypeAlias = Literal["inProgress", "completed", "canceled"]


@attrs.define(kw_only=True)
class Download:
    """One download. `filename` is suggested by the server or link: not a path, and not to be trusted."""

    guid: str
    url: str
    filename: str
    frame_id: str
    state: DownloadState = "inProgress"
    received_bytes: float = 0
    total_bytes: float = 0


class Downloads:
    """The downloads of one tab, oldest first."""

    def __init__(self) -> None:
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
        self._downloads.setdefault(
            params["guid"],
            Download(
                guid=params["guid"],
                url=params["url"],
                filename=params.get("suggestedFilename", ""),
                frame_id=params.get("frameId", ""),
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
