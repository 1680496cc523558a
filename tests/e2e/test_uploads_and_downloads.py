"""Files into pages and out of them: through the whole product, for Chrome itself moves them."""

from __future__ import annotations

import itertools
import socket
import stat
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import attrs
import pytest
import trio
from mcp import Client

from tests.support.site import Page, Site, serving
from tests.support.stack import HubProcess, browser_process, call, hub_process, mcp_client, refusal

pytestmark = pytest.mark.e2e

PAGES: dict[str, Page | str] = {
    "/": "<title>Files</title>",
    "/upload": """<title>Upload</title>
        <input id=one type=file><input id=many type=file multiple>
        <label id=label>Attach <input id=secret type=file style="display:none"></label>
        <button id=button onclick="secret.click()">Choose…</button>
        <button id=idle>Nothing</button>
        <div id=zone style="width:200px;height:80px;background:#eee" ondragover="event.preventDefault()"
            ondrop="event.preventDefault(); show(event.dataTransfer.files)">Drop here</div>
        <p id=log></p>
        <script>
            async function show(files) {
                const texts = await Promise.all([...files].map(async file => file.name + '=' + await file.text()))
                log.textContent = texts.join(' ')
            }
            for (const input of document.querySelectorAll("input")) input.onchange = () => show(input.files)
        </script>""",
    "/report": Page(
        "a,b\n", headers={"Content-Type": "text/csv", "Content-Disposition": 'attachment; filename="r.csv"'}
    ),
    "/plain.txt": Page("plain", headers={"Content-Type": "text/plain"}),
    "/tricky": Page(
        "#!/bin/sh\n",
        headers={"Content-Type": "text/plain", "Content-Disposition": 'attachment; filename="../../.bashrc.sh"'},
    ),
    "/links": """<title>Links</title><a id=attachment href=/report>attachment</a>
        <a id=attribute href=/plain.txt download="named.txt">attribute</a>
        <button id=blob onclick="save()">blob</button><button id=idle>Nothing</button>
        <a id=private href=/private.csv>private</a><a id=redirected href=/leads/to/csv>redirected</a>
        <script>function save() {
            const link = document.createElement("a")
            link.href = URL.createObjectURL(new Blob(["made by the page"]))
            link.download = "made.txt"
            link.click()
        }</script>""",
    "/large": Page(b"x" * 300_000, headers={"Content-Type": "application/zip"}),
    "/gone": Page("nothing", 404),
    "/private.txt": "private",
    "/private.csv": Page(
        "private", headers={"Content-Type": "text/csv", "Content-Disposition": 'attachment; filename="p.csv"'}
    ),
    "/leads/to/csv": Page(status=302, headers={"Location": "/private.csv"}),
    "/leads/to/it": Page(status=302, headers={"Location": "/private.txt"}),
}
POLICY = """
deny = ["*/private*"]

[downloads]
max_bytes = 200000
"""


@attrs.frozen
class Setup:
    hub: HubProcess
    site: Site
    tab_id: str
    browser_downloads: Path

    @property
    def downloads(self) -> Path:
        return self.hub.home / "downloads"


@pytest.fixture(scope="module")
def setup(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Setup]:
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))  # whose Downloads are watched, and nobody else's
        yield from _started(home)


def _started(home: Path) -> Iterator[Setup]:
    (home / "policy.toml").write_text(POLICY)
    with (
        serving(PAGES) as site,
        hub_process(home / "kapture", arguments=("--policy", str(home / "policy.toml"))) as hub,
        browser_process(hub, [site.url("/")]) as rows,
    ):
        yield Setup(hub, site, rows[0]["tabId"], home / "Downloads")


@pytest.fixture
async def client(setup: Setup) -> AsyncIterator[Client]:
    async with mcp_client(setup.hub, "--toolsets", "core,files,raw") as connected:
        yield connected


def a_file(setup: Setup, name: str, content: str) -> str:
    folder = setup.hub.home / "uploads"
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(content)
    return str(path)


async def shown(client: Client, setup: Setup) -> str:
    seen = """new Promise(done => {
        const look = () => log.textContent ? done(log.textContent) : setTimeout(look, 20)
        look()
    })"""
    return await call(client, "evaluate", tabId=setup.tab_id, code=seen)


async def test_files_are_given_to_inputs_choosers_labels_and_drop_zones(client: Client, setup: Setup) -> None:
    one, two = a_file(setup, "one.txt", "first"), a_file(setup, "two.txt", "second")
    for selector, paths, options, seen in (
        ("#one", [one], {}, "one.txt=first"),
        ("#many", [one, two], {}, "one.txt=first two.txt=second"),
        ("#secret", [one], {}, "one.txt=first"),
        ("#label", [two], {}, "two.txt=second"),
        ("#button", [one], {}, "one.txt=first"),
        ("#zone", [one, two], {"drop": True}, "one.txt=first two.txt=second"),
    ):
        await call(client, "navigate", tabId=setup.tab_id, url=setup.site.url("/upload"))
        answer = await call(client, "upload", tabId=setup.tab_id, selector=selector, paths=paths, **options)
        assert "one.txt" in answer or "two.txt" in answer
        assert seen in await shown(client, setup), selector


async def test_a_folder_is_uploaded_where_one_is_taken_and_nothing_is_claimed_elsewhere(
    client: Client, setup: Setup
) -> None:
    folder = Path(a_file(setup, "one.txt", "first")).with_name("photos")
    (folder / "sub").mkdir(parents=True)
    for name in ("a.txt", "sub/b.txt"):
        (folder / name).write_text(name)
    setup.site.pages[
        "/folder"
    ] = """<input id=dir type=file webkitdirectory onchange="this.value = ''"><input id=one type=file>
        <div id=zone>No drops</div><div id=half ondragover="event.preventDefault()">Nothing comes of drops</div>"""
    await call(client, "navigate", tabId=setup.tab_id, url=setup.site.url("/folder"))
    upload = {"tabId": setup.tab_id, "paths": [str(folder)]}
    answer = await call(client, "upload", **upload, selector="#dir")
    assert "photos/a.txt" in answer
    assert "photos/sub/b.txt" in answer
    assert "is a folder" in await refusal(client, "upload", **upload, selector="#one")
    before = await call(client, "list_tabs")
    for selector in ("#zone", "#half"):
        two = [str(folder / "a.txt"), str(folder / "sub" / "b.txt")]
        dropped = {**upload, "paths": two, "selector": selector, "drop": True}
        assert "did not take" in await refusal(client, "upload", **dropped)
    assert (await call(client, "list_tabs")).count("\n") == before.count("\n"), "the browser has opened them"
    file = {**upload, "paths": [str(folder / "a.txt")]}
    assert "takes a folder" in await refusal(client, "upload", **file, selector="#dir")
    (folder / "link").symlink_to("/etc/hostname")
    assert "POLICY_DENIED" in await refusal(client, "upload", **upload, selector="#dir")


@pytest.mark.parametrize(
    ("given", "name", "content"),
    [
        ({"url": "/report"}, "r.csv", "a,b\n"),
        ({"url": "/plain.txt"}, "plain.txt", "plain"),
        ({"url": "/report", "name": "mine.csv"}, "mine.csv", "a,b\n"),
        ({"selector": "#attachment"}, "r.csv", "a,b\n"),
        ({"selector": "#attribute"}, "named.txt", "plain"),
        ({"selector": "#blob"}, "made.txt", "made by the page"),
        ({"url": "/tricky"}, ".download", "#!/bin/sh\n"),
        ({"url": "/report", "name": "../../../evil.sh"}, "evil.sh.download", "a,b\n"),
    ],
)
async def test_downloads_land_whole_and_harmless_in_the_hubs_folder(
    client: Client, setup: Setup, given: dict[str, str], name: str, content: str
) -> None:
    before = set(setup.browser_downloads.glob("*"))
    arguments = {**given, "url": setup.site.url(given["url"])} if "url" in given else given
    await call(client, "navigate", tabId=setup.tab_id, url=setup.site.url("/links"))
    answer = await call(client, "download_file", tabId=setup.tab_id, **arguments)
    (path,) = (Path(word) for word in answer.split() if word.startswith("/"))
    assert path.parent == setup.downloads
    assert path.name.endswith(name)
    assert path.read_text() == content
    assert f"({len(content)} bytes" in answer
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.unlink()
    assert set(setup.browser_downloads.glob("*")) == before


async def test_a_download_carries_the_sites_cookies(client: Client, setup: Setup) -> None:
    await call(client, "navigate", tabId=setup.tab_id, url=setup.site.url("/"))
    await call(client, "evaluate", tabId=setup.tab_id, code="document.cookie = 'seen=yes'")
    await call(client, "download_file", tabId=setup.tab_id, url=setup.site.url("/plain.txt"))
    assert "seen=yes" in setup.site.cookies["/plain.txt"]


async def left_as_before(setup: Setup, before: tuple[set[Path], set[Path]]) -> None:
    """The browser takes what it has written of a cancelled download away in its own time."""
    with trio.fail_after(60):
        while (set(setup.downloads.glob("*")), set(setup.browser_downloads.glob("*"))) != before:  # noqa: ASYNC110
            await trio.sleep(0.05)


async def test_downloads_that_break_off_or_never_end_are_given_up_and_leave_nothing(
    client: Client, setup: Setup
) -> None:
    before = set(setup.downloads.glob("*")), set(setup.browser_downloads.glob("*"))
    broken = itertools.repeat(b"x" * 10, 1)
    with sending(b"Content-Length: 1000\r\n", broken) as port:
        answer = await refusal(client, "download_file", tabId=setup.tab_id, url=f"http://127.0.0.1:{port}/broken.zip")
        assert "DOWNLOAD_FAILED" in answer
        assert "interrupted" in answer
    with sending(b"", itertools.repeat(b"x" * 50_000)) as port:
        answer = await refusal(client, "download_file", tabId=setup.tab_id, url=f"http://127.0.0.1:{port}/endless.zip")
        assert "DOWNLOAD_FAILED" in answer
        assert "200000" in answer
    await left_as_before(setup, before)


async def test_downloads_that_cannot_be_are_refused_and_leave_nothing(client: Client, setup: Setup) -> None:
    await call(client, "navigate", tabId=setup.tab_id, url=setup.site.url("/links"))
    before = set(setup.downloads.glob("*")), set(setup.browser_downloads.glob("*"))
    download = {"tabId": setup.tab_id}
    answer = await refusal(client, "download_file", **download, url=setup.site.url("/large"))
    assert "DOWNLOAD_FAILED" in answer
    assert "200000" in answer
    assert "DOWNLOAD_FAILED" in await refusal(client, "download_file", **download, url=setup.site.url("/gone"))
    assert "DOWNLOAD_FAILED" in await refusal(client, "download_file", **download, selector="#idle", timeout=15_000)
    assert "NAVIGATION_FAILED" in await refusal(client, "download_file", **download, url="javascript:alert(1)")
    assert "INVALID_PARAMS" in await refusal(client, "download_file", **download)
    for url in (setup.site.url("/private.txt"), setup.site.url("/leads/to/it")):
        assert "POLICY_DENIED" in await refusal(client, "download_file", **download, url=url)
    for selector in ("#private", "#redirected"):
        assert "POLICY_DENIED" in await refusal(client, "download_file", **download, selector=selector)
    await left_as_before(setup, before)


@contextmanager
def sending(headers: bytes, chunks: Iterator[bytes]) -> Iterator[int]:
    """A server that answers each request with these headers and chunks, as far as the browser takes them."""
    listener = socket.create_server(("127.0.0.1", 0))
    ended = threading.Event()

    def serve() -> None:
        while not ended.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection, suppress(OSError):
                connection.recv(65_536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/zip\r\n" + headers + b"\r\n")
                for chunk in chunks:
                    if ended.wait(0.01):
                        return
                    connection.sendall(chunk)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        ended.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(10)
