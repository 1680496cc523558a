"""Grants in a real browser: outside them nothing is read, nothing done, and nothing even asked for over the net."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.support.granted_tab import THROUGH, Granted, GrantedBrowser, Site, granted, granted_browser, serve
from tests.support.stack import call

pytestmark = pytest.mark.e2e


SECRET = "the-words-of-another-site"


@pytest.fixture(scope="module")
def other() -> Iterator[Site]:
    page = f"<title>{SECRET}</title><h1>{SECRET}</h1><button>{SECRET}</button><script>console.log('{SECRET}')</script>"
    acting = """<body><input autofocus><script>
      for (const kind of ["click", "mousedown", "pointerdown", "keydown", "input", "paste", "wheel"])
        addEventListener(kind, (event) => event.isTrusted && fetch(`/acted?${kind}`), true);
      document.querySelector("input").focus();
    </script>"""
    server, site = serve({"/": page, "/acting": acting})
    with closing(server.socket):
        yield site
        server.shutdown()


@pytest.fixture(scope="module")
def mine(other: Site) -> Iterator[Site]:
    own = '<button id=own onclick="own.textContent = `pressed ${++count}`">own</button><script>count = 0</script>'
    frame = f'<iframe src="{other.url}/"></iframe>{own}'
    acting = f'<body style="margin:0"><iframe src="{other.url}/acting" width=200 height=200></iframe>{own}'
    blank = f"""{own}<iframe srcdoc='<iframe src="{other.url}/"></iframe><p>inner words</p>'></iframe>"""
    server, site = serve(
        {
            "/": f'<title>mine</title><h1>granted words</h1><a href="{other.url}/">away</a><button>press</button>',
            "/redirect": f"{other.url}/",
            "/acting": acting,
            "/acting-elsewhere": acting.replace(other.url, other.url_of_another_process),
            "/framed": f"<title>framed</title><h1>granted words</h1>{frame}",
            "/framed-elsewhere": f"<title>framed</title><h1>granted words</h1>{frame}".replace(
                other.url, other.url_of_another_process
            ),
            "/clipboard": f"<input id=from value='{SECRET}'><input id=to>",
            "/nested": f"<title>nested</title><h1>granted words</h1>{blank}",
        }
    )
    with closing(server.socket):
        yield site
        server.shutdown()


@pytest.fixture(scope="module", params=THROUGH)
def browser_of_the_grant(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, mine: Site
) -> Iterator[GrantedBrowser]:
    with granted_browser(tmp_path_factory.mktemp("hub") / "home", mine, through=request.param) as browser:
        yield browser


@pytest.fixture
async def tab(browser_of_the_grant: GrantedBrowser) -> AsyncIterator[Granted]:
    async with browser_of_the_grant.client() as granted:
        yield granted


READERS: list[tuple[str, dict[str, Any]]] = [
    ("snapshot", {}),
    ("screenshot", {}),
    ("get_text", {}),
    ("get_html", {}),
    ("read_as_markdown", {}),
    ("extract_links", {}),
    ("elements", {"selector": "h1"}),
    ("find", {"text": "words"}),
    ("pdf", {}),
]


async def test_outside_the_grant_nothing_is_read_and_nothing_is_done(tab: Granted, mine: Site, other: Site) -> None:
    assert "granted words" in await tab.call("snapshot")
    # The person, or the page, takes the tab away.
    landed = await tab.call("click", selector="a")
    assert SECRET not in landed
    for tool, arguments in READERS:
        refusal = await tab.refusal(tool, **arguments)
        assert "POLICY_DENIED" in refusal, tool
        assert SECRET not in refusal, tool
        assert f"127.0.0.1:{other.port}" in refusal, tool
    for tool, arguments in [("click", {"selector": "button"}), ("press", {"key": "Enter"}), ("reload", {})]:
        refusal = await tab.refusal(tool, **arguments)
        assert "POLICY_DENIED" in refusal, tool
        assert SECRET not in refusal, tool
    listed = await call(tab.client, "list_tabs") + await call(tab.client, "status")
    assert SECRET not in listed
    # The tab can be taken back, and what it shows is readable again.
    await tab.call("navigate", url=f"{mine.url}/")
    assert "granted words" in await tab.call("snapshot")
    for tool in ("logs", "network"):
        assert SECRET not in await tab.call(tool), tool


async def test_a_navigation_out_of_the_grant_is_not_even_asked_for(tab: Granted, mine: Site, other: Site) -> None:
    for number, address in enumerate(
        (
            f"{other.url}/n0?data=stolen",
            f"http://127.0.0.1:{mine.port}@127.0.0.1:{other.port}/n1",
            f"http:\\\\127.0.0.1:{other.port}\\n2",
            f"http://2130706433:{other.port}/n3",
            f"http://0x7f.1:{other.port}/n4",
            f"//127.0.0.1:{other.port}/n5",
            f"127.0.0.1:{other.port}/n6",
            f"http://localhost:{other.port}/n7",
        )
    ):
        for tool in ("navigate", "tab_new"):
            refusal = await tab.refusal(tool, url=address)
            assert "POLICY_DENIED" in refusal or "INVALID_PARAMS" in refusal, address
        assert not any(f"/n{number}" in asked for asked in other.asked), address
    for address in ("javascript:alert(1)", "chrome://version", "file:///etc/passwd", "view-source:" + mine.url):
        await tab.refusal("navigate", url=address)
    assert "granted words" in await tab.call("snapshot")


async def test_a_redirect_out_of_the_grant_is_stopped_before_anything_is_read(
    tab: Granted, mine: Site, other: Site
) -> None:
    result = await tab.client.call_tool(
        "kapturemcp_navigate", {"tabId": tab.tab, "url": f"{mine.url}/redirect", "snapshot": "full"}
    )
    assert SECRET not in result.model_dump_json()
    assert "POLICY_DENIED" in await tab.refusal("get_text")
    assert SECRET not in (await tab.client.call_tool("kapturemcp_go_back", {"tabId": tab.tab})).model_dump_json()
    forward = await tab.client.call_tool("kapturemcp_go_forward", {"tabId": tab.tab, "snapshot": "full"})
    assert SECRET not in forward.model_dump_json()


async def test_a_download_that_is_redirected_out_of_the_grant_keeps_nothing(
    tab: Granted, mine: Site, other: Site
) -> None:
    assert await tab.refusal("download_file", url=f"{mine.url}/redirect")
    assert not list((tab.hub.home / "downloads").glob("*"))
    assert "downloaded" in await tab.call("download_file", url=f"{mine.url}/")


# Another port of the host is another site to the grant, and shares the process; `localhost` has a process of its own.
@pytest.mark.parametrize("page", ["/framed", "/framed-elsewhere", "/nested"])
async def test_a_frame_outside_the_grant_shows_that_it_is_there_and_no_more(
    tab: Granted, mine: Site, other: Site, page: str
) -> None:
    await tab.call("navigate", url=mine.url + page)
    shown = await tab.call("snapshot")
    assert "granted words" in shown
    origin = other.url_of_another_process if page == "/framed-elsewhere" else other.url
    assert f"(not granted: {origin})" in shown
    assert SECRET not in shown
    missing = await tab.refusal("click", target={"text": "No such words"})
    assert f"The frames of {origin} were not searched" in missing
    assert SECRET not in missing
    if page == "/nested":
        assert "inner words" in shown
    for tool, arguments in READERS:
        result = await tab.client.call_tool(f"kapturemcp_{tool}", {"tabId": tab.tab, **arguments})
        if tool not in ("screenshot", "pdf"):
            assert SECRET not in result.model_dump_json(), tool
    for tool in ("logs", "network", "tab_info"):
        assert SECRET not in await tab.call(tool), tool


@pytest.mark.parametrize("page", ["/acting", "/acting-elsewhere"])
async def test_a_frame_outside_the_grant_is_not_acted_on_either(
    tab: Granted, mine: Site, other: Site, page: str
) -> None:
    await tab.call("navigate", url=mine.url + page)
    acts: list[tuple[str, dict[str, Any]]] = [
        ("mouse", {"action": "click", "x": 100, "y": 100}),
        ("click", {"target": {"x": 100, "y": 100}}),
        ("click", {"selector": "iframe"}),
        ("press", {"key": "a"}),
        ("type", {"text": "typed"}),
        ("paste", {"text": "pasted"}),
        ("drag", {"source": {"x": 300, "y": 100}, "target": {"x": 100, "y": 100}}),
    ]
    for tool, arguments in acts:
        await tab.client.call_tool(f"kapturemcp_{tool}", {"tabId": tab.tab, **arguments})
    acted = [asked for asked in other.asked if asked.startswith("/acted")]
    assert acted == []


@pytest.mark.parametrize("page", ["/framed", "/nested", "/acting", "/acting-elsewhere"])
async def test_a_granted_page_is_acted_on_though_frames_in_it_are_not_granted(
    tab: Granted, mine: Site, other: Site, page: str
) -> None:
    await tab.call("navigate", url=mine.url + page)
    await tab.call("click", selector="#own")
    await tab.call("press", key="Enter", selector="#own")
    assert "pressed 2" in await tab.call("get_text", selector="#own")


async def test_the_clipboard_is_pasted_at_the_level_full_only(tab: Granted, mine: Site) -> None:
    await tab.call("navigate", url=f"{mine.url}/clipboard")
    for chord in ("ControlOrMeta+a", "ControlOrMeta+c"):
        await tab.call("press", selector="#from", key=chord)
    await tab.call("click", selector="#to")
    for chord in ("Control+v", "ControlOrMeta+V", "Shift+Insert", "Control+Shift+v"):
        assert "POLICY_DENIED" in await tab.refusal("press", key=chord), chord
    await tab.call("press", key="Control", action="down")
    for tool, arguments in (
        ("press", {"key": "v"}),
        ("type", {"text": "v"}),
        ("press", {"key": "v", "action": "down"}),
    ):
        assert "clipboard" in await tab.refusal(tool, **arguments)
    await tab.call("press", key="Control", action="up")
    assert SECRET not in await tab.call("get_html", selector="#to")


async def test_the_level_read_changes_nothing(tmp_path: Path, mine: Site, other: Site) -> None:
    async with granted(tmp_path, mine, level="read") as tab:
        assert "granted words" in await tab.call("get_text")
        for tool, arguments in [
            ("click", {"selector": "button"}),
            ("fill", {"selector": "button", "value": "x"}),
            ("navigate", {"url": f"{mine.url}/framed"}),
            ("tab_new", {}),
        ]:
            refusal = await tab.refusal(tool, **arguments)
            assert "POLICY_DENIED" in refusal, tool
            assert "interact" in refusal, tool


async def test_a_policy_file_caps_what_the_browser_was_granted(tmp_path: Path, mine: Site, other: Site) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "policy.toml").write_text(f'deny = ["*:{other.port}", "*/framed"]\nevaluate = false\n')
    async with granted(tmp_path, mine, level="full") as tab:
        assert "policy denies" in await tab.refusal("navigate", url=f"{mine.url}/framed")
        assert "policy denies" in await tab.refusal("navigate", url=f"{other.url}/")
        assert "policy forbids" in await tab.refusal("evaluate", code="1")
        assert "granted words" in await tab.call("get_text")
