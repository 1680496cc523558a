"""Freeing a page before it is left."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from kapture.cdp import PendingReply
from kapture.page.navigation import Navigation


@pytest.mark.parametrize(("crashed", "awaited"), [(True, None), (False, "https://a.example/slow")])
async def test_a_page_that_has_crashed_or_is_being_left_already_is_left_at_once(
    autojump_clock: MockClock, crashed: bool, awaited: str | None
) -> None:
    main = SimpleNamespace(id="M", crashed=crashed, ask=PendingReply)  # whoever asked it would wait for ever
    page: Any = SimpleNamespace(frames=SimpleNamespace(main=main), awaited=SimpleNamespace(url=awaited))
    await Navigation(page).free_page()
    assert trio.current_time() == 0
