"""A page that the browser takes from its back/forward cache takes no input before the hub has judged it."""

from __future__ import annotations

import json
from typing import Any

import pytest
import trio

from kapture.page.agent_calls import agent_source
from tests.support.direct import direct_page
from tests.support.site import serving

pytestmark = pytest.mark.e2e

HEARS = """<!doctype html><title>other</title><input id=field autofocus><script>
  const heard = [];
  for (const kind of ["keydown", "keypress", "beforeinput", "input", "keyup"])
    addEventListener(kind, (event) => event.isTrusted && heard.push(kind), true);
  field.focus();
</script>"""


async def test_a_restored_document_refuses_input_until_it_is_judged(browser: int) -> None:
    with serving({"/": HEARS, "/next": "<title>next</title>"}) as site:
        async with direct_page(browser) as page:
            session, agents, restored = page.root, [], trio.Event()
            key = {"type": "keyDown", "key": "a", "code": "KeyA", "text": "a"}

            def navigated(event: dict[str, Any]) -> None:
                if event["type"] == "BackForwardCacheRestore":
                    restored.set()

            def context(event: dict[str, Any]) -> None:
                if event["context"]["name"] == "kapture":
                    agents.append(event["context"]["id"])

            async def evaluate(expression: str, **where: Any) -> Any:
                found = await session.send("Runtime.evaluate", {"expression": expression, **where})
                return json.loads(found["result"]["value"])

            async def accept() -> Any:
                expression = "kapture.run('acceptInput', {}, 0, 0)"
                return (await evaluate(expression, contextId=agents[-1]))["value"]["refused"]

            async def load(path: str) -> None:
                with trio.fail_after(30):
                    loaded = trio.Event()
                    session.on("Page.loadEventFired", lambda _: loaded.set())
                    await session.send("Page.navigate", {"url": site.url(path)})
                    await loaded.wait()

            session.on("Page.frameNavigated", navigated)
            session.on("Runtime.executionContextCreated", context)
            await session.send("Page.enable")
            await session.send("Runtime.enable")
            source = {"source": agent_source(), "worldName": "kapture"}
            await session.send("Page.addScriptToEvaluateOnNewDocument", source)
            await load("/")
            await accept()
            await load("/next")
            session.submit("Runtime.evaluate", {"expression": "history.back()"})
            with trio.fail_after(30):
                await restored.wait()
            await session.send("Input.dispatchKeyEvent", key)
            assert await accept() > 0
            assert await evaluate("JSON.stringify(heard)") == []
            await session.send("Input.dispatchKeyEvent", key)
            assert "keydown" in await evaluate("JSON.stringify(heard)")
