"""Downloads that pages start, in a browser that the hub talks to itself."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
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


@pytest.mark.parametrize("named", ["in an event", "by the id"])
async def test_a_file_that_was_there_before_is_neither_taken_nor_deleted(
    tmp_path: Path, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = tmp_path / "id_ed25519"
    key.write_text("private")
    later = time.time() + 60
    monkeypatch.setattr(time, "time", lambda: later)
    downloads = BrowserDownloads(tmp_path / "browser")
    guid = "g" if named == "in an event" else str(key)
    downloads.on_event("Browser.downloadWillBegin", {"guid": guid, "url": "https://a.test/", "frameId": "F"})
    ended = {"guid": guid, "state": "completed", "receivedBytes": 7}
    downloads.on_event("Browser.downloadProgress", ended if guid != "g" else {**ended, "filePath": str(key)})

    async def send(method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        return {}

    begun = await downloads.step(send, {"action": "find", "guid": guid})
    item = await downloads.step(send, {"action": "wait", "id": begun["id"]})
    assert (item["state"], item["error"]) == ("interrupted", "the browser names a file that it has not written")
    await downloads.step(send, {"action": "remove", "id": begun["id"]})
    assert key.read_text() == "private"


async def test_a_file_that_came_with_the_download_is_taken_wherever_the_browser_keeps_it(tmp_path: Path) -> None:
    downloads = BrowserDownloads(tmp_path / "browser")
    written, kept = tmp_path / "report.crdownload", tmp_path / "report.pdf"
    written.write_text("report")
    os.utime(written, (1, 1))  # the server's date
    downloads.on_event("Browser.downloadWillBegin", {"guid": "g", "url": "https://a.test/", "frameId": "F"})
    written.rename(kept)
    downloads.on_event("Browser.downloadProgress", {"guid": "g", "state": "completed", "filePath": str(kept)})

    async def send(method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        return {}

    begun = await downloads.step(send, {"action": "find", "guid": "g"})
    item = await downloads.step(send, {"action": "wait", "id": begun["id"]})
    assert (item["state"], item["path"]) == ("complete", str(kept))
    await downloads.step(send, {"action": "remove", "id": begun["id"]})
    assert not kept.exists()
