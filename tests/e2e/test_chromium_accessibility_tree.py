"""The agent's tree says what Chromium's own accessibility tree says, on pages of many kinds."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.support.agent_page import AgentPage
from tests.support.long import few
from tests.support.oracle import Difference, differences

PAGES = {
    file.stem: file.read_text(encoding="utf-8")
    for file in sorted((Path(__file__).parent / "pages" / "oracle").glob("*.html"))
}

pytestmark = pytest.mark.e2e


@attrs.frozen
class Allowed:
    """A difference that is meant to be, with the reason for it and where the reason is written."""

    reason: str
    source: str
    covers: Callable[[Difference], bool]


VALIDATED = ("combobox", "listbox", "checkbox", "radio")

ALLOWED = (
    Allowed(
        "An image that a style sheet generates has no element that could be acted on, and no name.",
        "CSS Generated Content 3, 2.1: generated content is not in the document tree",
        lambda one: one.kind == "missing" and one.role == "image" and one.browser == "",
    ),
    Allowed(
        "What stands in defs is drawn only where it is used; Chromium shows its titled shapes where they stand.",
        "SVG 2, 5.4: the defs element's contents are not rendered directly",
        lambda one: one.kind == "missing" and one.role == "graphics-symbol" and one.browser == "in defs",
    ),
    Allowed(
        "Media that cannot be played are named by Chromium's own message; their author's name says more.",
        "HTML-AAM 1.0, 3.5: audio and video are named by aria-label, aria-labelledby and title",
        lambda one: one.kind in ("name", "disabled", "description") and one.role in ("audio", "video", "object"),
    ),
    Allowed(
        "A canvas draws things that a person may click; Chromium leaves it out when it holds nothing.",
        "HTML-AAM 1.0: canvas has no role, and is a node of its own where it can be acted on",
        lambda one: one.kind == "extra" and one.role == "canvas",
    ),
    Allowed(
        "An option that is not displayed cannot be chosen; Chromium lists the options of a closed select all the same.",
        "HTML, 15.5.16: options that are display: none are not shown in the list",
        lambda one: one.kind == "missing" and one.role == "option",
    ),
    Allowed(
        "What a field suggests is shown only while it is typed into; it says what the field is meant to take.",
        "HTML, 4.10.5: the list attribute identifies predefined options suggested to the user",
        lambda one: one.kind == "extra" and one.role == "option" and one.ours in ("1", "2"),
    ),
    Allowed(
        "What is chosen in a disabled list stays chosen, and says what the page will send or show.",
        "HTML, 4.10.10: selectedness does not depend on being disabled",
        lambda one: one.kind == "selected" and one.role == "option" and one.ours is True,
    ),
    Allowed(
        "The parts of a formula are told as the formula's text.",
        "MathML Core and ARIA have no roles for them; Chromium's are internal",
        lambda one: one.kind == "missing" and one.role.startswith("MathML"),
    ),
    Allowed(
        "A wrapper with nothing in it says nothing.",
        "WAI-ARIA 1.3: paragraph, emphasis and strong are structures without a name of their own",
        lambda one: one.kind == "missing" and one.role in ("paragraph", "group") and one.browser == "",
    ),
    Allowed(
        "An area that no image uses is a link all the same; Chromium says so since a version between 150 and 156.",
        "HTML-AAM 1.0: area with an href attribute maps to link, whatever its map",
        lambda one: one.kind == "extra" and one.role == "link" and one.ours in ("lone", "lone area"),
    ),
    Allowed(
        "Counters are part of a generated text that a person sees; Chromium leaves them out of names.",
        "accname 1.2, 2F.ii: the textual content of ::before and ::after is part of the name",
        lambda one: one.kind == "name" and re.sub(r"[0-9]+", "", str(one.ours)).strip() == one.browser,
    ),
    Allowed(
        "What can be edited is a field to fill; Chromium only says that it can be edited.",
        "HTML, 6.8.1: an editing host is edited like a field; ARIA in HTML has no role for it",
        lambda one: one.kind == "role" and str(one.ours).startswith("textbox ") and one.browser in ("generic", "group"),
    ),
    Allowed(
        "A native select opens outside the page; that it is closed says nothing, and fields that are merely "
        "empty are told as required rather than as wrong.",
        "HTML-AAM 1.0: select maps to combobox; HTML, 4.10.21.1: user validity comes with interaction",
        lambda one: one.kind in ("expanded", "invalid", "required") and one.role in VALIDATED,
    ),
)


OF_EACH_KIND = """names_content names_labelledby form_labels hidden_ways roles_explicit shadow_open
    slot_labels table_data aria_owns site_shop select_kinds svg_all"""


def unexpected(found: list[Difference]) -> list[str]:
    return [str(one) for one in found if not any(rule.covers(one) for rule in ALLOWED)]


@pytest.mark.parametrize("name", few(PAGES, *OF_EACH_KIND.split()))
async def test_roles_names_states_and_text_are_those_of_the_browser(page: AgentPage, name: str) -> None:
    await page.show(PAGES[name])
    assert unexpected(await differences(page)) == []


async def test_the_comparison_sees_a_wrong_name_a_missing_and_an_extra_node(page: AgentPage) -> None:
    await page.show("<title>t</title><button id=b>One</button><nav>n</nav><p id=p>text</p>")
    assert await differences(page) == []
    snapshot = page.snapshot

    async def tampered(**arguments: object) -> dict[str, Any]:
        tree = await snapshot(**arguments)
        tree["children"][0]["name"] = "Two"
        tree["children"][1]["role"] = "main"
        del tree["children"][2]
        return tree

    page.snapshot = tampered  # type: ignore[method-assign]
    kinds = sorted(one.kind for one in await differences(page))
    assert kinds == ["missing", "name", "role", "text"]
