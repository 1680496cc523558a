"""Timers that editors set to tidy up do not hold up an answer."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

from typing import Any

import pytest

from kapture.commands.core import later_effects, page_after
from tests.support.context import open_tab
from tests.support.settling import at
from tests.support.site import Site

pytestmark = pytest.mark.e2e

# Pages whose timers bring nothing for long, with the actions of which the last one places the caret, or whose timers have
# brought nothing before.
HOUSEKEEPING: dict[str, tuple[str, list[tuple[str, dict[str, Any]]]]] = {
    "the caret in an editor": (
        "<div contenteditable id=x onmousedown='later()'><p>One</p></div>",
        [("click", {"selector": "#x p"})],
    ),
    "the caret in an editor that takes keys beside its text": (
        """<div id=x style="height:40px" onclick='later();t.focus()'>One</div>
        <textarea id=t style="width:1px;height:1px;opacity:0"></textarea>""",
        [("click", {"selector": "#x"})],
    ),
    "a key that was pressed in the same editor before": (
        "<div contenteditable id=x onkeydown='later()'><p>One</p></div>",
        [("press", {"selector": "#x", "key": "ArrowRight"}) for _ in range(2)],
    ),
}


@pytest.mark.parametrize(("html", "actions"), HOUSEKEEPING.values(), ids=HOUSEKEEPING)
async def test_timers_of_editors_are_waited_for_only_shortly(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch, html: str, actions: list[tuple[str, dict[str, Any]]]
) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, f"<script>var later=()=>setTimeout(()=>0,1e6)</script>{html}")
        await tab("snapshot")
        for command, arguments in actions[:-1]:
            await tab(command, **arguments)
        monkeypatch.setattr(later_effects, "FIRST_CHANGE_S", 600)
        monkeypatch.setattr(page_after, "TIMEOUT_MS", 600_000)
        command, arguments = actions[-1]
        assert "change yet; 1 timer may be pending" in await tab.text(command, **arguments, timeout=30_000)


async def test_what_follows_a_modal_dialog_that_is_closed_is_part_of_the_answer(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(later_effects, "FIRST_CHANGE_S", 10)
    monkeypatch.setattr(page_after, "TIMEOUT_MS", 30_000)
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            """<p id=p>3 mails</p><button id=o onclick="d.showModal()">Delete</button><dialog id=d><button id=x>Yes
            </button></dialog><script>x.onclick=()=>{d.close();setTimeout(()=>p.textContent='2 mails',100)}</script>""",
        )
        await tab("snapshot")
        await tab("click", selector="#o")
        assert "2 mails" in await tab.text("click", selector="#x", timeout=60_000)
