"""Downloads that the tabs of a script begin: the script's events, and the files that it gets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from tests.unit.endpoints.cdp.fake_browser import FakeBackend, ScriptEnd, World, world

GUID = "2f1c6a0e-1111-2222-3333-444444444444"


@pytest.fixture(autouse=True)
def temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The system's folder for temporary files, with a private one of the script's in it."""
    folder = tmp_path / "tmp"
    (folder / "artifacts").mkdir(parents=True)
    (folder / "artifacts").chmod(0o700)
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(folder))
    return folder


async def wants(script: ScriptEnd, folder: Path, behavior: str = "allowAndName") -> Any:
    params = {"behavior": behavior, "downloadPath": str(folder), "eventsEnabled": True}
    return await script.send("Browser.setDownloadBehavior", params)


def begins(
    tab: FakeBackend, url: str = "https://a.example/report", name: str = "report.csv", *, guid: str = GUID
) -> None:
    params = {"frameId": "T-tab1", "guid": guid, "url": url, "suggestedFilename": name}
    tab.sessions[0].deliver("Page.downloadWillBegin", params, None)


def goes_on(tab: FakeBackend, state: str, received: int = 4) -> None:
    params = {"guid": GUID, "totalBytes": 4, "receivedBytes": received, "state": state}
    tab.sessions[0].deliver("Page.downloadProgress", params, None)


def arrives(tab: FakeBackend, folder: Path, **more: Any) -> None:
    (folder / "browsers-own").write_bytes(b"data")
    path = str(folder / "browsers-own")
    tab.item = {"id": 7, "state": "complete", "path": path, "url": "https://a.example/report", "bytes": 4, **more}
    tab.arrives.set()


async def ended(script: ScriptEnd) -> dict[str, Any]:
    """The progress event that ends the download."""
    while (event := await script.event("Browser.downloadProgress"))["state"] == "inProgress":
        pass
    return event


async def nothing_shown(script: ScriptEnd) -> bool:
    await wait_all_tasks_blocked()
    await script.send("Browser.getVersion")
    return not any(event["method"].startswith("Browser.") for event in script.events)


async def test_a_download_is_reported_when_its_file_is_where_the_script_looks_for_it(
    tmp_path: Path, temporary_folder: Path
) -> None:
    async with world(tmp_path / "home") as there:
        tab = there.tab("tab1")
        async with there.script() as script:
            assert await wants(script, temporary_folder / "artifacts") == {}
            await script.attach("T-tab1")
            begins(tab)
            began = await script.event("Browser.downloadWillBegin")
            assert (began["guid"], began["suggestedFilename"]) == (GUID, "report.csv")
            goes_on(tab, "inProgress", 2)
            assert (await script.event("Browser.downloadProgress"))["receivedBytes"] == 2
            goes_on(tab, "completed")
            assert await nothing_shown(script)  # the browser has it, the script has not
            arrives(tab, tmp_path)
            end = await ended(script)
            assert end["state"] == "completed"
            assert end["filePath"] == str(temporary_folder / "artifacts" / GUID)
            assert (temporary_folder / "artifacts" / GUID).read_bytes() == b"data"
            assert tab.download_steps == ["find", "wait", "remove"]


@pytest.mark.parametrize("method", ["Browser.setDownloadBehavior", "Page.setDownloadBehavior"])
async def test_a_file_with_the_suggested_name_is_named_safely_and_replaces_none(
    tmp_path: Path, temporary_folder: Path, method: str
) -> None:
    folder = temporary_folder / "artifacts"
    (folder / "evil.csv").write_bytes(b"kept")
    async with world(tmp_path / "home") as there:
        tab = there.tab("tab1")
        arrives(tab, tmp_path)
        async with there.script() as script:
            session = await script.attach("T-tab1")
            params = {"behavior": "allow", "downloadPath": str(folder), "eventsEnabled": True}
            assert await script.send(method, params, session) == {}
            begins(tab, name="../../evil.csv")
            assert Path((await ended(script))["filePath"]) == folder / "evil (2).csv"
            assert (folder / "evil.csv").read_bytes() == b"kept"


@pytest.mark.parametrize(
    "item",
    [
        {"url": "https://b.example/other"},
        {"state": "interrupted"},
        {"bytes": 10**12},
        {"path": "/no such file"},
        {"path": "/"},
    ],
    ids=["led to another site", "interrupted", "too large", "without its file", "cannot be read"],
)
async def test_refused_download_is_canceled_and_leaves_no_file(
    tmp_path: Path, temporary_folder: Path, item: dict[str, Any]
) -> None:
    async with world(tmp_path / "home") as there:
        tab = there.tab("tab1")
        deny(there, tab)
        arrives(tab, tmp_path, **item)
        async with there.script() as script:
            await wants(script, temporary_folder / "artifacts")
            await script.attach("T-tab1")
            begins(tab)
            assert (await ended(script))["state"] == "canceled"
            assert list((temporary_folder / "artifacts").iterdir()) == []
            assert tab.download_steps[-1] == "remove"


def deny(there: World, tab: FakeBackend) -> None:
    """Policy denies b.example, whatever the grant says."""
    gate = tab.gate
    tab.gate = lambda url: "b.example" not in url and gate(url)


async def test_a_download_outside_the_grant_shows_nothing(tmp_path: Path, temporary_folder: Path) -> None:
    async with world(tmp_path / "home") as there:
        tab = there.tab("tab1")
        deny(there, tab)
        named = there.tab("tab2", sites=["a.example"])
        async with there.script() as script:
            await wants(script, temporary_folder / "artifacts")
            await script.attach("T-tab1")
            begins(tab, "https://b.example/report")
            begins(tab, "blob:https://b.example/1234")
            goes_on(tab, "completed")
            await script.attach("T-tab2")
            begins(named)
            assert await nothing_shown(script)
            assert tab.download_steps == named.download_steps == []


@pytest.mark.parametrize("found", [False, True], ids=["while it is looked for", "while it is waited for"])
async def test_a_cancelled_download_leaves_nothing_in_the_browser(
    tmp_path: Path, temporary_folder: Path, *, found: bool
) -> None:
    async with world(tmp_path / "home") as there:
        tab = there.tab("tab1", appears=(appears := trio.Event()))
        async with there.script() as script:
            await wants(script, temporary_folder / "artifacts")
            await script.attach("T-tab1")
            begins(tab)
            await script.event("Browser.downloadWillBegin")
            if found:
                appears.set()
            await wait_all_tasks_blocked()
            await script.send("Browser.cancelDownload", {"guid": GUID})
            appears.set()
            assert (await ended(script))["state"] == "canceled"
            assert tab.download_steps == ["find", "wait", "remove"]


async def test_a_download_of_a_tab_that_the_person_takes_back_is_not_given_to_the_script(
    tmp_path: Path, temporary_folder: Path
) -> None:
    async with world(tmp_path / "home") as there:
        tab = there.tab("tab1")
        async with there.script() as script:
            await wants(script, temporary_folder / "artifacts")
            await script.attach("T-tab1")
            begins(tab)
            await script.event("Browser.downloadWillBegin")
            await there.hub.holding.release("tab1")
            arrives(tab, tmp_path)
            assert (await ended(script))["state"] == "canceled"
            assert list((temporary_folder / "artifacts").iterdir()) == []


async def test_a_folder_that_a_link_has_replaced_gets_no_file(tmp_path: Path, temporary_folder: Path) -> None:
    inside = temporary_folder / "artifacts" / "inside"
    inside.mkdir(0o700)
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "inside").mkdir(parents=True)
    async with world(tmp_path / "home") as there:
        tab = there.tab("tab1")
        arrives(tab, tmp_path)
        async with there.script() as script:
            await wants(script, inside)
            await script.attach("T-tab1")
            (temporary_folder / "artifacts").rename(tmp_path / "moved")
            (temporary_folder / "artifacts").symlink_to(elsewhere)
            begins(tab)
            assert (await ended(script))["state"] == "canceled"
            assert list((elsewhere / "inside").iterdir()) == []


async def test_files_go_only_into_the_policys_folder_or_a_private_temporary_one(
    tmp_path: Path, temporary_folder: Path
) -> None:
    shared = temporary_folder / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    (temporary_folder / "link").symlink_to(tmp_path)
    async with world(tmp_path / "home") as there, there.script() as script:
        there.tab("tab1")
        for folder in (tmp_path, shared, temporary_folder / "link"):
            refused = await wants(script, folder)
            assert refused["data"] == "POLICY_DENIED", folder
            assert "downloadPath" in refused["message"]
        assert await wants(script, tmp_path / "home" / "downloads") == {}
        missing = {"behavior": "allow", "downloadPath": "downloads"}
        refused = await script.send("Page.setDownloadBehavior", missing, await script.attach("T-tab1"))
        assert "Downloads cannot be saved in downloads." in refused["message"]


async def test_no_file_goes_into_kaptures_own_data(temporary_folder: Path) -> None:
    home = temporary_folder / "home"
    home.mkdir(mode=0o700)
    async with world(home) as there, there.script() as script:
        assert (await wants(script, home))["data"] == "POLICY_DENIED"
        assert await wants(script, home / "downloads") == {}
