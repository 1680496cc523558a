"""Freeing a page before it is left."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import trio
from trio.testing import MockClock

from kapture.cdp import PendingReply
from kapture.page.navigation import Navigation


async def test_a_page_that_has_crashed_is_left_at_once(autojump_clock: MockClock) -> None:
    main = SimpleNamespace(id="M", crashed=True, ask=PendingReply)  # whoever asked it would wait for ever
    page: Any = SimpleNamespace(frames=SimpleNamespace(main=main))
    await Navigation(page).free_page()
    assert trio.current_time() == 0
