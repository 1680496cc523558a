"""Typing in a real browser: what arrives, and what the answer says of it."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.context import open_tab
from tests.support.site import Site, serving

pytestmark = pytest.mark.e2e

FIELDS = """<title>Fields</title>
<label>Search <input id=search></label><p id=heard></p>
<label>Upper <input id=upper oninput="this.value = this.value.toUpperCase()"></label>
<label>Secret <input id=secret type=password oninput="this.value = this.value.slice(0, 3)"></label>
<label>Born <input id=born type=date></label>
<label>Notes <textarea id=notes>old</textarea></label>
<div id=canvas style="height: 40px" tabindex=0 role=application aria-label=Terminal></div><p id=keys></p>
<script>
  search.addEventListener('keyup', (event) => { heard.textContent += event.key; });
  canvas.addEventListener('keydown', (event) => { keys.textContent += event.key; });
</script>"""


@pytest.fixture
def site() -> Iterator[Site]:
    with serving({"/": FIELDS}) as served:
        yield served


async def test_pages_that_listen_to_keys_hear_typing_without_being_asked_to(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        assert (await tab.text("type", selector="#search", text="abc")).endswith('"Search" ref=e1')
        assert await tab.text("get_text", selector="#heard") == "abc"
        await tab("type", selector="#search", text="d", key_events=False)
        assert await tab.text("get_text", selector="#heard") == "abc"
        await tab("type", selector="#search", text="x" * 201, clear=True)
        assert await tab.text("get_text", selector="#heard") == "abc"
        await tab("type", selector="#canvas", text="ls")
        assert await tab.text("get_text", selector="#keys") == "ls"


async def test_line_breaks_are_inserted_and_press_no_enter(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        assert "now holds" not in await tab.text("type", selector="#notes", text=" one\ntwo")
        assert (await tab.data("evaluate", code="notes.value"))["value"] == "old one\ntwo"


async def test_typing_says_what_the_field_holds_when_it_is_something_else(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        assert (await tab.text("type", selector="#upper", text="abc")).endswith('; the field now holds "ABC"')
        assert (await tab.text("type", selector="#born", text="12312024")).endswith(
            '; the field now holds "2024-12-31"'
        )
        secret = await tab.text("type", selector="#secret", text="sesame")
        assert secret.endswith('; the field now holds "…"')
        assert "ses" not in secret


async def test_typing_where_the_caret_is_says_nothing_of_what_was_there(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        await tab("evaluate", code="notes.focus(); notes.setSelectionRange(1, 1)")
        assert "now holds" not in await tab.text("type", text="--")
        assert (await tab.data("evaluate", code="notes.value"))["value"] == "o--ld"


# The field takes the keys and has no area; the lines are drawn beside it, as in Monaco.
EDITOR = """<div id=editor style="position:relative; width:400px; height:120px; border:1px solid">
<div id=field role=textbox tabindex=0 aria-label=Code style="position:absolute; left:40px; width:0; height:19px"></div>
<div id=lines aria-hidden=true style="height:100%; white-space:pre"></div><button style="position:absolute; right:0; top:0">Copy</button></div>
<script>
  const text = field.editContext = new EditContext();
  text.addEventListener("textupdate", () => lines.textContent = text.text);
  lines.onmousedown = (event) => { event.preventDefault(); document.title = "pressed"; field.focus() };
</script>"""


async def test_an_editor_is_clicked_and_typed_into_where_its_field_has_no_area(browser: int, site: Site) -> None:
    site.pages["/editor"] = EDITOR
    async with open_tab(browser, site.url("/editor")) as tab:
        target = {"role": "textbox", "name": "Code"}
        await tab("click", target=target, timeout=60_000)
        assert await tab.page.evaluate("[document.title, document.activeElement.id]") == ["pressed", "field"]
        await tab("type", target=target, text="let x", timeout=60_000)
        await tab("paste", target=target, text=" = 5", timeout=60_000)
        assert await tab.page.evaluate("lines.textContent") == "let x = 5"
        refused = await tab.fails("fill", target=target, value="other", timeout=60_000)
        assert "paste or type" in refused.hint


async def test_element_without_keyboard_input_says_what_to_do(browser: int, site: Site) -> None:
    site.pages["/tour"] = "<h1>Tour</h1><div inert><button id=x>Go</button></div><div role=dialog>Step 1</div>"
    async with open_tab(browser, site.url("/tour")) as tab:
        error = await tab.fails("type", selector="h1", text="abc")
        assert "cannot be focused" in error.message
        assert "leave target out" in error.hint
        error = await tab.gives_up("click", selector="#x")
        assert "it is inert" in error.message
        assert "dealt with first" in error.hint
