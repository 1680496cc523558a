"""Effects of an action that come later without a timer: of workers, of animation frames, of databases."""

from __future__ import annotations

import pytest

from kapture.commands.core import page_after
from tests.support.context import open_tab
from tests.support.settling import at, patient
from tests.support.site import Site

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


@pytest.mark.parametrize("script", [WORKER, FRAMES, DATABASE], ids=["a worker", "frames", "a database"])
async def test_an_effect_that_comes_without_a_timer_is_part_of_the_answer(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    patient(monkeypatch)
    monkeypatch.setattr(page_after, "UNTRACED_CHANGE_S", 10)
    async with open_tab(browser) as tab:
        await at(tab, site, f"<button id=x>Copy</button><script>{script}</script>")
        await tab("wait_for_function", code="!x.disabled", timeout=60_000)
        await tab("snapshot")
        answer = await tab.text("click", selector="#x", timeout=60_000)
        assert 'button "Copied!"' in answer


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
    monkeypatch.setattr(page_after, "FIRST_CHANGE_S", 0.01)
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            "<button id=x>Go</button><script>x.onclick = function draw() { requestAnimationFrame(draw) }</script>",
        )
        await tab("snapshot")
        assert "no other change yet; an animation is running" in await tab.text("click", selector="#x")
