"""Filling fields and choosing options, in the ways in which pages make them."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

from collections.abc import Sequence

import pytest
import trio

from kapture.cdp import CdpCommand, run_program
from kapture.errors import ErrorCode
from tests.support.context import open_tab
from tests.support.direct import DirectTransport
from tests.support.site import Site

pytestmark = pytest.mark.e2e


# Writes every event that a field sends, with the value that it has then.
LOG = """<script>
window.logged = [];
for (const kind of ['focus', 'beforeinput', 'input', 'change'])
  document.addEventListener(kind, (e) => logged.push([kind, e.target.id, e.target.value, e.isTrusted]), true);
</script>"""

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


async def test_the_page_hears_once_of_a_change_that_fill_makes(browser: int, site: Site) -> None:
    site.pages[
        "/once"
    ] = """<input id=a><textarea id=b></textarea><div id=host></div><button id=c>Elsewhere</button><script>
        host.attachShadow({mode: 'open'}).innerHTML = '<input id=inside>';
        window.changes = [];
        for (const field of [a, b, host.shadowRoot.querySelector('input')])
          field.addEventListener('change', () => changes.push(`${field.id} ${field.value}`));</script>"""
    async with open_tab(browser, site.url("/once")) as tab:
        for field in ("a", "b", "inside"):
            await tab("fill", target={"css": f"#{field}"}, value="first")
            assert (await tab.page.evaluate("changes"))[-1] == f"{field} first"
        await tab("click", selector="#c")
        assert await tab.page.evaluate("changes") == ["a first", "b first", "inside first"]
        await tab("fill", selector="#a", value="second")
        await tab("type", text=" and more")
        await tab("click", selector="#c")
        assert (await tab.page.evaluate("changes"))[3:] == ["a second", "a second and more"]


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
        assert error.code is ErrorCode.ELEMENT_NOT_ACTIONABLE
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


async def test_a_toggle_that_the_page_turns_back_is_an_error(browser: int, site: Site) -> None:
    site.pages["/stubborn"] = "<input type=checkbox id=c onclick='return false'>"
    async with open_tab(browser, site.url("/stubborn")) as tab:
        error = await tab.fails("fill", selector="#c", value=True)
        assert error.code is ErrorCode.ELEMENT_NOT_ACTIONABLE
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
        ("<input id=x type=file>", "takes no text"),
        ("<div inert><input id=x></div>", "it is inert"),
        ("<div aria-disabled=true><input id=x></div>", "it is disabled"),
    ],
)
async def test_what_cannot_be_filled_says_why(browser: int, site: Site, html: str, reason: str) -> None:
    site.pages["/unfit"] = html
    async with open_tab(browser, site.url("/unfit")) as tab:
        error = await tab.fails("fill", selector="#x", value="y", timeout=1500)
        assert error.code is ErrorCode.ELEMENT_NOT_ACTIONABLE, error
        assert reason in error.message


async def test_a_field_that_becomes_ready_is_waited_for(browser: int, site: Site) -> None:
    site.pages["/later"] = "<input id=x disabled><script>setTimeout(()=>x.disabled=false,300)</script>"
    async with open_tab(browser, site.url("/later")) as tab:
        await tab("fill", selector="#x", value="y")
        assert await tab.page.evaluate("x.value") == "y"


SELECTS = (
    LOG
    + """<select id=one><option value=a>Apple<option value=b>Banana<option value=c disabled>Cherry</select>
<select id=many multiple><option value=a>Apple<option value=b>Banana<option value=c>Cherry</select>"""
)


async def test_select_chooses_by_value_label_and_index(browser: int, site: Site) -> None:
    site.pages["/selects"] = SELECTS
    async with open_tab(browser, site.url("/selects")) as tab:
        assert 'selected "Banana"' in await tab.text("select", selector="#one", value="b")
        assert await tab.page.evaluate("one.value") == "b"
        assert (await tab.data("select", selector="#one", value="apple"))["selected"] == ["Apple"]
        assert (await tab.data("select", selector="#one", label="Banana"))["selected"] == ["Banana"]
        assert (await tab.data("select", selector="#one", index=0))["selected"] == ["Apple"]
        assert [one[0] for one in await tab.page.evaluate("logged.filter((x) => x[1] == 'one').slice(-2)")] == [
            "input",
            "change",
        ]
        assert (await tab.data("select", selector="#many", value=["a", "Cherry"]))["selected"] == ["Apple", "Cherry"]
        assert (await tab.data("select", selector="#many", value=["b"]))["selected"] == ["Banana"]
        assert (await tab.data("select", selector="#many", value=[]))["selected"] == []
        await tab("fill", selector="#one", value="Banana")
        assert await tab.page.evaluate("one.value") == "b"


async def test_select_says_which_options_there_are(browser: int, site: Site) -> None:
    site.pages["/selects"] = SELECTS
    async with open_tab(browser, site.url("/selects")) as tab:
        error = await tab.fails("select", selector="#one", value="Durian")
        assert error.code is ErrorCode.ELEMENT_NOT_FOUND
        assert '"Apple", "Banana", "Cherry"' in error.hint
        error = await tab.fails("select", selector="#one", value="c")
        assert error.code is ErrorCode.ELEMENT_NOT_ACTIONABLE
        error = await tab.fails("select", selector="#one", value=["a", "b"])
        assert error.code is ErrorCode.INVALID_PARAMS
        error = await tab.fails("select", selector="#one")
        assert error.code is ErrorCode.INVALID_PARAMS


# A combobox as libraries build it: a button, a list put at the end of the body when it opens, options made late.
COMBOBOX = """<div id=box role=combobox tabindex=0 aria-expanded=false aria-haspopup=listbox aria-label=Fruit>Choose…</div>
<script>
const names = ['Apple', 'Banana', 'Cherry'];
function close() { document.getElementById('list')?.remove(); box.setAttribute('aria-expanded', 'false'); box.removeAttribute('aria-controls'); }
box.addEventListener('mousedown', () => {
  if (box.getAttribute('aria-expanded') === 'true') return close();
  const list = document.createElement('ul'); list.id = 'list'; list.setAttribute('role', 'listbox');
  list.style.cssText = 'position:absolute;top:60px;left:0;margin:0;background:#eee';
  document.body.append(list); box.setAttribute('aria-expanded', 'true'); box.setAttribute('aria-controls', 'list');
  setTimeout(() => { for (const name of names) { const option = document.createElement('li'); option.setAttribute('role', 'option');
    option.textContent = name; option.addEventListener('click', (e) => { box.textContent = name; window.trusted = e.isTrusted; close(); }); list.append(option); } }, 80);
});
document.addEventListener('keydown', (e) => { if (e.key === 'Escape') close(); });
</script>"""


async def test_a_custom_combobox_is_opened_and_its_option_clicked(browser: int, site: Site) -> None:
    site.pages["/combobox"] = COMBOBOX
    async with open_tab(browser, site.url("/combobox")) as tab:
        assert 'selected "Banana"' in await tab.text("select", selector="#box", value="Banana")
        assert await tab.page.evaluate("[box.textContent, trusted]") == ["Banana", True]
        assert (await tab.data("select", selector="#box", index=2))["selected"] == ["Cherry"]
        await tab("fill", selector="#box", value="apple")
        assert await tab.page.evaluate("box.textContent") == "Apple"
        error = await tab.fails("select", selector="#box", value="Durian")
        assert error.code is ErrorCode.ELEMENT_NOT_FOUND
        assert '"Apple", "Banana", "Cherry"' in error.hint
        assert await tab.page.evaluate("box.ariaExpanded") == "false"


AUTOCOMPLETE = """<input id=box role=combobox aria-expanded=false aria-controls=list aria-autocomplete=list aria-label=City>
<ul id=list role=listbox hidden></ul><script>
const all = Array.from({length: 300}, (_, i) => `City ${i}`);
box.addEventListener('input', () => setTimeout(() => {
  list.replaceChildren(...all.filter((name) => name.toLowerCase().includes(box.value.toLowerCase())).slice(0, 5).map((name) => {
    const li = document.createElement('li'); li.role = 'option'; li.textContent = name;
    li.onmousedown = (e) => { e.preventDefault(); box.value = name; list.hidden = true; box.ariaExpanded = 'false'; window.chosen = name; }; return li; }));
  list.hidden = false; box.ariaExpanded = 'true';
}, 60));
</script>"""


async def test_an_autocomplete_is_typed_into_until_the_option_shows(browser: int, site: Site) -> None:
    site.pages["/autocomplete"] = AUTOCOMPLETE
    async with open_tab(browser, site.url("/autocomplete")) as tab:
        await tab("select", selector="#box", value="City 217")
        assert await tab.page.evaluate("[box.value, chosen]") == ["City 217", "City 217"]


VIRTUAL = """<div id=list role=listbox aria-label=Rows tabindex=0 style="height:100px;overflow:auto;position:relative">
<div id=pad style="height:20000px;position:relative"></div></div><script>
function draw() { const first = Math.floor(list.scrollTop / 20);
  pad.replaceChildren(...Array.from({length: 6}, (_, i) => { const n = first + i; const o = document.createElement('div');
    o.role = 'option'; o.textContent = `Row ${n}`; o.ariaSelected = String(window.row === n); o.style.cssText = `position:absolute;top:${n * 20}px;height:20px`;
    o.onclick = () => { window.row = n; draw(); }; return o; })); }
list.onscroll = draw; draw();
</script>"""


async def test_a_list_that_makes_its_options_on_scrolling_is_scrolled_through(browser: int, site: Site) -> None:
    site.pages["/virtual"] = VIRTUAL
    async with open_tab(browser, site.url("/virtual")) as tab:
        await tab("select", selector="#list", value="Row 57")
        assert await tab.page.evaluate("row") == 57


FORM = """<form onsubmit="window.sent = Object.fromEntries(new FormData(this)); return false">
<label>Name <input name=name required></label><label>Born <input type=date name=born></label>
<label>Size <select name=size><option value=s>Small<option value=l>Large</select></label>
<label><input type=checkbox name=gift>Gift</label><label>Note <textarea name=note></textarea></label>
<label>Locked <input name=locked disabled></label><button>Order</button></form>"""


async def test_a_form_is_filled_and_submitted_in_one_call(browser: int, site: Site) -> None:
    site.pages["/form"] = FORM
    async with open_tab(browser, site.url("/form")) as tab:
        answer = await tab.text(
            "fill_form",
            fields=[
                {"target": {"label": "Name"}, "value": "Ada"},
                {"target": {"label": "Born"}, "value": "1815-12-10"},
                {"selector": "[name=size]", "value": "Large"},
                {"target": {"label": "Gift"}, "value": True},
                {"target": {"label": "Note"}, "value": "two\nlines"},
            ],
            submit=True,
        )
        assert answer.splitlines()[0] == "filled 5 of 5 fields"
        assert 'submitted with <button> "Order"' in answer
        assert await tab.page.evaluate("sent") == {
            "name": "Ada",
            "born": "1815-12-10",
            "size": "l",
            "gift": "on",
            "note": "two\nlines",
        }


async def test_a_form_with_a_field_that_fails_is_not_submitted_and_says_which(browser: int, site: Site) -> None:
    site.pages["/form"] = FORM
    async with open_tab(browser, site.url("/form")) as tab:
        answer = await tab.text(
            "fill_form",
            fields=[
                {"target": {"label": "Locked"}, "value": "x"},
                {"target": {"label": "Nothing"}, "value": "x"},
                {"target": {"label": "Name"}, "value": "Ada"},
            ],
            submit=True,
            timeout=4000,
        )
        assert "filled 1 of 3 fields" in answer
        assert "it is disabled" in answer
        assert "ELEMENT_NOT_FOUND" in answer
        assert "not submitted" in answer
        assert await tab.page.evaluate("typeof sent") == "undefined"


async def test_a_secret_is_never_shown(browser: int, site: Site) -> None:
    site.pages["/secret"] = "<input id=p type=password maxlength=3>"
    async with open_tab(browser, site.url("/secret")) as tab:
        answer = await tab.text("fill", selector="#p", value="hunter2")
        assert "hun" not in answer
        assert "made it" in answer


async def test_text_never_ends_up_in_another_field(browser: int, site: Site) -> None:
    site.pages["/thief"] = "<input id=x><input id=y><script>x.onfocus = () => y.focus()</script>"
    async with open_tab(browser, site.url("/thief")) as tab:
        await tab("fill", selector="#x", value="mine")
        assert await tab.page.evaluate("[x.value, y.value]") == ["mine", ""]
        error = await tab.fails("type", selector="#x", text="more")
        assert error.code is ErrorCode.ELEMENT_NOT_ACTIONABLE
        assert await tab.page.evaluate("[x.value, y.value]") == ["mine", ""]


# Reasons that will not pass by themselves, with the command that meets them, and what the error says.
LASTING: dict[str, tuple[str, str, str, str]] = {
    "read-only": ("<input id=x type=date readonly>", "fill", "read-only", "click it"),
    "not displayed": ("<button id=x style='display:none'>Go</button>", "click", "not displayed", "show it first"),
    "replaced by a plugin": (
        "<select id=x style='display:none'><option>A</select>",
        "select",
        "not displayed",
        "A widget of the page",
    ),
    "disabled": ("<button id=x disabled>Go</button>", "click", "disabled", "other fields"),
    "covered": (
        "<button id=x>Go</button><div style='position:fixed;inset:0'>Accept cookies</div>",
        "click",
        "covers it",
        "Deal with what covers it",
    ),
}


async def test_text_is_kept_from_a_field_that_takes_the_focus_at_the_last_moment(browser: int, site: Site) -> None:
    site.pages["/form"] = """<input id=x onfocus="Promise.resolve().then(() => y.focus())"><input id=y value=mine>
    <p id=e contenteditable onfocus="Promise.resolve().then(() => y.focus())">text</p>"""
    async with open_tab(browser, site.url("/form")) as tab:
        await tab("fill", selector="#x", value="for x")
        assert await tab.page.evaluate("[x.value, y.value]") == ["for x", "mine"]
        await tab.page.evaluate("y.blur()")
        assert 'the page made it "text"' in await tab.text("fill", selector="#e", value="for e")
        assert await tab.page.evaluate("y.value") == "mine"
        await tab("type", selector="#y", text=" and yours")  # the guard is gone
        assert await tab.page.evaluate("y.value") == "mine and yours"


async def test_fields_that_need_nothing_from_each_other_are_filled_in_one_message(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs: list[Sequence[CdpCommand]] = []

    def keep(self: DirectTransport, commands: Sequence[CdpCommand]) -> None:
        programs.append(commands)
        run_program(self.submit, commands)

    site.pages["/form"] = "".join(f"<input id=f{number}>" for number in range(5)) + (
        "<script>log = [];addEventListener('input', e => log.push(e.target.id + e.target.value))</script>"
    )
    async with open_tab(browser, site.url("/form")) as tab:
        monkeypatch.setattr(DirectTransport, "submit_all", keep)
        fields = [{"selector": f"#f{number}", "value": f"v{number}"} for number in range(5)]
        await tab("fill_form", fields=fields)
        assert len(programs) == 1
        assert await tab.page.evaluate("log") == [f"f{number}v{number}" for number in range(5)]


async def test_a_field_that_filling_the_one_before_makes_anew_is_filled_all_the_same(browser: int, site: Site) -> None:
    site.pages["/form"] = """<input id=x><input id=y><input id=z disabled><script>
    x.onchange = () => setTimeout(() => { y.outerHTML = '<input id=y>'; z.disabled = false }, 0)</script>"""
    async with open_tab(browser, site.url("/form")) as tab:
        for _ in range(5):
            await tab("navigate", url=site.url("/form"))
            fields = [{"selector": f"#{name}", "value": f"for {name}"} for name in "xyz"]
            assert "filled 3 of 3 fields" in await tab.text("fill_form", fields=fields)
            assert await tab.page.evaluate("[x.value, y.value, z.value]") == ["for x", "for y", "for z"]


@pytest.mark.parametrize(("html", "command", "reason", "hint"), LASTING.values(), ids=LASTING)
async def test_a_reason_that_will_not_pass_is_reported_long_before_the_timeout(
    browser: int, site: Site, html: str, command: str, reason: str, hint: str
) -> None:
    site.pages["/lasting"] = html
    async with open_tab(browser, site.url("/lasting")) as tab:
        value = {"fill": {"value": "2024-01-01"}, "select": {"label": "A"}}.get(command, {})
        with trio.fail_after(15):
            error = await tab.fails(command, selector="#x", timeout=60_000, **value)
        assert reason in error.message
        assert hint in error.hint


# Reasons that last longer than that, in a page that shows that something is going on.
PASSING: dict[str, str] = {
    "a cover that moves": """<style>@keyframes turn{to{rotate:1turn}}</style><button id=x onclick="this.textContent='Done'">Go</button>
      <div id=c style="position:fixed;inset:0"><i style="animation:turn 1s infinite">Loading</i></div><script>setTimeout(()=>c.remove(),3000)</script>""",
    "a countdown": """<button id=x disabled onclick="this.textContent='Done'">Go</button><p id=p>4</p><script>
      const t=setInterval(()=>{p.textContent-=1;if(p.textContent==='0'){x.disabled=false;clearInterval(t)}},800)</script>""",
}


@pytest.mark.parametrize("html", PASSING.values(), ids=PASSING)
async def test_a_reason_that_may_pass_is_waited_for(browser: int, site: Site, html: str) -> None:
    site.pages["/passing"] = html
    async with open_tab(browser, site.url("/passing")) as tab:
        await tab("click", selector="#x")
        assert await tab.page.evaluate("x.textContent") == "Done"


async def test_a_switch_whose_box_is_not_displayed_is_set_through_its_label(browser: int, site: Site) -> None:
    site.pages["/switch"] = """<style>input { display: none }</style><label id=x><input type=checkbox id=y> Dark</label>
    <p id=p></p><script>y.onchange = () => p.textContent = y.checked</script>"""
    async with open_tab(browser, site.url("/switch")) as tab:
        for target, wanted in (({"label": "Dark"}, True), ({"css": "#y"}, False), ({"role": "checkbox"}, True)):
            for _ in range(2):  # it stays as it is when it is so already
                await tab("fill", target=target, value=wanted)
                assert await tab.page.evaluate("p.textContent") == str(wanted).lower()


async def test_a_filter_that_waits_for_a_key_to_be_let_go_hears_of_what_is_filled_in(browser: int, site: Site) -> None:
    site.pages["/filter"] = "<input id=x><p id=p></p><script>x.onkeyup = () => p.textContent = x.value</script>"
    async with open_tab(browser, site.url("/filter")) as tab:
        await tab("fill", selector="#x", value="tea")
        assert await tab.page.evaluate("p.textContent") == "tea"
