"""A page script that logs every click the page receives."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

from typing import Any

from tests.support.context import Tab

# Every click that reaches the page, by the id of what it met.
CLICKS = """<script>window.clicks = [];
addEventListener('click', (e) => clicks.push(e.composedPath()[0].id || e.composedPath()[0].localName), true);
addEventListener('click', (e) => { if (!e.isTrusted && e.target.localName !== 'input') clicks.push('untrusted'); }, true);
</script>"""


async def clicks(tab: Tab) -> Any:
    return await tab.page.evaluate("clicks")
