"""A document that a script has opened and not closed is "loading" for ever; what is missing or disabled there is not
waited for longer than elsewhere."""

from __future__ import annotations

import pytest
import trio

from tests.support.agent_page import AgentPage

pytestmark = pytest.mark.e2e

FOR_EVER_MS = 10 * 60_000
PATIENCE_S = 60


async def opened(page: AgentPage) -> None:
    await page.show("<p>Words</p>")
    await page.evaluate("document.open(); document.write('<button disabled>Save</button>')")
    assert await page.evaluate("document.readyState") == "loading"


async def test_missing_element_is_reported(page: AgentPage) -> None:
    await opened(page)
    with trio.fail_after(PATIENCE_S):
        found = await page.run(
            "ready", target={"text": "Missing"}, purpose="click", timeout=FOR_EVER_MS, appear=100, limit=5
        )
    assert found["status"] == "none"


async def test_covering_element_is_reported(page: AgentPage) -> None:
    await opened(page)
    with trio.fail_after(PATIENCE_S), pytest.raises(AssertionError, match="disabled"):
        await page.run("ready", target={"text": "Save"}, purpose="click", timeout=FOR_EVER_MS, appear=100, limit=5)
