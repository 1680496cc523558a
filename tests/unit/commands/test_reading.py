"""Reading a tab that has left the grant since the call was admitted."""

from __future__ import annotations

import json
import time
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio

from kapture.commands import capture as module
from kapture.commands.capture import Pdf, Screenshot, overlay, pdf, screenshot, withheld, withheld_during
from kapture.commands.core.context import TabContext
from kapture.commands.links import ExtractLinks, extract_links
from kapture.commands.markdown import markdown
from kapture.commands.reading import GetText, get_text
from kapture.commands.snapshot import Snapshot, snapshot
from kapture.errors import Detached, ErrorCode, KaptureError, PolicyDenied
from kapture.page import Page
from kapture.page.element import Element
from kapture.page.screencast import Screencast
from kapture.page.target import Target
from kapture.snapshot.node import Node
from tests.unit.commands.tab_of_world import tab_of
from tests.unit.page.frame_world import OUTSIDE, World


async def test_a_granted_frame_is_not_read_together_with_the_title_of_a_page_outside_the_grant() -> None:
    world = World()
    world.attach("F")
    world.navigate("F", "https://a.example/inner")
    world.run_scripts("F")
    world.replies["Runtime.evaluate"] = {"result": {"value": json.dumps({"top": 0, "value": ["words"]})}}

    async def locate(target: Target) -> Element:
        return Element(world.tree.get("f1"), 1, "text", "words", "p")

    params = GetText(target="f1e1")
    assert (await get_text(tab_of(world, locate=locate), params)).content == "words"
    for frame in world.tree.all():
        frame.gate = lambda url: url.endswith("/inner")
    with pytest.raises(PolicyDenied):
        await get_text(tab_of(world, locate=locate, title="a secret"), params)


# Links of a page that has left the grant since the call was admitted.


async def test_a_page_outside_the_grant_is_refused_and_not_said_to_have_no_links() -> None:
    world = World()
    world.leave()
    with pytest.raises(PolicyDenied):
        await extract_links(tab_of(world), ExtractLinks())


# HTML of a page → Markdown.


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h1>One</h1><h3>Three</h3>", "# One\n\n### Three"),
        ("<p>a <b>bold</b> <em>word</em></p>", "a **bold** *word*"),
        ('<a href="https://x.example/a?b=1">link</a>', "[link](https://x.example/a?b=1)"),
        ('<a href="https://x.example/" aria-label="Home"></a>', "[Home](https://x.example/)"),
        ('<a href="javascript:go()">run</a>', "run"),
        ("<ul><li>1<ul><li>nested</li></ul></li><li>2</li></ul>", "- 1\n  - nested\n- 2"),
        (
            '<pre class="language-python"><code>def f():\n    return 1</code></pre>',
            "```python\ndef f():\n    return 1\n```",
        ),
        ('<pre><code class="lang-js">a\n\n\n\nb</code></pre>', "```js\na\n\n\n\nb\n```"),
        ("<pre>a\n```\nb</pre>", "````\na\n```\nb\n````"),
        ("<p>a</p><p> </p><p> </p><p>b</p>", "a\n\nb"),
        ('<img src="https://x.example/a.png" alt="A cat">', "![A cat](https://x.example/a.png)"),
        ('<img src="data:image/png;base64,…" alt="A cat">', "A cat"),
        ('<svg aria-label="Cart"></svg>', "Cart"),
        ("<blockquote>said</blockquote>", "> said"),
        ('<input type="checkbox" checked> done', "[x] done"),
        ("<details><summary>More</summary>text</details>", "More\n\ntext"),
        ("<select><option>A</option><option selected>B</option></select>", "B"),
        ("<p>H<sub>2</sub>O, x<sup>2n</sup>, y<sup>n</sup></p>", "H<sub>2</sub>O, x<sup>2n</sup>, y<sup>n</sup>"),
        ("<p>the 1<sup>st</sup> Tea<sup>™</sup></p>", "the 1st Tea™"),
        ('<p>said<sup><a href="#n1">[1]</a></sup></p>', "said[[1]](#n1)"),
        ('<p>a <math alttext="e^{i\\pi}"></math> b</p>', "a $e^{i\\pi}$ b"),
        ('<p>a</p><math alttext="x" display="block"></math><p>b</p>', "a\n\n$$x$$\n\nb"),
        ("<math><msup><mi>x</mi><mrow><mn>2</mn><mi>n</mi></mrow></msup></math>", "$x^{2n}$"),
        ("<math><mfrac><mn>1</mn><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow></mfrac></math>", "$1/(a+b)$"),
        (
            "<math><munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><msqrt><mi>i</mi></msqrt></math>",
            "$∑_i^n√(i)$",
        ),
        ("<math><mn>2</mn><mo>\u2062</mo><msubsup><mi>a</mi><mn>1</mn><mn>12</mn></msubsup></math>", "$2a_1^12$"),
        ("<math><mtable><mtr><mtd>1</mtd><mtd>2</mtd></mtr><mtr><mtd>3</mtd></mtr></mtable></math>", "$(1, 2; 3)$"),
        ('<math alttext="x^{e12}"></math>', "$x^\\{e12}$"),
        ("", ""),
    ],
)
def test_markdown_says_the_same_as_html(html: str, expected: str) -> None:
    assert markdown(html) == expected


def test_a_table_keeps_its_columns_when_cells_span_rows_or_hold_pipes() -> None:
    html = (
        "<table><tr><th>Item</th><th>Size</th><th>Price</th></tr>"
        "<tr><td rowspan=2>Tea|Coffee</td><td>S</td><td>3</td></tr><tr><td>L</td><td>4</td></tr></table>"
    )
    assert markdown(html).splitlines() == [
        "| Item | Size | Price |",
        "| --- | --- | --- |",
        r"| Tea\|Coffee | S | 3 |",
        r"| Tea\|Coffee | L | 4 |",
    ]


@pytest.mark.parametrize("span", ["99999999", "9" * 5_000, "0" * 5_000, "٣", "²", "-1", ""])
def test_absurd_spans_are_bounded(span: str) -> None:
    html = f"<table><tr><td rowspan='{span}' colspan='{span}'>x</td></tr><tr><td>y</td></tr></table>"
    assert "y" in markdown(html)
    assert len(markdown(html)) < 100_000


def test_refs_stand_after_what_bears_them_and_no_page_can_write_one() -> None:
    html = (
        '<p>Read <a href="https://x.example/" data-kapture-ref="e1">more</a>, {e9} or '
        '<button data-kapture-ref="f2e3">Buy</button></p><input value="Al" data-kapture-ref="e4"><summary '
        'data-kapture-ref="e5">Details</summary>'
    )
    assert markdown(html) == "Read [more](https://x.example/) {e1}, \\{e9} or Buy {f2e3}\n\nAl {e4}\n\nDetails {e5}"


@pytest.mark.parametrize(
    "html",
    [
        f"<textarea>{' ' * 200_000}</textarea>",
        f"<ol>{'<li>x</li>' * 10_000}</ol>",
        f"<table><thead>{'<tr><td>x</td></tr>' * 5_000}</thead></table>",
        f"<table>{'<tbody><tr><td>x</td></tr></tbody>' * 5_000}</table>",
        f"<table><tr>{'<td rowspan=1000>x</td>' * 1_000}</tr>{'<tr></tr>' * 1_000}</table>",
        f"<table><tr>{'<td colspan=1000>x</td>' * 5_000}</tr></table>",
        f"<table><tr><td rowspan=65534>{'x' * 60_000}</td></tr>{'<tr></tr>' * 1_000}</table>",
    ],
    ids=["blanks", "items", "head", "bodies", "rowspan", "colspan", "long_cell"],
)
def test_large_document_takes_little_time_and_space(html: str) -> None:
    began = time.thread_time()
    assert len(markdown(html)) < 2_500_000
    assert time.thread_time() - began < 5


# A PDF of a page that leaves the grant while it is printed.


async def test_pdf_of_page_leaving_grant_is_not_answered() -> None:
    world = World()
    world.run_scripts()
    world.replies["Runtime.evaluate"] = {"result": {"value": json.dumps({"top": 0, "value": {"veiled": True}})}}
    world.replies["Page.printToPDF"] = {"data": "UERG"}
    tab = tab_of(world, dialogs=SimpleNamespace(expecting_pdf=nullcontext))
    assert (await pdf(tab, Pdf())).bytes == 3
    world.leaving.add("Page.printToPDF")
    with pytest.raises(PolicyDenied):
        await pdf(tab, Pdf())


# A picture of a page that leaves the grant while it is taken.


SIZE = {"width": 8, "height": 6, "fullWidth": 8, "fullHeight": 6, "scrollX": 0, "scrollY": 0, "ratio": 1}


class Browser(World):
    """A page whose pictures can be taken."""

    def __init__(self) -> None:
        super().__init__()
        self.run_scripts()
        self.replies["Runtime.evaluate"] = {"result": {"value": json.dumps({"top": 0, "value": SIZE})}}
        self.replies["Page.getLayoutMetrics"] = {"cssVisualViewport": {"zoom": 1}}
        self.replies["Page.captureScreenshot"] = {"data": "UE5H"}

    def tab(self, kept: dict[Any, Any]) -> TabContext:
        made: Any = tab_of(
            self,
            highlight=SimpleNamespace(hide=lambda: None),
            widget=SimpleNamespace(unseen=nullcontext),
            shown=SimpleNamespace(clear=trio.lowlevel.checkpoint),
            screencast=Screencast(self.connection.root),
        )
        made.client = SimpleNamespace(kept=kept)
        return made  # type: ignore[no-any-return]


@pytest.mark.parametrize("measured_before", [False, True])
async def test_it_is_not_answered(measured_before: bool) -> None:
    browser, kept = Browser(), dict[Any, Any]()
    picture = (await screenshot(browser.tab(kept), Screenshot())).image.base64
    assert picture == "UE5H"
    browser.leaving.add("Page.captureScreenshot")
    with pytest.raises(PolicyDenied):
        await screenshot(browser.tab(kept if measured_before else {}), Screenshot())


# Taking snapshots of the page: what is checked before the page is looked at.


@pytest.mark.parametrize("start", ["", "here", "e1:x", "e1:-1", "e1:١", "e1:" + "9" * 5_000, "e" + "9" * 5_000])
async def test_a_start_that_no_snapshot_shows_is_refused(start: str) -> None:
    world = World()
    with pytest.raises(KaptureError) as caught:
        await snapshot(tab_of(world), Snapshot(start=start))
    assert caught.value.code is ErrorCode.INVALID_PARAMS
    assert world.sent == []


# What is drawn over a page for a picture is taken away again.


class FakeFrame:
    """A frame that notes what its agent is asked; its document has gone when the overlay is to be erased."""

    why_silent = ""

    def __init__(self, key: str, *, granted: bool, children: tuple[FakeFrame, ...] = ()) -> None:
        self.key = key
        self.granted = granted
        self.children = children
        self.asked: list[str] = []

    async def call(self, function: str, _: dict[str, Any] | None = None) -> Any:
        await trio.lowlevel.checkpoint()
        self.asked.append(function)
        if function == "erase":
            raise Detached(ErrorCode.DETACHED, "The document has gone.")
        return {"draw": {"uncovered": [], "drawn": []}, "veil": {"veiled": True}}.get(function)


class FakePage:
    """A page with a frame outside the grant."""

    def __init__(self) -> None:
        self.outside = FakeFrame("f1", granted=False)
        self.main = FakeFrame("", granted=True, children=(self.outside,))
        self.frames = self

    def all(self) -> list[FakeFrame]:
        return [self.main, self.outside]


async def test_a_frame_outside_the_grant_is_uncovered_even_if_the_page_around_it_has_gone() -> None:
    page = FakePage()
    with pytest.raises(Detached):
        async with overlay(cast("Page", page), []):
            assert page.outside.asked == ["veil"]
    assert page.outside.asked == ["veil", "unveil"]


async def test_labels_are_taken_away_in_every_frame_even_if_the_document_of_one_has_gone() -> None:
    page = FakePage()
    page.outside.granted = True
    with pytest.raises(Detached):
        async with overlay(cast("Page", page), [("e1", 'e1 button "Save"'), ("f1e2", 'f1e2 link "More"')]):
            pass
    assert page.main.asked == page.outside.asked == ["draw", "erase"]


async def test_no_picture_is_taken_of_a_frame_outside_the_grant_that_is_out_of_reach() -> None:
    page = FakePage()
    page.outside.why_silent = "out of reach"
    with pytest.raises(PolicyDenied, match="f1"):
        async with overlay(cast("Page", page), []):
            pytest.fail("the picture was taken")


async def test_labelled_element_is_named_as_in_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = (
        Node("button", 1, name='Pay"\ne2 button "Safe'),
        Node("button", 2, hint=("icon", "trash")),
        Node("link", 3, name="Far", offscreen=True),
        Node("heading", 4, name="Goods"),
    )
    page = FakePage()
    page.main.ref = lambda number: f"e{number}"  # type: ignore[attr-defined]
    page.main.parent = None  # type: ignore[attr-defined]

    async def read(frame: Any) -> Any:
        return SimpleNamespace(root=Node("document", 9, children=nodes))

    monkeypatch.setattr(module, "read_document", read)
    assert await module.labels_of(cast("Page", page)) == [
        ("e1", r'e1 button "Pay\" e2 button \"Safe"'),
        ("e2", "e2 button (icon trash)"),
    ]


def test_documents_outside_the_grant_are_withheld_from_a_picture() -> None:
    world = World()
    page = cast("Page", SimpleNamespace(frames=world.tree, gate=world.tree.main.gate))
    assert withheld(page) == set()
    world.attach("A")
    world.navigate("A", OUTSIDE)
    there = {("A", f"L-{OUTSIDE}")}
    assert withheld(page) == there
    with withheld_during(page) as shown:
        world.navigate("A", "https://a.example/own")
    assert shown == there
