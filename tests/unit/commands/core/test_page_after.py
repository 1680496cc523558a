"""What is added about a page that goes on by itself when its action is over."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio

from kapture.commands.core import page_after as module
from kapture.commands.core.context import TabContext
from kapture.errors import DialogOpen, ErrorCode
from kapture.page.dialogs import Dialog
from kapture.page.network.kept_requests import KeptRequests
from kapture.page.settling.outcome import Outcome
from kapture.snapshot import Tree
from kapture.snapshot.node import Node
from kapture.snapshot.tree import FrameView


def _dialog() -> Dialog:
    return Dialog(type="alert", message="Later", default_prompt="", url="http://shop.test/", session=cast("Any", None))


def _tab(*, dialog: Dialog | None = None, outcomes: tuple[Outcome, ...] = ()) -> TabContext:
    network = SimpleNamespace(kept=KeptRequests())
    awaited = SimpleNamespace(url=None)
    page = SimpleNamespace(dialogs=SimpleNamespace(current=dialog), network=network, awaited=awaited)
    client = SimpleNamespace(last_snapshot=None, forgot_snapshot=False)
    facts = {"look": None, "before": None, "step": None, "settled": None}
    return cast("TabContext", SimpleNamespace(page=page, client=client, outcomes=list(outcomes), **facts))


def _lines(tab: TabContext) -> list[str]:
    return [line for outcome in tab.outcomes for line in outcome.lines()]


@pytest.mark.parametrize("mode", ["none", "diff"])
async def test_a_dialog_that_opened_when_the_action_was_over_is_named_once(mode: Any) -> None:
    tab = _tab(dialog=_dialog(), outcomes=(Outcome(),))
    assert await module.page_after(tab, mode) == ""
    assert await module.page_after(tab, mode) == ""
    assert _lines(tab) == ['dialog alert "Later" is open; answer it first']


async def test_a_dialog_that_opens_while_the_page_is_read_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    tab = _tab()

    async def opens(page: Any, look: Any) -> Any:
        page.dialogs.current = _dialog()
        raise DialogOpen(ErrorCode.DIALOG_OPEN, "A dialog is open.")

    monkeypatch.setattr(module, "take", opens)
    assert await module.page_after(tab, "diff") == ""
    assert _lines(tab) == ['dialog alert "Later" is open; answer it first']


async def test_a_frame_that_does_not_say_what_it_still_does_hides_nothing_of_the_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tree = Tree({"": FrameView(key="", root=Node("document", 1, children=("Words",)))})
    tab: Any = _tab(outcomes=(Outcome(),))
    tab.before = tree
    tab.client.last_snapshot = tree
    tab.client.furniture = frozenset()
    tab.client.remember_furniture = lambda furniture: None

    tab.page.databases = SimpleNamespace(exist=trio.sleep_forever)
    tab.page.has_workers = False

    async def read(page: Any, look: Any) -> Tree:
        return tree

    monkeypatch.setattr(module, "take", read)
    monkeypatch.setattr(module, "TIMEOUT_MS", 10)
    assert "Words" in await module.page_after(tab, "full")
