"""The browser's answers to questions for closed shadow roots."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio

from kapture.cdp import CdpError
from kapture.page.documents.frame import ExecutionContext, Frame, Renderer
from kapture.page.introspection import ClosedRoots, adopt_closed_roots


async def test_a_document_that_refuses_to_list_its_elements_has_no_closed_roots() -> None:
    asked: list[str] = []

    async def send_all(_session: object, commands: Any, _context: object) -> list[CdpError]:
        asked.extend(method for method, _ in commands)
        return [CdpError(method, "refused") for method, _ in commands]

    renderer = cast("Renderer", SimpleNamespace(send_all=send_all))
    context = cast("ExecutionContext", SimpleNamespace(session=None, context_id="1.2", number=1))
    assert await adopt_closed_roots(renderer, context) == 0
    assert asked == ["Runtime.evaluate", "Runtime.getProperties"]


async def test_a_page_that_attaches_one_root_after_another_is_not_searched_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def always_another(_renderer: object, _context: object) -> int:
        await trio.lowlevel.checkpoint()
        return 1

    monkeypatch.setattr("kapture.page.introspection.adopt_closed_roots", always_another)
    frame = SimpleNamespace(granted=True, renderer=None, current_context=object)
    with trio.fail_after(30):
        async with trio.open_nursery() as nursery:
            await ClosedRoots(nursery).look_for(cast("Frame", frame)).wait()


async def test_a_document_outside_the_grant_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[bool] = []

    async def search(renderer: Any, _context: object) -> int:
        await trio.lowlevel.checkpoint()
        searched.append(renderer)
        return 0

    monkeypatch.setattr("kapture.page.introspection.adopt_closed_roots", search)
    async with trio.open_nursery() as nursery:
        roots = ClosedRoots(nursery)
        for granted in (True, False):
            frame = SimpleNamespace(granted=granted, renderer=granted, current_context=object)
            await roots.look_for(cast("Frame", frame)).wait()
    assert searched == [True]
