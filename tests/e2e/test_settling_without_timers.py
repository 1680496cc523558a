"""Effects of an action that come later without a timer: of workers, of animation frames, of databases."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import threading
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
import trio
from trio_websocket import ConnectionClosed, WebSocketRequest, serve_websocket

from kapture.commands.core import later_effects
from kapture.page import Page as KapturePage
from tests.support.context import open_tab
from tests.support.settling import at, patient
from tests.support.site import Page, Site

pytestmark = pytest.mark.e2e

WORKER = """const work = new Worker(URL.createObjectURL(new Blob([
  "onmessage = () => { for (const at = Date.now(); Date.now() - at < 300;); postMessage(0) }"])));
  work.onmessage = () => x.textContent = "Copied!"; x.onclick = () => work.postMessage(0);"""
FRAMES = """x.onclick = () => { let left = 20; (function step() {
  if ((left -= 1) > 0) requestAnimationFrame(step); else x.textContent = "Copied!" })() }"""
DATABASE = """x.disabled = true; const opening = indexedDB.open("notes");
  opening.onupgradeneeded = () => opening.result.createObjectStore("notes", { autoIncrement: true });
  opening.onsuccess = () => x.disabled = false;
  x.onclick = () => (function save(left) {
    const transaction = opening.result.transaction("notes", "readwrite");
    transaction.objectStore("notes").add("x".repeat(10_000));
    transaction.oncomplete = () => left ? save(left - 1) : x.textContent = "Copied!";
  })(50)"""

# Promises of the browser itself, which leave no trace.
ENCRYPTION = """x.onclick = async () => {
  const key = await crypto.subtle.importKey("raw", new Uint8Array(8), "PBKDF2", false, ["deriveBits"]);
  await crypto.subtle.deriveBits({ name: "PBKDF2", hash: "SHA-256", salt: new Uint8Array(8), iterations: 3e5 }, key, 256);
  x.textContent = "Copied!" }"""
CACHE = """x.onclick = async () => {
  const cache = await caches.open("notes");
  for (let left = 10; left > 0; left -= 1) await cache.put("/" + left, new Response("x".repeat(100_000)));
  x.textContent = "Copied!" }"""
ANIMATION = """x.onclick = () => x.animate([{ color: "red" }, { color: "blue" }], 600).finished.then(() => x.textContent = "Copied!")"""
DELEGATED = f"""{ENCRYPTION.replace("x.onclick", "const copy")}
  document.onclick = ({{ target }}) => {{ if (target === x) copy() }}"""
UNTIMED = {
    "a worker": WORKER,
    "frames": FRAMES,
    "a database": DATABASE,
    "encryption": ENCRYPTION,
    "a cache": CACHE,
    "an animation": ANIMATION,
    "a listener above": DELEGATED,
}


@pytest.mark.parametrize("script", UNTIMED.values(), ids=UNTIMED.keys())
async def test_an_effect_that_comes_without_a_timer_is_part_of_the_answer(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    patient(monkeypatch)
    monkeypatch.setattr(later_effects, "UNTRACED_CHANGE_S", 10)
    async with open_tab(browser) as tab:
        await at(tab, site, f"<button id=x>Copy</button><script>{script}</script>")
        await tab("wait_for_function", code="!x.disabled", timeout=60_000)
        await tab("snapshot")
        answer = await tab.text("click", selector="#x", timeout=60_000)
        assert 'button "Copied!"' in answer


ENDS_OF_ANIMATIONS = {
    "a transition": "<style>#x { transition: translate 600ms } .on { translate: 90px }</style>"
    "<script>x.onclick = () => x.classList.toggle('on'); x.ontransitionend = () => x.textContent = 'Copied!'</script>",
    "an animation": "<style>@keyframes go { to { translate: 90px } } .on { animation: go 600ms }</style>"
    "<script>x.onclick = () => x.classList.toggle('on'); x.onanimationend = () => x.textContent = 'Copied!'</script>",
}


@pytest.mark.parametrize("page", ENDS_OF_ANIMATIONS.values(), ids=ENDS_OF_ANIMATIONS.keys())
async def test_what_follows_the_animation_of_a_new_look_is_part_of_the_answer(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    patient(monkeypatch)
    monkeypatch.setattr(later_effects, "AFTER_ANIMATION_S", 10)
    async with open_tab(browser) as tab:
        await at(tab, site, f"<button id=x>Copy</button>{page}")
        await tab("snapshot")
        assert 'button "Copied!"' in await tab.text("click", selector="#x", timeout=60_000)


IMAGE = """x.onclick = () => { const image = new Image(); image.onload = () => x.textContent = "Copied!"; image.src = "/slow" }"""
_DRAWING = "<svg xmlns='http://www.w3.org/2000/svg' width='5' height='5'/>"


async def test_an_effect_that_an_image_brings_is_part_of_the_answer(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient(monkeypatch)
    monkeypatch.setattr(later_effects, "REPLY_S", 30)
    arrives = threading.Event()
    site.pages["/slow"] = Page(_DRAWING, headers={"Content-Type": "image/svg+xml"}, wait=arrives)
    async with open_tab(browser) as tab:
        await at(tab, site, f"<button id=x>Copy</button><script>{IMAGE}</script>")
        await tab("snapshot")
        waiting = trio.Event()
        _tell(monkeypatch, tab.page, waiting)
        async with trio.open_nursery() as nursery:

            async def let_it_come() -> None:
                await waiting.wait()
                arrives.set()

            nursery.start_soon(let_it_come)
            assert 'button "Copied!"' in await tab.text("click", selector="#x", timeout=60_000)


async def test_a_reply_over_a_web_socket_is_part_of_the_answer(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient(monkeypatch)
    monkeypatch.setattr(later_effects, "REPLY_S", 30)
    waiting = trio.Event()

    async def reply_late(request: WebSocketRequest) -> None:
        socket = await request.accept()
        with suppress(ConnectionClosed):
            await socket.get_message()
            await waiting.wait()
            await socket.send_message("copied")

    async with trio.open_nursery() as nursery, open_tab(browser) as tab:
        server = await nursery.start(partial(serve_websocket, reply_late, "127.0.0.1", 0, None))
        await at(
            tab,
            site,
            f"""<button id=x disabled>Copy</button><script>const socket = new WebSocket("ws://127.0.0.1:{server.port}/");
            socket.onopen = () => x.disabled = false;
            socket.onmessage = () => x.textContent = "Copied!";
            x.onclick = () => socket.send("copy")</script>""",
        )
        await tab("wait_for_function", code="!x.disabled", timeout=60_000)
        await tab("snapshot")
        _tell(monkeypatch, tab.page, waiting)
        assert 'button "Copied!"' in await tab.text("click", selector="#x", timeout=60_000)
        nursery.cancel_scope.cancel()


# What a press brings waits for a lock, which the test holds.
HELD = """x.onclick = () => navigator.locks.request("held", () => { x.textContent += "!" });
  const hold = () => new Promise((held) =>
    navigator.locks.request("held", () => { held(); return new Promise((release) => window.release = release) }))"""


async def test_what_was_pressed_in_vain_is_not_waited_for_again(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient(monkeypatch)
    waits = False

    async def noted(*args: Any) -> bool:
        nonlocal waits
        waits = True
        await tab.page.evaluate("release()")
        return await first_change(*args)

    async def none() -> bool:
        return False

    async with open_tab(browser) as tab:
        monkeypatch.setattr(tab.page.databases, "exist", none)  # tests before may have left some
        first_change = tab.page.first_change
        monkeypatch.setattr(tab.page, "first_change", noted)

        async def press(selector: str) -> bool:
            nonlocal waits
            waits = False
            await tab.page.evaluate("hold()")
            await tab("click", selector=selector, timeout=60_000)
            await tab.page.evaluate("release()")
            return waits

        vain = "<button id=y onclick='window.n = 1'>Vain</button><button id=z>Nobody listens</button>"
        await at(tab, site, f"<button id=x>Copy</button>{vain}<script>{HELD}</script>")
        await tab("snapshot")
        assert [await press("#z"), await press("#y"), await press("#y")] == [False, True, False]
        monkeypatch.setattr(later_effects, "UNTRACED_CHANGE_S", 10)
        assert [await press("#x"), await press("#x")] == [True, True], "what brings something is waited for again"
        assert await tab.page.evaluate("x.textContent") == "Copy!!"


# The first press has an effect at once; what the second one brings waits for a lock.
THEN_HELD = HELD.replace("x.onclick = () =>", "x.onclick = () => x.textContent === 'Copy' ? x.textContent = 'Again' :")


async def test_what_showed_an_effect_at_once_was_not_pressed_in_vain(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient(monkeypatch)
    monkeypatch.setattr(later_effects, "UNTRACED_CHANGE_S", 30)

    async def release(*args: Any) -> bool:
        await tab.page.evaluate("release()")
        return await first_change(*args)

    async def none() -> bool:
        return False

    async with open_tab(browser) as tab:
        monkeypatch.setattr(tab.page.databases, "exist", none)  # tests before may have left some
        first_change = tab.page.first_change
        monkeypatch.setattr(tab.page, "first_change", release)
        await at(tab, site, f"<button id=x>Copy</button><script>{THEN_HELD}</script>")
        await tab("snapshot")
        assert 'button "Again"' in await tab.text("click", selector="#x", timeout=60_000)
        await tab.page.evaluate("hold()")
        assert 'button "Again!"' in await tab.text("click", selector="#x", timeout=60_000)


def _tell(monkeypatch: pytest.MonkeyPatch, page: KapturePage, waiting: trio.Event) -> None:
    """Set `waiting` when the first change after an action is waited for."""
    first_change = page.first_change

    async def told(*args: Any) -> bool:
        waiting.set()
        return await first_change(*args)

    monkeypatch.setattr(page, "first_change", told)


async def test_a_page_that_draws_by_itself_is_not_said_to_draw_because_of_an_action(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            """<button id=x>Go</button><canvas></canvas><script>
            (function draw() { window.n = (window.n ?? 0) + 1; requestAnimationFrame(draw) })()</script>""",
        )
        await tab("snapshot")
        await tab("click", selector="#x", snapshot="none")
        was = await tab.page.evaluate("n")
        await tab("wait_for_function", code=f"n > {was + 60}", timeout=60_000)
        answer = await tab.text("click", selector="#x")
        assert "clicked" in answer
        assert "animation" not in answer


async def test_an_animation_that_shows_nothing_yet_is_said_to_run(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(later_effects, "FIRST_CHANGE_S", 0.01)
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            "<button id=x>Go</button><script>x.onclick = function draw() { requestAnimationFrame(draw) }</script>",
        )
        await tab("snapshot")
        assert "no other change yet; an animation is running" in await tab.text("click", selector="#x")


@pytest.mark.parametrize(
    ("animates", "said"),
    [("duration: 60_000", True), ("duration: 50", False), ("duration: 50, iterations: Infinity", False)],
)
async def test_an_animation_that_is_too_long_to_be_waited_for_is_said_to_run(
    browser: int, site: Site, animates: str, said: bool
) -> None:
    """One without an end, such as that of a spinner, is no sign that something comes."""
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            f"<button id=x>Go</button><p id=p>Text</p><script>x.onclick = () => p.animate([{{opacity: .5}}, {{opacity: 1}}], {{{animates}}})</script>",
        )
        await tab("click", selector="#x", snapshot="none")  # it has the focus from here on
        await tab("snapshot")
        assert ("no change yet; an animation is running" in await tab.text("click", selector="#x")) is said
