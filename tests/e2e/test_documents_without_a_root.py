"""A document without a root element is an empty page, not an error: until a script writes into what it has opened."""

from __future__ import annotations

import pytest

from tests.support.agent_page import AgentPage

pytestmark = pytest.mark.e2e

REMOVED = "document.documentElement.remove()"
OPENED = "document.open()"


@pytest.mark.parametrize("script", [REMOVED, OPENED])
async def test_nothing_is_read_of_a_document_without_a_root(page: AgentPage, script: str) -> None:
    await page.show("<title>Full</title><p>Words</p>")
    await page.evaluate(script)
    tree = await page.snapshot()
    assert (tree["role"], tree.get("children")) == ("document", None)
    assert await page.run("readText") == []
    assert await page.run("readHtml", mark="frame") == await page.run("readHtml", mark="frame", source=True) == ""
    assert (await page.run("documentState"))["pageSize"] == [0, 0]
    assert (await page.run("metrics"))["fullWidth"] > 0
    assert (await page.run("find", text="Words"))["matches"] == []
    assert (await page.run("draw"))["drawn"] == []


async def test_content_written_into_opened_document_is_read(page: AgentPage) -> None:
    await page.show("<p>Words</p>")
    await page.evaluate(OPENED)
    assert await page.run("readText") == []
    await page.evaluate("document.write('<p>Came</p>')")
    assert "Came" in str(await page.run("readText"))
    await page.evaluate(OPENED)
    assert await page.run("readText") == []
