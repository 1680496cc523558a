from __future__ import annotations

from tests.support.context import View, on_hub


async def test_list_tabs_shows_what_is_granted() -> None:
    row = {
        "tabId": "abcd2345",
        "title": 'A "title", with\nlines',
        "url": "https://a.example/",
        "grant": {"sites": ["a.example"], "level": "interact"},
    }
    result = await on_hub("list_tabs", View(rows=[row]))
    assert "abcd2345" in result.text
    assert "interact on a.example" in result.text
    assert len(result.text.splitlines()) == 2, "a title cannot make lines of its own"
    assert result.data == {"tabs": [row]}
