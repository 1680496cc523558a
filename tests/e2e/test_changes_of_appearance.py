"""What an action changes that a snapshot does not show: the markup of an editor, and what a canvas draws."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import re

import pytest

from tests.support.context import Tab, open_tab
from tests.support.site import Site

pytestmark = pytest.mark.e2e

EDITOR = """<div id=e contenteditable aria-label=Text>some words</div>
<button id=b onmousedown="event.preventDefault()" onclick="document.execCommand('bold')">B</button>
<button id=c onmousedown="event.preventDefault()" onclick="document.execCommand('justifyCenter')">Centre</button>"""


async def _lines(tab: Tab, command: str, **arguments: object) -> list[str]:
    text = await tab.text(command, **arguments, timeout=60_000)
    return re.sub(r"e\d+", "eN", text).splitlines()[1:]


async def test_words_of_an_editor_that_are_set_differently_are_a_change(browser: int, site: Site) -> None:
    site.pages["/editor"] = EDITOR
    async with open_tab(browser, site.url("/editor")) as tab:
        await tab("click", selector="#e")
        await tab("snapshot")
        assert await _lines(tab, "press", key="ControlOrMeta+a") == ["no change"]
        assert await _lines(tab, "click", selector="#b") == ["changes:", '~ <div> "Text" ref=eN: markup "<b>" (was "")']
        assert await _lines(tab, "press", key="ControlOrMeta+b") == [
            "changes:",
            '~ <div> "Text" ref=eN: markup "" (was "<b>")',
        ]
        centred = '~ <div> "Text" ref=eN: markup "<div style=\\"text-align: center;\\">" (was "")'
        assert await _lines(tab, "click", selector="#c") == ["changes:", centred]
        assert "markup" not in await tab.text("type", text="other words", timeout=60_000)


QUIZ = """<div id=q></div><script>
const answers = ["Lima", "Quito"];
let chosen;
const render = () => q.innerHTML = answers.map((one, at) =>
  `<div class="answer ${at === chosen ? "chosen" : ""}" data-at=${at}><b>${one}</b></div>`).join("");
q.onclick = ({ target }) => { chosen = Number(target.closest(".answer").dataset.at); render() };
render();
</script>"""


async def test_a_list_that_is_rendered_anew_tells_of_the_class_of_what_was_clicked(browser: int, site: Site) -> None:
    site.pages["/quiz"] = QUIZ
    async with open_tab(browser, site.url("/quiz")) as tab:
        shown = await tab.text("snapshot")
        match = re.search(r'ref=(e\d+): "Quito"', shown)
        assert match is not None
        ref = match[1]
        answer = await tab.text("click", target={"ref": ref}, timeout=60_000)
        assert answer.splitlines()[1:] == ["changes:", f'~ <div> ref={ref}: class "answer chosen" (was "answer")']
        assert await _lines(tab, "click", target={"text": "Quito"}) == ["no change"]


# As React does where components are made while it renders: what has no key is taken out first.
CELLS = """<table><tr><th>Name<th>Age<th>Act</tr><tr id=r></tr></table><script>
let chosen = null;
const render = () => { const [name, age, act] = r.children; act?.remove(); name?.remove(); age?.remove();
  for (const text of ["Ada", "30"]) { const cell = document.createElement("td"); cell.append(text); r.append(cell);
    if (text === chosen) cell.style.color = "red";
    cell.onclick = () => { chosen = text; render() } }
  r.insertAdjacentHTML("beforeend", "<td><button>Delete</button>") };
render();
</script>"""


async def test_a_cell_that_is_rendered_anew_tells_of_its_style(browser: int, site: Site) -> None:
    site.pages["/cells"] = CELLS
    async with open_tab(browser, site.url("/cells")) as tab:
        match = re.search(r'cell "Ada" \[clickable\] ref=(e\d+)', await tab.text("snapshot"))
        assert match is not None
        answer = await tab.text("click", target={"ref": match[1]}, timeout=60_000)
        assert answer.splitlines()[1:] == ["changes:", f'~ <td> "Ada" ref={match[1]}: style "color: red" (was "")']


CANVAS = """<canvas id=c width=200 height=100></canvas><script>
const pen = c.getContext("2d");
const draw = (colour) => requestAnimationFrame(() => requestAnimationFrame(() => {
  pen.fillStyle = colour; pen.fillRect(0, 0, 200, 100) }));
draw("white");
c.onmouseenter = () => draw("grey");
c.onmouseup = () => draw("red");
c.onwheel = () => draw("green");
</script>"""


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("hover", {"selector": "#c"}),
        ("drag", {"source": "#c", "delta_x": 20}),
        ("scroll", {"selector": "#c", "delta_y": 100}),
    ],
    ids=["hover", "drag", "scroll"],
)
async def test_a_canvas_that_draws_another_picture_has_changed(
    browser: int, site: Site, command: str, arguments: dict[str, object]
) -> None:
    site.pages["/canvas"] = CANVAS
    async with open_tab(browser, site.url("/canvas")) as tab:
        await tab("snapshot")
        assert "~ <canvas> ref=eN: draws another picture" in await _lines(tab, command, **arguments)


FILES = """<style>.sel { background: lightblue }</style><ul id=l></ul><script>
l.innerHTML = Array.from({ length: 10 }, (_, at) => `<li>File ${at + 1}</li>`).join("");
const files = [...l.children];
let last = 0;
l.onclick = ({ target, shiftKey }) => {
  const at = files.indexOf(target);
  const [from, to] = shiftKey ? [Math.min(at, last), Math.max(at, last)] : [at, at];
  files.forEach((one, number) => one.classList.toggle("sel", number >= from && number <= to));
  last = at;
};
</script>"""


async def test_what_is_selected_together_is_told_beside_what_was_pressed(browser: int, site: Site) -> None:
    site.pages["/files"] = FILES
    async with open_tab(browser, site.url("/files")) as tab:
        await tab("snapshot")
        selected = '~ <li> ref=eN: class "sel" (was "")'
        assert await _lines(tab, "click", selector="li:nth-child(2)") == ["changes:", selected]
        range_of_three = await _lines(tab, "click", selector="li:nth-child(4)", modifiers=["Shift"])
        assert range_of_three == ["changes:", selected, selected]
        let_go = '~ <li> ref=eN: class "" (was "sel")'
        assert await _lines(tab, "click", selector="li:nth-child(3)") == ["changes:", let_go, let_go]
        range_of_seven = await _lines(tab, "click", selector="li:nth-child(10)", modifiers=["Shift"])
        more = f"{selected}, and 1 more look different"
        assert range_of_seven == ["changes:", *[selected] * 5, more]


SLIDES = """<button id=next>Next</button><button id=stay>Stay</button><div><div id=track>One</div></div><p id=clock>x</p><script>
next.onclick = () => track.style.transform = "translateX(-300px)";
stay.onclick = () => { stay.className = "chosen"; track.className = "other" };
</script>"""


async def test_what_looks_different_elsewhere_is_told_if_nothing_nearer_does(browser: int, site: Site) -> None:
    site.pages["/slides"] = SLIDES
    async with open_tab(browser, site.url("/slides")) as tab:
        await tab("snapshot")
        moved = '~ <div> ref=eN: style "transform: translateX(-300px)" (was "")'
        assert (await _lines(tab, "click", selector="#next"))[-1] == moved
        assert (await _lines(tab, "click", selector="#stay"))[-1] == '~ <button> "Stay" ref=eN: class "chosen" (was "")'


async def test_what_a_page_draws_by_itself_is_no_change_of_an_action(browser: int, site: Site) -> None:
    drawing = "(function draw() { clock.style.left = `${n += 1}px`; requestAnimationFrame(draw) })()"
    site.pages["/slides"] = f"{SLIDES}<script>let n = 0; {drawing}</script>"
    async with open_tab(browser, site.url("/slides")) as tab:
        await tab("click", selector="#clock", snapshot="none")
        was = await tab.page.evaluate("n")
        await tab("wait_for_function", code=f"n > {was + 60}", timeout=60_000)
        await tab("snapshot")
        assert not [line for line in await _lines(tab, "click", selector="#next") if "<p>" in line]
