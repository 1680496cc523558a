"""Downloads that pages start, in a browser that the hub talks to itself."""

from __future__ import annotations

import base64
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from kapture.backends.chromium import fetched_files
from kapture.backends.chromium.downloads import BrowserDownloads
from kapture.cdp import CdpError
from kapture.errors import DownloadFailed


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


# What the hub fetches through a tab: from where redirects have led, where that matters.


ASKED = "https://shop.test/report"


class Tab:
    """Answers as the browser would; `head` is what fetching in the page finds, None when it may not. Where a part is
    None the document has gone."""

    def __init__(self, head: Mapping[str, Any] | None, *parts: bytes | None) -> None:
        self.head = head
        self.parts = list(parts)
        self.sent: list[str] = []

    async def __call__(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        self.sent.append(method)
        if method == "Page.getFrameTree":
            return {"frameTree": {"frame": {"id": "F"}}}
        if method == "Page.createIsolatedWorld":
            return {"executionContextId": 7}
        if method == "Network.loadNetworkResource":
            return {"resource": {"success": True, "httpStatusCode": 200, "stream": "1", "headers": {}}}
        assert params is not None
        if "fetch(" in params["expression"]:
            return {"exceptionDetails": {}} if self.head is None else {"result": {"value": self.head}}
        if (data := self.parts[0]) is None:
            raise CdpError(method, "Cannot find context with specified id")
        del self.parts[0]
        return {"result": {"value": {"data": base64.b64encode(data).decode(), "eof": not self.parts}}}


async def test_fetched_download_says_where_it_came_from(tmp_path: Path) -> None:
    head = {"url": "https://bank.test/secret.txt", "status": 200, "headers": {"content-type": "text/plain; charset=x"}}
    tab = Tab(head, b"one ", b"two")
    file = await fetched_files.begin(tab, ASKED, tmp_path, any_site=False)
    assert file.as_item(1)["url"] == "https://bank.test/secret.txt"
    assert "Network.loadNetworkResource" not in tab.sent
    await fetched_files.finish(file)
    assert (file.state, file.mime_type, file.path.read_bytes()) == ("complete", "text/plain", b"one two")


async def test_download_refused_to_page_is_not_fetched_otherwise(tmp_path: Path) -> None:
    tab = Tab(None)
    with pytest.raises(DownloadFailed, match="not allowed to fetch it"):
        await fetched_files.begin(tab, ASKED, tmp_path, any_site=False)
    assert "Network.loadNetworkResource" not in tab.sent


async def test_a_status_of_failure_is_one(tmp_path: Path) -> None:
    with pytest.raises(DownloadFailed, match="HTTP status 404"):
        await fetched_files.begin(
            Tab({"url": ASKED, "status": 404, "headers": {}}, b""), ASKED, tmp_path, any_site=False
        )


async def test_a_file_whose_page_has_gone_meanwhile_fails_and_nothing_of_it_is_left(tmp_path: Path) -> None:
    tab = Tab({"url": ASKED, "status": 200, "headers": {}}, b"one ", None)
    downloads = BrowserDownloads(tmp_path)
    begun = await downloads.step(tab, {"action": "start", "url": ASKED})
    item = await downloads.step(tab, {"action": "wait", **begun})
    assert (item["state"], item["error"]) == ("interrupted", "the connection or the page has gone")
    await downloads.step(tab, {"action": "remove", **begun})
    assert not await trio.Path(item["path"]).parent.exists()


async def test_browser_downloads_when_every_site_is_granted(tmp_path: Path) -> None:
    tab = Tab(None)
    await fetched_files.begin(tab, ASKED, tmp_path, any_site=True)
    assert "Network.loadNetworkResource" in tab.sent


@pytest.mark.parametrize(
    ("url", "name"),
    [("data:text/csv,a;b/c", "download"), ("BLOB:https://shop.test/5f0c", "5f0c")],
)
async def test_download_without_server_is_read_by_the_page(tmp_path: Path, url: str, name: str) -> None:
    tab = Tab({"url": url, "status": 200, "headers": {"content-type": "text/csv"}}, b"a;b")
    file = await fetched_files.begin(tab, url, tmp_path, any_site=True)
    await fetched_files.finish(file)
    assert "Network.loadNetworkResource" not in tab.sent
    assert (file.state, file.path.name, file.path.read_bytes()) == ("complete", name, b"a;b")


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        ("", "report"),
        ('attachment; filename="r.csv"', "r.csv"),
        ("attachment; filename=\"r.csv\"; filename*=UTF-8''%E4%BD%A0%20r.csv", "你 r.csv"),
        ("attachment; filename*=UTF-8''..%2F..%2F.bashrc", "bashrc"),
        ("attachment; filename*=no-such-encoding''%41.csv", "report"),
    ],
)
async def test_a_file_has_the_name_that_its_server_gives_it(tmp_path: Path, disposition: str, name: str) -> None:
    tab = Tab({"url": ASKED, "status": 200, "headers": {"content-disposition": disposition}}, b"")
    assert (await fetched_files.begin(tab, ASKED, tmp_path, any_site=False)).path.name == name
