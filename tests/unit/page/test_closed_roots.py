"""What the browser answers when it is asked for closed shadow roots."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from kapture.cdp import CdpError
from kapture.page.closed_roots import adopt_closed_roots
from kapture.page.execution_context import ExecutionContext
from kapture.page.renderer import Renderer


async def test_a_document_that_refuses_to_list_its_elements_has_no_closed_roots() -> None:
    asked: list[str] = []

    async def send_all(_session: object, commands: Any, _context: object) -> list[CdpError]:
        asked.extend(method for method, _ in commands)
        return [CdpError(method, "refused") for method, _ in commands]

    renderer = cast("Renderer", SimpleNamespace(send_all=send_all))
    context = cast("ExecutionContext", SimpleNamespace(session=None, context_id="1.2", number=1))
    assert await adopt_closed_roots(renderer, context) == 0
    assert asked == ["Runtime.evaluate", "Runtime.getProperties"]
