"""HTML of a page → Markdown."""

from __future__ import annotations

import time

import pytest

from kapture.commands.markdown import markdown


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
def test_what_html_says_markdown_says(html: str, expected: str) -> None:
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
