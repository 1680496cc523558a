"""Text that style sheets generate or leave out."""

from __future__ import annotations

import pytest

from tests.support.agent_page import AgentPage, nodes_of, text_of

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize(
    "style",
    [
        "button::after { content: ' now' }",
        "@media all { button::after { content: ' now' } }",
        ".x { & button::after { content: ' now' } }",
        "body > div button:not(.a, .b)::after { content: ' now' }",
        "@layer one { @supports (color: red) { button:after { content: ' now' } } }",
        ":is(button, a)::after { content: ' ' attr(data-n) }",
    ],
)
async def test_generated_text_is_seen_however_its_rule_is_written(page: AgentPage, style: str) -> None:
    await page.show(f"<title>t</title><style>{style}</style><div class=x><button data-n=now>Buy</button></div>")
    names = [node["name"] for node in nodes_of(await page.snapshot()) if node["role"] == "button"]
    assert names == ["Buy now"]


async def test_generated_text_of_a_sheet_that_changes_is_seen(page: AgentPage) -> None:
    await page.show("<title>t</title><style></style><button>Buy</button>")
    rules = "".join(f".n{number}{{}}" for number in range(300))
    await page.evaluate(f"document.querySelector('style').textContent = '{rules}'")
    assert (await page.snapshot())["children"][0]["name"] == "Buy"
    await page.evaluate("document.styleSheets[0].insertRule('button::before{content:\"Now: \"}', 0)")
    assert (await page.snapshot())["children"][0]["name"] == "Now: Buy"


@pytest.mark.parametrize(
    "styled",
    [
        "<style>#skips { content-visibility: hidden }</style>",
        "<style>@media all { @supports (color: red) { #skips { content-visibility: hidden } } }</style>",
        "<style>@keyframes skip { to { content-visibility: hidden } } #skips { animation: skip 0s forwards }</style>",
        "<script>skips.style.contentVisibility = 'hidden'</script>",
        "<script>skips.hidden = 'until-found'</script>",
        "<script>const sheet = new CSSStyleSheet(); sheet.replaceSync('#skips { content-visibility: hidden }');"
        "document.adoptedStyleSheets = [sheet]</script>",
    ],
    ids=["rule", "nested rule", "animation", "style attribute", "until found", "adopted sheet"],
)
async def test_text_that_its_box_leaves_out_is_not_shown(page: AgentPage, styled: str) -> None:
    await page.show(f"<title>t</title><p>shown</p><div id=skips>left out</div>{styled}")
    assert text_of(await page.snapshot(), frozenset()) == "shown"
