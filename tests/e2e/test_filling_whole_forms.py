"""Forms filled in one call, field after field, and reasons that keep a field from being filled."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

from contextlib import suppress

import pytest
import trio

from kapture.errors import ErrorCode, KaptureError
from tests.support.context import open_tab
from tests.support.site import Site

pytestmark = pytest.mark.e2e


FORM = """<form onsubmit="window.sent = Object.fromEntries(new FormData(this)); return false">
<label>Name <input name=name required></label><label>Born <input type=date name=born></label>
<label>Size <select name=size><option value=s>Small<option value=l>Large</select></label>
<label><input type=checkbox name=gift>Gift</label><label>Note <textarea name=note></textarea></label>
<label>Locked <input name=locked disabled></label><button>Order</button></form>"""


async def test_a_form_is_filled_and_submitted_in_one_call(browser: int, site: Site) -> None:
    site.pages["/form"] = FORM
    async with open_tab(browser, site.url("/form")) as tab:
        answer = await tab.text(
            "fill_form",
            fields=[
                {"target": {"label": "Name"}, "value": "Ada"},
                {"target": {"label": "Born"}, "value": "1815-12-10"},
                {"selector": "[name=size]", "value": "Large"},
                {"target": {"label": "Gift"}, "value": True},
                {"target": {"label": "Note"}, "value": "two\nlines"},
            ],
            submit=True,
        )
        assert answer.splitlines()[0] == "filled 5 of 5 fields"
        assert 'submitted with <button> "Order"' in answer
        assert await tab.page.evaluate("sent") == {
            "name": "Ada",
            "born": "1815-12-10",
            "size": "l",
            "gift": "on",
            "note": "two\nlines",
        }


async def test_a_form_with_a_field_that_fails_is_not_submitted_and_says_which(browser: int, site: Site) -> None:
    site.pages["/form"] = FORM
    async with open_tab(browser, site.url("/form")) as tab:
        fields = [
            {"target": {"label": "Locked"}, "value": "x"},
            {"target": {"label": "Nothing"}, "value": "x"},
            {"target": {"label": "Name"}, "value": "Ada"},
        ]
        parts = ("filled 1 of 3 fields", "it is disabled", "ELEMENT_NOT_FOUND")
        answer = ""
        for timeout in (4_000, 12_000, 36_000):  # until each field's share is long enough for this machine to look
            with suppress(KaptureError):  # not one field was filled
                answer = await tab.text("fill_form", fields=fields, submit=True, timeout=timeout)
            if all(part in answer for part in parts):
                break
        assert [part for part in parts if part not in answer] == []
        assert "not submitted" in answer
        assert await tab.page.evaluate("typeof sent") == "undefined"


async def test_a_secret_is_never_shown(browser: int, site: Site) -> None:
    site.pages["/secret"] = "<input id=p type=password maxlength=3>"
    async with open_tab(browser, site.url("/secret")) as tab:
        answer = await tab.text("fill", selector="#p", value="hunter2")
        assert "hun" not in answer
        assert "made it" in answer


async def test_text_never_ends_up_in_another_field(browser: int, site: Site) -> None:
    site.pages["/thief"] = "<input id=x><input id=y><script>x.onfocus = () => y.focus()</script>"
    async with open_tab(browser, site.url("/thief")) as tab:
        await tab("fill", selector="#x", value="mine")
        assert await tab.page.evaluate("[x.value, y.value]") == ["mine", ""]
        error = await tab.fails("type", selector="#x", text="more")
        assert error.code is ErrorCode.ELEMENT_NOT_ACTIONABLE
        assert await tab.page.evaluate("[x.value, y.value]") == ["mine", ""]


# Reasons that will not pass by themselves, with the command that meets them, and what the error says.
LASTING: dict[str, tuple[str, str, str, str]] = {
    "read-only": ("<input id=x type=date readonly>", "fill", "read-only", "click it"),
    "not displayed": ("<button id=x style='display:none'>Go</button>", "click", "not displayed", "show it first"),
    "replaced by a plugin": (
        "<select id=x style='display:none'><option>A</select>",
        "select",
        "not displayed",
        "A widget of the page",
    ),
    "disabled": ("<button id=x disabled>Go</button>", "click", "disabled", "other fields"),
    "covered": (
        "<button id=x>Go</button><div style='position:fixed;inset:0'>Accept cookies</div>",
        "click",
        "covers it",
        "Deal with what covers it first: close it, or hover over something else",
    ),
}


async def test_text_is_kept_from_a_field_that_takes_the_focus_at_the_last_moment(browser: int, site: Site) -> None:
    site.pages["/form"] = """<input id=x onfocus="Promise.resolve().then(() => y.focus())"><input id=y value=mine>
    <p id=e contenteditable onfocus="Promise.resolve().then(() => y.focus())">text</p>"""
    async with open_tab(browser, site.url("/form")) as tab:
        await tab("fill", selector="#x", value="for x")
        assert await tab.page.evaluate("[x.value, y.value]") == ["for x", "mine"]
        await tab.page.evaluate("y.blur()")
        error = await tab.fails("fill", selector="#e", value="for e")
        assert 'still holds "text"' in error.message
        assert "stopped on its way into <input>" in error.message
        assert await tab.page.evaluate("y.value") == "mine"
        await tab("type", selector="#y", text=" and yours")  # the guard is gone
        assert await tab.page.evaluate("y.value") == "mine and yours"


async def test_a_field_that_filling_the_one_before_makes_anew_is_filled_all_the_same(browser: int, site: Site) -> None:
    site.pages["/form"] = """<input id=x><input id=y><input id=z disabled><script>
    x.onchange = () => setTimeout(() => { y.outerHTML = '<input id=y>'; z.disabled = false }, 0)</script>"""
    async with open_tab(browser, site.url("/form")) as tab:
        for _ in range(5):
            await tab("navigate", url=site.url("/form"))
            fields = [{"selector": f"#{name}", "value": f"for {name}"} for name in "xyz"]
            assert "filled 3 of 3 fields" in await tab.text("fill_form", fields=fields)
            assert await tab.page.evaluate("[x.value, y.value, z.value]") == ["for x", "for y", "for z"]


@pytest.mark.parametrize(("html", "command", "reason", "hint"), LASTING.values(), ids=LASTING)
async def test_a_reason_that_will_not_pass_is_reported_long_before_the_timeout(
    browser: int, site: Site, html: str, command: str, reason: str, hint: str
) -> None:
    site.pages["/lasting"] = html
    async with open_tab(browser, site.url("/lasting")) as tab:
        value = {"fill": {"value": "2024-01-01"}, "select": {"label": "A"}}.get(command, {})
        with trio.fail_after(60):
            error = await tab.fails(command, selector="#x", timeout=600_000, **value)
        assert reason in error.message
        assert hint in error.hint


# Reasons that last longer than that, in a page that shows that something is going on.
PASSING: dict[str, str] = {
    "a cover that moves": """<style>@keyframes turn{to{rotate:1turn}}</style><button id=x onclick="this.textContent='Done'">Go</button>
      <div id=c style="position:fixed;inset:0"><i style="animation:turn 1s infinite">Loading</i></div><script>setTimeout(()=>c.remove(),3000)</script>""",
}


@pytest.mark.parametrize("html", PASSING.values(), ids=PASSING)
async def test_a_reason_that_may_pass_is_waited_for(browser: int, site: Site, html: str) -> None:
    site.pages["/passing"] = html
    async with open_tab(browser, site.url("/passing")) as tab:
        await tab("click", selector="#x")
        assert await tab.page.evaluate("x.textContent") == "Done"
