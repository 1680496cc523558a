"""Timers that bring nothing do not hold up an answer whose effect can be seen."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

from typing import Any

import pytest

from kapture.commands.core import later_effects, page_after
from tests.support.context import open_tab
from tests.support.settling import at
from tests.support.site import Site

pytestmark = pytest.mark.e2e

# Pages whose timers bring nothing for long, with the actions of which the last one's effect can be seen, or whose timers
# have brought nothing before.
HOUSEKEEPING: dict[str, tuple[str, list[tuple[str, dict[str, Any]]]]] = {
    "the caret in an editor": (
        "<div contenteditable id=x onmousedown='later()'><p>One</p></div>",
        [("click", {"selector": "#x p"})],
    ),
    "a dialog that is closed": (
        """<dialog id=d><p>Sure?</p><button id=x onclick="d.close();later()">Yes</button></dialog>
        <script>d.showModal()</script>""",
        [("click", {"selector": "#x"})],
    ),
    "a menu without a role that is closed": (
        """<button id=m aria-expanded=true>Menu</button><p id=p>As CSV</p><script>
        onkeydown=()=>{p.hidden=true;m.ariaExpanded='false';later()}</script>""",
        [("press", {"key": "Escape"})],
    ),
    "a key that was typed into the same text before": (
        "<textarea id=x onkeydown='later()'></textarea>",
        [("type", {"selector": "#x", "text": text, "key_events": True}) for text in "ab"],
    ),
}


@pytest.mark.parametrize(("html", "actions"), HOUSEKEEPING.values(), ids=HOUSEKEEPING)
async def test_timers_beside_an_effect_that_can_be_seen_are_waited_for_only_shortly(
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
        assert "no other change yet; 1 timer may be pending" in await tab.text(command, **arguments, timeout=30_000)


async def test_what_follows_a_modal_dialog_that_is_closed_is_part_of_the_answer(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(later_effects, "FURTHER_CHANGE_S", 10)
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
