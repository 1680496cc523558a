"""Downloads that pages start, in a browser that the hub talks to itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import trio.testing

from kapture.backends.chromium.downloads import BrowserDownloads


async def test_a_download_that_is_complete_before_it_is_cancelled_leaves_no_file(tmp_path: Path) -> None:
    downloads = BrowserDownloads(tmp_path)
    downloads.on_event("Browser.downloadWillBegin", {"guid": "g", "url": "https://bank.test/", "frameId": "F"})
    (tmp_path / "g").write_text("private")
    sent: list[str] = []

    async def send(method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        sent.append(method)
        return {}

    begun = await downloads.step(send, {"action": "find", "guid": "g"})
    async with trio.open_nursery() as nursery:
        nursery.start_soon(downloads.step, send, {"action": "remove", "id": begun["id"]})
        await trio.testing.wait_all_tasks_blocked()
        assert sent == ["Browser.cancelDownload"]
        downloads.on_event("Browser.downloadProgress", {"guid": "g", "state": "completed", "receivedBytes": 7})
    assert not (tmp_path / "g").exists()
