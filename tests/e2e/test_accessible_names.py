"""Names as the accessible name computation defines them: the recommendation's own examples and its steps."""

from __future__ import annotations

import pytest

from tests.support.agent_page import AgentPage
from tests.support.direct import direct_page

pytestmark = pytest.mark.e2e

Cases = dict[str, tuple[str, str]]
"""The feature of each case → the markup, with the element that is named marked `data-x`, and the name."""

EXAMPLES: Cases = {
    "2B: one's own label and another element's text": (
        '<a id="file" href="#">Documentation.pdf</a>'
        '<span role="button" tabindex="0" id="del" aria-label="Delete" aria-labelledby="del file" data-x></span>',
        "Delete Documentation.pdf",
    ),
    "2B: the second of two rows": (
        '<a id="f1" href="#">Documentation.pdf</a><span role="button" id="d1" aria-label="Delete"></span>'
        '<a id="f2" href="#">HolidayLetter.pdf</a>'
        '<span role="button" tabindex="0" id="d2" aria-label="Delete" aria-labelledby="d2 f2" data-x></span>',
        "Delete HolidayLetter.pdf",
    ),
    "2B: a reference is followed once": (
        '<div role="group" id="el1" aria-labelledby="el3" data-x></div><div id="el3">hello</div>',
        "hello",
    ),
    "2B: a reference of a reference is not followed": (
        '<div role="group" id="el1" aria-labelledby="el3"></div>'
        '<div role="group" aria-labelledby="el1" data-x></div><div id="el3">hello</div>',
        "",
    ),
    "2C: a text field in the middle of its label": (
        '<label for="flash"><input type="checkbox" id="flash" data-x> Flash the screen '
        '<span tabindex="0" role="textbox" aria-label="number of times" contenteditable>5</span> times.</label>',
        "Flash the screen 5 times.",
    ),
    "2F: generated text": ("<style>h3::before{content:'Chapter '}</style><h3 data-x>One</h3>", "Chapter One"),
    "2I: a tooltip is the last resort": ('<a href="#" title="Home page" data-x></a>', "Home page"),
}

EMBEDDED: Cases = {
    f"{kind} inside a label": (
        f'<label for="c">Flash the screen {markup} times</label><input type="checkbox" id="c" data-x>',
        f"Flash the screen {value} times",
    )
    for kind, markup, value in (
        ("text field", '<input value="3">', "3"),
        ("text area", "<textarea>3</textarea>", "3"),
        ("editable textbox", '<div role="textbox" contenteditable>3</div>', "3"),
        ("select", "<select><option>1<option selected>3</select>", "3"),
        ("slider", '<input type="range" min="1" max="9" value="3">', "3"),
        ("ARIA slider", '<div role="slider" aria-valuenow="3"></div>', "3"),
        ("ARIA slider with a text", '<div role="slider" aria-valuenow="3" aria-valuetext="three"></div>', "three"),
        ("spin button", '<input type="number" value="3">', "3"),
        ("ARIA spin button", '<div role="spinbutton" aria-valuenow="3"></div>', "3"),
        (
            "ARIA list box",
            '<div role="listbox"><div role="option">1</div><div role="option" aria-selected="true">3</div></div>',
            "3",
        ),
    )
}

LABELS: Cases = {
    "a control that is a part of its own label": (
        '<i id="month" role="spinbutton" aria-label="month, " aria-valuetext="-" aria-labelledby="month due" data-x>'
        '</i><span id="due">Due date</span>',
        "month, Due date",
    ),
    "aria-label": ('<button aria-label="label" data-x>text</button>', "label"),
    "aria-label over alt": ('<img alt="alt" aria-label="label" src="data:," data-x>', "label"),
    "aria-label over a native label": (
        '<label for="i">native</label><input id="i" aria-label="label" data-x>',
        "label",
    ),
    "blank aria-label does not count": ('<button aria-label="  " data-x>text</button>', "text"),
    "empty aria-label does not count": ('<a href="#" aria-label="" data-x>text</a>', "text"),
    "aria-labelledby over aria-label": (
        '<span id="l">by</span><button aria-label="label" aria-labelledby="l" data-x>text</button>',
        "by",
    ),
    "references that lead nowhere": ('<button aria-labelledby="gone" aria-label="label" data-x>text</button>', "label"),
    "references in their order": (
        '<span id="a">one</span><span id="b">two</span><button aria-labelledby="b a" data-x></button>',
        "two one",
    ),
    "a reference to something hidden": (
        '<span id="a" hidden>hidden</span><button aria-labelledby="a" data-x>x</button>',
        "hidden",
    ),
    "hidden parts of something shown": (
        '<span id="a">shown <i hidden>hidden</i></span><button aria-labelledby="a" data-x>x</button>',
        "shown",
    ),
    "all of something hidden": (
        '<span id="a" style="display:none">one <i hidden>two</i></span><button aria-labelledby="a" data-x>x</button>',
        "one two",
    ),
    "a reference to an image": (
        '<img id="a" alt="alt" src="data:,"><button aria-labelledby="a" data-x>x</button>',
        "alt",
    ),
    "a reference to a field": ('<input id="a" value="typed"><button aria-labelledby="a" data-x>x</button>', "typed"),
}

HOST_LANGUAGE: Cases = {
    "label by id": ('<label for="i">label</label><input id="i" data-x>', "label"),
    "label around": ("<label>label <input data-x></label>", "label"),
    "several labels": ('<label for="i">one</label><label for="i">two</label><input id="i" data-x>', "one two"),
    "label with an image": (
        '<label for="i"><img alt="alt" src="data:,"> label</label><input id="i" data-x>',
        "alt label",
    ),
    "label of a select": ('<label for="i">label</label><select id="i" data-x><option>o</select>', "label"),
    "label of a text area": ('<label for="i">label</label><textarea id="i" data-x></textarea>', "label"),
    "legend of options": (
        "<style>select{appearance:base-select}</style><select size=4><optgroup label=l data-x><legend>legend</legend>",
        "legend",
    ),
    "label of a button": ('<label for="i">label</label><button id="i" data-x>text</button>', "label"),
    "fieldset and legend": ("<fieldset data-x><legend>legend</legend></fieldset>", "legend"),
    "table and caption": ("<table data-x><caption>caption</caption><tr><th>h</table>", "caption"),
    "image": ('<img alt="alt" src="data:," data-x>', "alt"),
    "image with a tooltip only": ('<img title="tip" src="data:," data-x>', "tip"),
    "image button": ('<input type="image" alt="alt" src="data:," data-x>', "alt"),
    "image button without a word": ('<input type="image" src="data:," data-x>', "Submit"),
    "submit button": ('<input type="submit" data-x>', "Submit"),
    "reset button": ('<input type="reset" data-x>', "Reset"),
    "button by its value": ('<input type="button" value="value" data-x>', "value"),
    "placeholder": ('<input placeholder="hint" data-x>', "hint"),
    "tooltip over placeholder": ('<input placeholder="hint" title="tip" data-x>', "tip"),
    "label over placeholder": ('<label for="i">label</label><input id="i" placeholder="hint" data-x>', "label"),
    "option by its label": ('<select><option label="label" data-x>text</option></select>', "label"),
    "group of options": ('<select><optgroup label="label" data-x><option>o</optgroup></select>', "label"),
    "frame": ('<iframe title="title" data-x></iframe>', "title"),
    "drawing": ("<svg data-x width=9 height=9><title>title</title><circle r=3 /></svg>", "title"),
    "drawn link by its tooltip": ('<svg><a data-x href="#" xlink:title="tip"><circle r=3 /></a></svg>', "tip"),
    "drawn link's title over its tooltip": (
        '<svg><a data-x href="#" xlink:title="tip"><title>title</title><circle r=3 /></a></svg>',
        "title",
    ),
    "area": (
        '<img usemap="#m" alt="" src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="><map name="m">'
        '<area href="#" alt="alt" coords="0,0,9,9" data-x></map>',
        "alt",
    ),
    "summary": ("<details><summary data-x>summary</summary>more</details>", "summary"),
}

CONTENT: Cases = {
    "text": ("<button data-x>text</button>", "text"),
    "inline elements flow": ("<button data-x>one<b>two</b><i>three</i></button>", "onetwothree"),
    "blocks stand apart": ("<div role=button data-x><div>one</div><div>two</div></div>", "one two"),
    "inline blocks stand apart": (
        "<a href=# data-x>one<b style='display:inline-block'>two</b>three</a>",
        "one two three",
    ),
    "line breaks stand apart": ("<a href=# data-x>one<br>two</a>", "one two"),
    "white space collapses": ("<h2 data-x>  one \n\t two  </h2>", "one two"),
    "images": ('<a href="#" data-x>one <img alt="two" src="data:,"> three</a>', "one two three"),
    "decoration": ('<a href="#" data-x>one <img alt="" src="data:,">two</a>', "one two"),
    "hidden parts": ("<a href=# data-x>one <b hidden>two</b></a>", "one"),
    "invisible parts": ("<a href=# data-x>one <b style='visibility:hidden'>two</b></a>", "one"),
    "parts hidden by ARIA": ("<a href=# data-x>one <b aria-hidden=true>two</b></a>", "one"),
    "labelled parts": ('<a href="#" data-x>one <b aria-label="two">x</b> three</a>', "one two three"),
    "parts labelled by others": (
        '<span id="l">two</span><a href="#" data-x>one <b aria-labelledby="l">x</b></a>',
        "one two",
    ),
    "buttons in a heading": ("<h2 data-x>one <button>two</button></h2>", "one two"),
    "owned elements": ('<button aria-owns="o" data-x>one </button><span id="o">two</span>', "one two"),
    "before and after": (
        "<style>b::before{content:'< '}b::after{content:' >'}</style><button data-x><b>text</b></button>",
        "< text >",
    ),
    "attribute values": (
        "<style>button::after{content:' (' attr(data-n) ')'}</style><button data-n=3 data-x>n</button>",
        "n (3)",
    ),
    "alternative text of generated signs": (
        "<style>button::before{content:'★ ' / 'star '}</style><button data-x>rate</button>",
        "star rate",
    ),
    "a cell": ("<table><tr><th>h<td data-x>text</table>", "text"),
    "a column header": ("<table><tr><th data-x>text<th>o<tr><td>x<td>y</table>", "text"),
    "a tree item, its group left out": (
        '<div role="tree"><div role="treeitem" data-x>one<div role="group"><div role="treeitem">two</div></div>'
        "</div></div>",
        "one",
    ),
    **{
        f"role {role}": (f'<div {context}><div role="{role}" data-x>te<b>xt</b></div></div>', "text")
        for role, context in (
            ("button", ""),
            ("checkbox", ""),
            ("heading", ""),
            ("link", ""),
            ("menuitem", "role=menu"),
            ("menuitemcheckbox", "role=menu"),
            ("menuitemradio", "role=menu"),
            ("option", "role=listbox"),
            ("radio", "role=radiogroup"),
            ("switch", ""),
            ("tab", "role=tablist"),
            ("tooltip", ""),
            ("treeitem", "role=tree"),
            ("cell", "role=row"),
            ("gridcell", "role=row"),
            ("columnheader", "role=row"),
            ("rowheader", "role=row"),
        )
    },
    **{
        f"role {role} is not named by its content": (f'<div role="{role}" data-x>text</div>', "")
        for role in (
            "alert",
            "article",
            "banner",
            "complementary",
            "contentinfo",
            "dialog",
            "group",
            "list",
            "log",
            "main",
            "navigation",
            "note",
            "region",
            "search",
            "status",
            "tabpanel",
            "table",
            "toolbar",
        )
    },
}

SHADOW: Cases = {
    "slotted text": (
        "<x-b><template shadowrootmode=open><button data-x>one <slot></slot></button></template>two</x-b>",
        "one two",
    ),
    "a slot's own text": (
        "<x-b><template shadowrootmode=open><button data-x>one <slot>two</slot></button></template></x-b>",
        "one two",
    ),
    "a shadow tree inside a name": (
        "<button data-x>one <x-b><template shadowrootmode=open><b>two</b></template>not slotted</x-b></button>",
        "one two",
    ),
    "a label inside the shadow tree": (
        "<x-b><template shadowrootmode=open><label for=i>label</label><input id=i data-x></template></x-b>",
        "label",
    ),
    "references stay inside their tree": (
        '<span id="l">outside</span><x-b><template shadowrootmode=open>'
        '<button aria-labelledby="l" data-x>inside</button></template></x-b>',
        "inside",
    ),
}

GROUPS = {
    "examples": EXAMPLES,
    "embedded controls": EMBEDDED,
    "labels": LABELS,
    "host language": HOST_LANGUAGE,
    "content": CONTENT,
    "shadow trees": SHADOW,
}


@pytest.mark.parametrize("group", GROUPS)
async def test_names_are_computed_as_defined(browser: int, group: str) -> None:
    cases = GROUPS[group]
    named: dict[str, str] = {}
    async with direct_page(browser) as connection:
        page = await AgentPage.attach(connection)
        for case, (markup, _) in cases.items():
            await page.show(f"<!doctype html><title>{case}</title>{markup}")
            answer = await page.run("locate", target={"css": "[data-x]"}, limit=2)
            assert answer["total"] == 1, case
            named[case] = answer["matches"][0]["name"]
    assert named == {case: name for case, (_, name) in cases.items()}


async def test_a_password_is_in_no_name_and_no_value(browser: int) -> None:
    async with direct_page(browser) as connection:
        page = await AgentPage.attach(connection)
        await page.show(
            '<title>t</title><label>Key <input type="password" value="hunter2"></label>'
            '<a href="#">open <input type="password" value="hunter2"></a><input id="p" type="password" value="hunter2">'
            '<button aria-labelledby="p">x</button><button aria-describedby="p">y</button>'
        )
        tree = await page.snapshot()
    assert "hunter2" not in str(tree)
    assert str(tree).count("••••") == 3
