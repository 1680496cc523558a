"""Input is read back from the page: taken, changed, or refused."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

from typing import Any

import pytest

from kapture.errors import ErrorCode
from tests.support.context import open_tab
from tests.support.site import Site

pytestmark = pytest.mark.e2e

FORM = "<form onsubmit='event.preventDefault(); document.title += \"sent\"'><input id=g aria-label=Good>{}<button>Send</button></form>"

REFUSING = {
    "cancels input": "<input id=f value=old onbeforeinput='event.preventDefault()'>",
    "resets at once": "<input id=f value=old oninput='this.value = \"old\"'>",
    "resets in the next frame": "<input id=f value=old oninput='requestAnimationFrame(() => (this.value = \"old\"))'>",
    "resets by a timer": "<input id=f value=old oninput='setTimeout(() => (this.value = \"old\"), 10)'>",
    "empties": "<input id=f oninput='this.value = \"\"'>",
    "an editor that cancels": "<div id=f contenteditable=true role=textbox onbeforeinput='event.preventDefault()'>old</div>",
}


@pytest.mark.parametrize("kind", REFUSING)
@pytest.mark.parametrize("command", ["fill", "type", "type at once", "paste"])
async def test_a_field_that_takes_nothing_is_an_error(browser: int, site: Site, kind: str, command: str) -> None:
    site.pages["/f"] = "<title></title>" + REFUSING[kind]
    arguments: dict[str, Any] = {"fill": {"value": "new"}, "paste": {"text": "new"}}.get(command, {"text": "new"})
    if command == "type at once":
        arguments["key_events"] = False
    async with open_tab(browser, site.url("/f")) as tab:
        error = await tab.fails(command.split()[0], selector="#f", **arguments)
        assert error.code is ErrorCode.VALUE_REFUSED
        assert "empty" in error.message or "old" in error.message


@pytest.mark.parametrize("kind", REFUSING)
async def test_a_form_with_a_field_that_takes_nothing_is_not_submitted(browser: int, site: Site, kind: str) -> None:
    site.pages["/f"] = "<title></title>" + FORM.format(REFUSING[kind])
    async with open_tab(browser, site.url("/f")) as tab:
        fields = [{"selector": "#f", "value": "new"}, {"selector": "#g", "value": "good"}]
        text = await tab.text("fill_form", fields=fields, submit=True)
        assert "VALUE_REFUSED" in text
        assert "not submitted" in text
        assert await tab.page.evaluate("document.title") == ""


@pytest.mark.parametrize(
    ("html", "note"),
    [
        ("<input id=f maxlength=3>", '"123"'),
        ("<input id=f oninput='this.value = `(${this.value.replace(/\\D/g, \"\")})`'>", '"(12345)"'),
        ("<input id=f oninput='setTimeout(() => (this.value += \"!\"))'>", '"12345!"'),
    ],
)
async def test_a_field_that_takes_something_else_is_no_error(browser: int, site: Site, html: str, note: str) -> None:
    site.pages["/f"] = html
    async with open_tab(browser, site.url("/f")) as tab:
        for _ in range(2):
            assert note in await tab.text("fill", selector="#f", value="12345")


async def test_text_for_a_button_does_not_go_into_the_editor_with_the_selection(browser: int, site: Site) -> None:
    site.pages["/f"] = "<div id=e contenteditable=true>old</div><button id=b>B</button>"
    async with open_tab(browser, site.url("/f")) as tab:
        await tab("click", selector="#e")
        error = await tab.fails("type", selector="#b", text="x", key_events=False)
        assert "not a field" in error.message
        assert (await tab.fails("paste", selector="#b", text="x")).code is ErrorCode.ELEMENT_NOT_ACTIONABLE
        text = await tab.text("type", selector="#b", text="x")
        assert "typed" not in text
        assert await tab.page.evaluate("e.textContent") == "old"


async def test_a_character_that_a_field_refuses_is_an_error_of_press(browser: int, site: Site) -> None:
    site.pages["/f"] = "<input id=f maxlength=1 value=a>"
    async with open_tab(browser, site.url("/f")) as tab:
        for target in ({"selector": "#f"}, {}):
            assert (await tab.fails("press", key="b", **target)).code is ErrorCode.VALUE_REFUSED
        await tab("press", key="ArrowLeft")


async def test_a_select_whose_page_chooses_another_option_says_so(browser: int, site: Site) -> None:
    site.pages["/f"] = (
        "<select id=f onchange='requestAnimationFrame(() => (this.value = wants))'><option>A<option>B<option>C</select><script>wants = 'C'</script>"
    )
    async with open_tab(browser, site.url("/f")) as tab:
        assert '"C"' in await tab.text("select", selector="#f", value="B")
        await tab.page.evaluate("(f.value = wants = 'A', 0)")
        assert (await tab.fails("select", selector="#f", value="B")).code is ErrorCode.VALUE_REFUSED


async def test_a_batch_does_not_go_on_after_a_field_that_takes_nothing(browser: int, site: Site) -> None:
    site.pages["/f"] = (
        "<title></title>" + REFUSING["resets in the next frame"] + "<button onclick='document.title = 1'>Go</button>"
    )
    async with open_tab(browser, site.url("/f")) as tab:
        steps = [
            {"command": "fill", "arguments": {"selector": "#f", "value": "new"}},
            {"command": "click", "arguments": {"selector": "button"}},
        ]
        await tab("batch", steps=steps)
        assert await tab.page.evaluate("document.title") == ""


async def test_lines_typed_into_an_editor_stay_lines(browser: int, site: Site) -> None:
    site.pages["/f"] = "<div id=f contenteditable=true role=textbox></div>"
    async with open_tab(browser, site.url("/f")) as tab:
        for command, arguments in (("type", {"text": "a\nb"}), ("paste", {"text": "\nc\nd"})):
            await tab(command, selector="#f", **arguments)
        assert (await tab.page.evaluate("f.innerText")).split() == ["a", "b", "c", "d"]


LEFT = """<form onsubmit='event.preventDefault(); document.title += "sent"'><input id=f aria-label=Mail required>
<button id=b disabled>Order</button></form><script>f.onblur = () => { setTimeout(() => (b.disabled = !f.value), 50) }</script>"""


@pytest.mark.parametrize("way", ["submit", "submit_target", "click"])
async def test_a_field_is_left_before_a_disabled_button_is_pressed(browser: int, site: Site, way: str) -> None:
    site.pages["/f"] = "<title></title>" + LEFT
    async with open_tab(browser, site.url("/f")) as tab:
        ways: dict[str, dict[str, Any]] = {
            "submit": {"submit": True},
            "submit_target": {"submit_target": {"css": "#b"}},
        }
        more = ways.get(way, {})
        await tab("fill_form", fields=[{"selector": "#f", "value": "ann@example.org"}], **more)
        if way == "click":
            await tab("click", selector="#b")
        assert await tab.page.evaluate("document.title") == "sent"


async def test_the_error_of_a_disabled_button_names_the_invalid_fields(browser: int, site: Site) -> None:
    site.pages["/f"] = "<title></title>" + LEFT
    async with open_tab(browser, site.url("/f")) as tab:
        error = await tab.gives_up("click", selector="#b")
        assert 'invalid: textbox "Mail"' in error.message


async def test_the_text_of_a_field_is_its_value_untrimmed(browser: int, site: Site) -> None:
    site.pages["/f"] = "<textarea id=f>\n\n  a\n b  </textarea>"
    async with open_tab(browser, site.url("/f")) as tab:
        assert (await tab.data("get_text", selector="#f"))["content"] == "\n  a\n b  "


async def test_a_drag_that_moves_nothing_is_an_error_that_names_a_longer_press(browser: int, site: Site) -> None:
    site.pages[
        "/f"
    ] = """<div id=a style='width:50px;height:50px;user-select:none'>a</div><div id=b style='height:50px'>b</div><script>
    let since; a.onpointerdown = () => (since = performance.now());
    onpointermove = () => { if (since && performance.now() - since > 200) a.style.marginLeft = "40px"; since = undefined };</script>"""
    async with open_tab(browser, site.url("/f")) as tab:
        error = await tab.fails("drag", source="#a", target="#b")
        assert "hold_ms" in error.hint
        assert "moved by 40, 0" in await tab.text("drag", source="#a", target="#b", hold_ms=300)


async def test_names_match_whether_or_not_their_letters_are_composed(browser: int, site: Site) -> None:
    site.pages["/f"] = (
        "<button onclick='document.title = 1'>Cafe\u0301</button><select id=s><option>A<option>Ze\u0301</select>"
    )
    async with open_tab(browser, site.url("/f")) as tab:
        await tab("click", target={"role": "button", "name": "Caf\u00e9", "exact": True})
        assert await tab.page.evaluate("document.title") == "1"
        await tab("select", selector="#s", label="Z\u00e9")


async def test_visible_aria_hidden_control_is_shown_and_found(browser: int, site: Site) -> None:
    site.pages["/f"] = """<div aria-hidden=true><h1>Bills</h1><button onclick='document.title = 1'>Pay</button></div>
    <button aria-label=Save><i aria-hidden=true>x</i></button><div inert><button>Frozen</button></div>
    <div style='position:fixed;inset:200px 0 0 0;background:#fff'></div>
    <div aria-hidden=true style='margin-top:250px'><button>Behind</button></div>"""
    async with open_tab(browser, site.url("/f")) as tab:
        text = await tab.text("snapshot")
        assert '"[aria-hidden]"' in text
        assert 'heading "Bills"' in text
        assert "Behind" not in text
        assert "2 controls are drawn but aria-hidden or inert" in text
        await tab("click", target={"role": "button", "name": "Pay"})
        assert await tab.page.evaluate("document.title") == "1"
