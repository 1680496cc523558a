"""Keys, text, pasting, and the mouse at coordinates, as the page sees them."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import pytest

from kapture.errors import ErrorCode, KaptureError
from tests.support.context import open_tab
from tests.support.site import Site

pytestmark = pytest.mark.e2e


KEYS = """<input id=a value=one><textarea id=t>text</textarea><div id=e contenteditable>rich</div><script>
window.keys = [];
for (const kind of ['keydown', 'keypress', 'keyup'])
  addEventListener(kind, (e) => keys.push([kind, e.key, e.code, e.ctrlKey, e.shiftKey, e.repeat, e.isTrusted]), true);
</script>"""


async def test_type_goes_on_where_the_text_ends_and_can_replace_it(browser: int, site: Site) -> None:
    site.pages["/keys"] = KEYS
    async with open_tab(browser, site.url("/keys")) as tab:
        typed = await tab.text("type", selector="#a", text=" two", key_events=False)
        assert typed.startswith("typed 4 characters into <input>")
        assert await tab.page.evaluate("a.value") == "one two"
        assert await tab.page.evaluate("keys") == []
        await tab("type", selector="#a", text="three", clear=True)
        assert await tab.page.evaluate("a.value") == "three"
        await tab("type", text="!")
        assert await tab.page.evaluate("a.value") == "three!"
        await tab("type", selector="#e", text=" text")
        assert await tab.page.evaluate("e.innerText") == "rich text"


async def test_key_events_come_for_each_character_where_asked(browser: int, site: Site) -> None:
    site.pages["/keys"] = KEYS
    async with open_tab(browser, site.url("/keys")) as tab:
        await tab("type", selector="#a", text="Hé!\n", clear=True, key_events=True)
        assert await tab.page.evaluate("a.value") == "Hé!"
        keys = await tab.page.evaluate("keys.filter(([kind]) => kind === 'keydown')")
        assert [(key[1], key[2], key[4]) for key in keys] == [
            ("H", "KeyH", True),
            ("!", "Digit1", True),
            ("Enter", "Enter", False),
        ]
        assert all(key[-1] for key in await tab.page.evaluate("keys"))


async def test_chords_are_commands_and_type_nothing(browser: int, site: Site) -> None:
    site.pages["/keys"] = KEYS
    async with open_tab(browser, site.url("/keys")) as tab:
        await tab("press", selector="#a", key="Control+Shift+P")
        keys = await tab.page.evaluate("keys")
        assert [key[:2] for key in keys] == [
            ["keydown", "Control"],
            ["keydown", "Shift"],
            ["keydown", "P"],
            ["keyup", "P"],
            ["keyup", "Shift"],
            ["keyup", "Control"],
        ]
        assert keys[2][3:5] == [True, True]
        assert await tab.page.evaluate("a.value") == "one"


async def test_editing_keys_edit(browser: int, site: Site) -> None:
    site.pages["/keys"] = KEYS
    async with open_tab(browser, site.url("/keys")) as tab:
        await tab("press", selector="#a", key="End")
        await tab("press", key="Backspace", count=2)
        assert await tab.page.evaluate("a.value") == "o"
        await tab("press", key="Control+a")
        await tab("press", key="x")
        assert await tab.page.evaluate("a.value") == "x"
        await tab("press", key="Tab")
        assert await tab.page.evaluate("document.activeElement.id") == "t"
        await tab("press", key="Control+End")
        await tab("press", key="Enter")
        await tab("press", key="Shift+a")
        assert await tab.page.evaluate("t.value") == "text\nA"


async def test_a_held_key_repeats_until_it_is_let_go(browser: int, site: Site) -> None:
    site.pages["/keys"] = KEYS
    async with open_tab(browser, site.url("/keys")) as tab:
        await tab("press", selector="#a", key="Shift", action="down")
        await tab("press", key="ArrowLeft")
        assert await tab.page.evaluate("keys.at(-1)[4]") is True
        await tab("press", key="Shift", action="up")
        await tab("press", key="ArrowLeft")
        assert await tab.page.evaluate("keys.at(-1)[4]") is False
        await tab("press", key="w", action="down")
        await tab("press", key="w", action="down")
        assert [key[5] for key in await tab.page.evaluate("keys.filter(([k, n]) => k === 'keydown' && n === 'w')")] == [
            False,
            True,
        ]
        await tab("press", key="w", action="up")


@pytest.mark.parametrize("key", ["Foo", "Control+", "A+B", "", "Enter+Control"])
async def test_keys_that_do_not_exist_are_refused(browser: int, site: Site, key: str) -> None:
    site.pages["/keys"] = KEYS
    async with open_tab(browser, site.url("/keys")) as tab:
        error = await tab.fails("press", key=key)
        assert error.code is ErrorCode.INVALID_PARAMS


async def test_enter_submits_after_typing(browser: int, site: Site) -> None:
    site.pages["/search"] = "<form action=/found><input name=q></form>"
    site.pages["/found"] = "<title>Found</title>"
    async with open_tab(browser, site.url("/search")) as tab:
        answer = await tab.text("type", selector="[name=q]", text="kapture", press_enter=True)
        assert f"navigated to {site.url('/found?q=kapture')}" in answer


HOSTILE = """<p style="color: red; margin: 1px" onclick="x()">Dear <b>Ada</b>,<script>x()</script></p><img src=x onerror="x()">
<iframe srcdoc="<script>parent.x()</script>"></iframe><form name=a><input name=attributes><i>in a form</i></form>
<svg><style><img src=x onerror="x()"></style></svg><details open ontoggle="x()"><u>more</u></details>
<img src="http://other.test/?words" srcset="http://other.test/2 2x" alt=far><img src="/near.png" alt=near>
<s style="background: u\\72l(http://other.test/)">s</s><a href="javascript:x()">run</a><a href="http://other.test/" ping="//other.test/">go</a>
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=x()&gt;">"""


async def test_pasted_html_has_no_code_and_asks_no_other_site(browser: int, site: Site) -> None:
    site.pages["/edited"] = "<div id=e contenteditable></div>"
    async with open_tab(browser, site.url("/edited")) as tab:
        found = ""
        for html in HOSTILE.splitlines():
            await tab.page.evaluate("e.innerHTML = ''")
            if "<math>" in html:  # nothing of it is harmless
                assert (await tab.fails("paste", selector="#e", text="t", html=html)).code is ErrorCode.VALUE_REFUSED
            else:
                await tab("paste", selector="#e", text="t", html=html)
            found += await tab.page.evaluate("e.innerHTML")
        for hostile in ("x()", "script", "iframe", "<form", "details", "<svg", "other.test/?", "srcset", "72l", "ping"):
            assert hostile not in found, found
        for kept in (
            "<b>Ada</b>",
            "<i>in a form</i>",
            "<u>more</u>",
            'src="/near.png"',
            'href="http://other.test/"',
            "color: red",
        ):
            assert kept in found, found


async def test_paste_is_offered_to_the_page_before_it_is_inserted(browser: int, site: Site) -> None:
    site.pages["/paste"] = """<input id=a><div id=e contenteditable></div><div id=own tabindex=0>grid</div><script>
    own.addEventListener('paste', (e) => { window.pasted = e.clipboardData.getData('text/plain'); e.preventDefault(); });</script>"""
    async with open_tab(browser, site.url("/paste")) as tab:
        await tab("paste", selector="#a", text="plain")
        assert await tab.page.evaluate("a.value") == "plain"
        await tab("paste", selector="#own", text="1\t2\n3\t4")
        assert await tab.page.evaluate("pasted") == "1\t2\n3\t4"
        await tab("paste", selector="#e", text="bold", html="<b>bold</b>")
        assert "<b>bold</b>" in await tab.page.evaluate("e.innerHTML")


async def test_html_that_a_page_with_trusted_types_refuses_is_to_be_pasted_as_text(browser: int, site: Site) -> None:
    site.pages["/typed"] = """<meta http-equiv=Content-Security-Policy content="require-trusted-types-for 'script'">
    <div id=e contenteditable></div>"""
    async with open_tab(browser, site.url("/typed")) as tab:
        error = await tab.fails("paste", selector="#e", text="bold", html="<b>bold</b>")
        assert (error.code, error.hint) == (ErrorCode.EXECUTION_ERROR, "Paste it as plain text, without html.")
        assert "Trusted Types" in error.message
        await tab("paste", selector="#e", text="bold")
        assert await tab.page.evaluate("e.innerText") == "bold"


async def test_escape_leaves_full_screen_and_lets_the_pointer_go(browser: int, site: Site) -> None:
    site.pages["/full"] = """<button id=x onclick="s.requestFullscreen()">Full</button><button id=y>Below</button>
    <button id=z onclick="s.requestPointerLock()">Lock</button><div id=s>stage</div>"""
    async with open_tab(browser, site.url("/full")) as tab:
        await tab("click", selector="#x")
        await tab("wait_for_function", code="document.fullscreenElement === s")
        with pytest.raises(KaptureError, match="fills the screen") as caught:
            await tab("click", selector="#y")
        assert "Escape" in caught.value.hint
        await tab("press", key="Escape")
        await tab("click", selector="#y", timeout=20_000)
        await tab("click", selector="#z")
        await tab("wait_for_function", code="document.pointerLockElement === s")
        await tab("press", key="Escape")
        await tab("wait_for_function", code="document.pointerLockElement === null")


async def test_the_mouse_works_at_coordinates(browser: int, site: Site) -> None:
    site.pages["/mouse"] = """<canvas id=c width=400 height=300></canvas><script>window.seen=[];
    for (const kind of ['mousemove','mousedown','mouseup','wheel']) c.addEventListener(kind, (e) => seen.push([kind, e.offsetX, e.offsetY, e.buttons, e.deltaY ?? 0]));</script>"""
    async with open_tab(browser, site.url("/mouse")) as tab:
        await tab("mouse", action="move", x=28, y=38)
        await tab("mouse", action="down")
        await tab("mouse", action="move", x=48, y=58)
        await tab("mouse", action="up")
        await tab("mouse", action="wheel", x=48, y=58, delta_y=120)
        assert await tab.page.evaluate("seen") == [
            ["mousemove", 20, 30, 0, 0],
            ["mousedown", 20, 30, 1, 0],
            ["mousemove", 40, 50, 1, 0],
            ["mouseup", 40, 50, 0, 0],
            ["wheel", 40, 50, 0, 120],
        ]
        assert (await tab.fails("mouse", action="move", x=5)).code is ErrorCode.INVALID_PARAMS
