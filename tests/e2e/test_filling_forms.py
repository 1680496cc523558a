"""Filling fields and choosing options, in the ways in which pages make them."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import pytest

from kapture.errors import ErrorCode
from tests.support.context import open_tab
from tests.support.field_log import LOG
from tests.support.site import Site

pytestmark = pytest.mark.e2e


TYPES = {
    "text": "Ada Lovelace",
    "search": "engines",
    "email": "ada@example.com",
    "url": "https://example.com/",
    "tel": "+44 20",
    "password": "s3cret",
    "number": "12.5",
    "date": "2024-02-29",
    "time": "23:59",
    "datetime-local": "2024-02-29T23:59",
    "month": "2024-02",
    "week": "2024-W09",
    "range": "70",
    "color": "#102030",
}


async def test_fill_sets_inputs_of_every_type_and_tells_the_page(browser: int, site: Site) -> None:
    site.pages["/types"] = LOG + "".join(
        f"<label>{kind} <input id={kind} type={kind} step=any></label>" for kind in TYPES
    )
    async with open_tab(browser, site.url("/types")) as tab:
        for kind, value in TYPES.items():
            answer = await tab.text("fill", selector=f"#{kind}", value=value)
            assert answer.startswith("filled <input>")
            assert "made it" not in answer
            assert await tab.page.evaluate(f"document.getElementById('{kind}').value") == value
            reason = [entry[0] for entry in await tab.page.evaluate(f"logged.filter((one) => one[1] === '{kind}')")]
            assert reason[0] == "focus"
            assert "input" in reason
            assert reason[-1] == "change"


async def test_the_field_at_a_point_is_filled_chosen_from_and_typed_into(browser: int, site: Site) -> None:
    box = "position:absolute;top:0;width:100px;height:40px;left:"
    site.pages["/points"] = (
        f"<input id=a style='{box}0'><input id=b autofocus style='{box}200px'><input id=c style='{box}400px'>"
        f"<select id=d style='{box}600px'><option>one<option>two</select><input id=e style='{box}800px'>"
    )
    async with open_tab(browser, site.url("/points")) as tab:
        await tab("fill", target={"x": 50, "y": 20}, value="filled")
        await tab("type", target={"x": 250, "y": 20}, text="typed")
        await tab("press", target={"x": 450, "y": 20}, key="x")
        await tab("select", target={"x": 650, "y": 20}, value="two")
        await tab("fill_form", fields=[{"target": {"x": 850, "y": 20}, "value": "in a form"}])
        await tab("scroll", target={"x": 50, "y": 20})
        assert await tab.page.evaluate("['a', 'b', 'c', 'd', 'e'].map((id) => document.getElementById(id).value)") == [
            *("filled", "typed", "x", "two", "in a form")
        ]


async def test_fill_replaces_what_was_there_and_can_empty_it(browser: int, site: Site) -> None:
    site.pages["/old"] = "<input id=a value='old words'><textarea id=b>old\nlines</textarea>"
    async with open_tab(browser, site.url("/old")) as tab:
        await tab("fill", selector="#a", value="new")
        await tab("fill", selector="#b", value="new\nlines\nhere")
        assert await tab.page.evaluate("[a.value, b.value]") == ["new", "new\nlines\nhere"]
        await tab("fill", selector="#a", value="")
        await tab("fill", selector="#b", value="")
        assert await tab.page.evaluate("[a.value, b.value]") == ["", ""]


@pytest.mark.parametrize(
    ("kind", "value", "like"),
    [("date", "29.2.2024", "2024-12-31"), ("time", "noon", "23:59"), ("range", "much", "number")],
)
async def test_a_value_that_the_type_refuses_is_an_error_that_says_how_to_write_it(
    browser: int, site: Site, kind: str, value: str, like: str
) -> None:
    site.pages["/refuse"] = (
        "<input id=date type=date value=2020-01-01><input id=time type=time><input id=range type=range>"
    )
    async with open_tab(browser, site.url("/refuse")) as tab:
        before = await tab.page.evaluate(f"document.getElementById('{kind}').value")
        error = await tab.fails("fill", selector=f"#{kind}", value=value)
        assert error.code is ErrorCode.INVALID_PARAMS
        assert like in error.hint
        assert await tab.page.evaluate(f"document.getElementById('{kind}').value") == before


async def test_a_range_beyond_its_end_says_what_it_became(browser: int, site: Site) -> None:
    site.pages["/range"] = "<input id=r type=range min=0 max=10>"
    async with open_tab(browser, site.url("/range")) as tab:
        assert 'the page made it "10"' in await tab.text("fill", selector="#r", value="70")


async def test_letters_in_a_number_field_are_an_error(browser: int, site: Site) -> None:
    site.pages["/number"] = "<input id=n type=number>"
    async with open_tab(browser, site.url("/number")) as tab:
        error = await tab.fails("fill", selector="#n", value="many")
        assert error.code is ErrorCode.VALUE_REFUSED
        assert "did not take the value" in error.message


async def test_checkboxes_radios_and_switches_take_booleans_and_are_really_clicked(browser: int, site: Site) -> None:
    site.pages["/toggles"] = """<style>.styled input{position:absolute;opacity:0;width:0;height:0}</style>
    <input type=checkbox id=c><label class=styled><input type=checkbox id=hidden><span>Styled</span></label>
    <label><input type=radio name=r id=r1 value=one checked>One</label><label><input type=radio name=r id=r2 value=two>Two</label>
    <div role=switch id=s tabindex=0 aria-checked=false onclick="this.setAttribute('aria-checked', this.getAttribute('aria-checked') !== 'true')">Wifi</div>
    <script>window.clicks=[];document.addEventListener('click',(e)=>clicks.push([e.target.id||e.target.localName,e.isTrusted]),true)</script>"""
    async with open_tab(browser, site.url("/toggles")) as tab:
        await tab("fill", selector="#c", value=True)
        await tab("fill", selector="#c", value="true")
        await tab("fill", selector="#hidden", value=True)
        await tab("fill", selector="#r1", value="Two")
        await tab("fill", selector="#s", value=True)
        assert await tab.page.evaluate("[c.checked, hidden.checked, r1.checked, r2.checked, s.ariaChecked]") == [
            True,
            True,
            False,
            True,
            "true",
        ]
        assert all(trusted for _, trusted in await tab.page.evaluate("clicks.filter(([id]) => id !== 'hidden')"))
        await tab("fill", selector="#c", value=False)
        assert await tab.page.evaluate("c.checked") is False
        error = await tab.fails("fill", selector="#c", value="perhaps")
        assert error.code is ErrorCode.INVALID_PARAMS
        error = await tab.fails("fill", selector="#r1", value="Three")
        assert "one, two" in error.message
        assert "one, two" not in error.hint, "words of the page, which a hint has none of"


async def test_a_toggle_that_the_page_turns_back_is_an_error(browser: int, site: Site) -> None:
    site.pages["/stubborn"] = "<input type=checkbox id=c onclick='return false'>"
    async with open_tab(browser, site.url("/stubborn")) as tab:
        error = await tab.fails("fill", selector="#c", value=True)
        assert error.code is ErrorCode.VALUE_REFUSED
        assert "still off" in error.message


# What React does to inputs: it shadows `value` on the node to know the last value it has seen, and lets a change
# count only when the node's real value differs from that.
TRACKED = """<input id=i><output id=o></output><script>
const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
let last = '';
Object.defineProperty(i, 'value', {configurable: true, get() { return own.get.call(this) }, set(v) { last = String(v); own.set.call(this, v) }});
let state = '';
i.addEventListener('input', () => { const now = own.get.call(i); if (now === last) return; last = now; state = now.toUpperCase(); i.value = state; o.textContent = state; });
</script>"""


async def test_a_controlled_input_keeps_its_own_idea_and_the_answer_says_so(browser: int, site: Site) -> None:
    site.pages["/tracked"] = TRACKED
    async with open_tab(browser, site.url("/tracked")) as tab:
        answer = await tab.text("fill", selector="#i", value="quiet")
        assert 'the page made it "QUIET"' in answer
        assert await tab.page.evaluate("o.textContent") == "QUIET"
        assert "made it" not in await tab.text("fill", selector="#i", value="LOUD")


async def test_contenteditable_takes_lines(browser: int, site: Site) -> None:
    site.pages["/rich"] = """<div id=e contenteditable><b>Old</b> text</div>
    <script>window.kinds=[];e.addEventListener('beforeinput',(x)=>kinds.push(x.inputType))</script>"""
    async with open_tab(browser, site.url("/rich")) as tab:
        answer = await tab.text("fill", selector="#e", value="First\nSecond")
        assert "made it" not in answer
        assert (await tab.page.evaluate("e.innerText")).split("\n") == ["First", "Second"]
        assert "insertText" in await tab.page.evaluate("kinds")
        await tab("fill", selector="#e", value="")
        assert (await tab.page.evaluate("e.innerText")).strip() == ""


async def test_a_label_or_wrapper_stands_for_its_field(browser: int, site: Site) -> None:
    site.pages["/wrapped"] = "<label id=l>Name <input id=a></label><div id=w><span>Mail</span><input id=b></div>"
    async with open_tab(browser, site.url("/wrapped")) as tab:
        await tab("fill", selector="#l", value="one")
        await tab("fill", selector="#w", value="two")
        await tab("fill", target={"label": "Name"}, value="three")
        assert await tab.page.evaluate("[a.value, b.value]") == ["three", "two"]


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ("<input id=x disabled>", "it is disabled"),
        ("<fieldset disabled><input id=x></fieldset>", "it is disabled"),
        ("<input id=x readonly>", "it is read-only"),
        ("<input id=x style='display:none'>", "not displayed"),
        ("<input id=x style='visibility:hidden'>", "not visible"),
        ("<p id=x>Text</p>", "is not a field"),
        (
            "<p id=x><i role=spinbutton aria-label=day>1</i><i role=spinbutton aria-label=month>2</i></p>",
            'is not a field, but contains some: spinbutton "day" e2, spinbutton "month" e3.',
        ),
        ("<input id=x type=file>", "takes no text"),
        ("<div inert><input id=x></div>", "it is inert"),
        ("<div aria-disabled=true><input id=x></div>", "it is disabled"),
    ],
)
async def test_element_that_cannot_be_filled_says_why(browser: int, site: Site, html: str, reason: str) -> None:
    site.pages["/unfit"] = html
    async with open_tab(browser, site.url("/unfit")) as tab:
        error = await tab.gives_up("fill", selector="#x", value="y")
        assert error.code is ErrorCode.ELEMENT_NOT_ACTIONABLE, error
        assert reason in error.message


@pytest.mark.parametrize("html", ["<input id=x value=old>", "<p id=x contenteditable>old</p>"])
async def test_a_list_is_not_typed_into_a_field_of_one_text(browser: int, site: Site, html: str) -> None:
    site.pages["/one"] = html
    async with open_tab(browser, site.url("/one")) as tab:
        error = await tab.gives_up("fill", selector="#x", value=["2026-12-24", "2026-12-26"])
        assert "takes one text, not a list" in error.message
        assert await tab.page.evaluate("x.value ?? x.innerText") == "old"


async def test_a_field_that_becomes_ready_is_waited_for(browser: int, site: Site) -> None:
    site.pages["/later"] = "<input id=x disabled><script>setTimeout(()=>x.disabled=false,300)</script>"
    async with open_tab(browser, site.url("/later")) as tab:
        await tab("fill", selector="#x", value="y")
        assert await tab.page.evaluate("x.value") == "y"


async def test_a_filter_that_waits_for_a_key_to_be_let_go_hears_of_what_is_filled_in(browser: int, site: Site) -> None:
    site.pages["/filter"] = "<input id=x><p id=p></p><script>x.onkeyup = () => p.textContent = x.value</script>"
    async with open_tab(browser, site.url("/filter")) as tab:
        await tab("fill", selector="#x", value="tea")
        assert await tab.page.evaluate("p.textContent") == "tea"


@pytest.mark.parametrize(("kind", "value"), [("checkbox", True), ("text", "red"), ("range", 9)])
async def test_a_field_that_leads_to_another_page_is_filled(browser: int, site: Site, kind: str, value: object) -> None:
    site.pages["/filter"] = f"<input type={kind} id=c oninput='location.href = \"/red\"'>"
    site.pages["/red"] = "<title>Red</title>"
    async with open_tab(browser, site.url("/filter")) as tab:
        assert f"navigated to {site.url('/red')}" in await tab.text("fill", selector="#c", value=value)
