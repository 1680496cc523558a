"""Changes since the last snapshot, as clients see them."""

from __future__ import annotations

import re

import pytest

from kapture.errors import ErrorCode, KaptureError
from tests.support.context import open_tab
from tests.support.form_page import FORM
from tests.support.settling import patient
from tests.support.site import Site

pytestmark = pytest.mark.e2e

NO_CHANGE = "no change yet: if something should come, wait for its text"


def ref_of(text: str, role: str, name: str = "") -> str:
    match = re.search(rf'{role} "{name}.*ref=((?:f\d+)?e\d+)', text)
    assert match, text
    return match[1]


async def test_since_last_tells_only_what_changed(browser: int, site: Site) -> None:
    site.pages["/list"] = "<ul aria-label=Tasks><li>Bread<li>Eggs</ul><button>Save</button><input aria-label=Qty>"
    async with open_tab(browser, site.url("/list")) as tab:
        first = await tab.text("snapshot", since="last")
        assert first.startswith("(first snapshot of this tab: the whole page)\npage ")
        assert await tab.text("snapshot", since="last") == "no change"
        await tab.page.evaluate(
            "document.querySelector('ul').insertAdjacentHTML('beforeend','<li>Milk');"
            "document.querySelector('button').disabled = true; document.querySelector('input').value = '3'"
        )
        changes = re.sub(r"e\d+", "eN", await tab.text("snapshot", since="last"))
        assert changes.splitlines() == [
            "changes:",
            '+ in list "Tasks":',
            '+   "Milk"',
            '~ button "Save" [disabled] ref=eN',
            '~ textbox "Qty" = "3" ref=eN',
        ]
        await tab.page.evaluate("document.querySelector('li').remove()")
        assert await tab.text("snapshot", since="last") == 'changes:\n- in list "Tasks": "Bread"'


async def test_a_new_document_is_shown_whole(browser: int, site: Site) -> None:
    site.pages["/one"] = "<button>One</button>"
    site.pages["/two"] = "<button>Two</button>"
    async with open_tab(browser, site.url("/one")) as tab:
        old = ref_of(await tab.text("snapshot"), "button")
        text = await tab.text("navigate", url=site.url("/two"))
        assert "(new document: the whole page)" in text
        assert await tab.text("snapshot", since="last") == "no change"
        assert ref_of(text, "button") != old
        with pytest.raises(KaptureError) as caught:
            await tab.text("snapshot", root={"ref": old})
        assert caught.value.code is ErrorCode.REF_EXPIRED


TODO_LIST = """<ul aria-label=Tasks><li>Bread</ul><button id=add onclick="add()">Add</button>
<button id=idle>Idle</button>
<a href=/form>Away</a><script>function add() {
  document.querySelector('ul').insertAdjacentHTML('beforeend', '<li>Milk')
}</script>"""


async def test_an_action_answers_with_its_effect_once_the_client_has_seen_the_tab(browser: int, site: Site) -> None:
    site.pages["/todo"] = TODO_LIST
    site.pages["/form"] = FORM
    async with open_tab(browser, site.url("/todo")) as tab:
        blind = await tab.text("click", selector="#add")
        assert "Milk" not in blind
        await tab.text("snapshot")
        seen = re.sub(r"e\d+", "eN", await tab.text("click", selector="#add"))
        assert seen.splitlines()[1:] == [
            "changes:",
            '+ in list "Tasks":',
            '+   "Milk"',
        ]
        assert (await tab.text("click", selector="#add", snapshot="none")).count("\n") == 0
        assert (await tab.text("hover", selector="#idle")).count("Milk") == 1
        assert (await tab.text("hover", selector="#idle")).splitlines()[1:] == [NO_CHANGE]
        assert "Milk" not in await tab.text("click", selector="#add", snapshot="none")
        whole = await tab.text("click", selector="#add", snapshot="full")
        assert whole.count("Milk") == 5
        assert 'button "Idle"' in whole
        away = await tab.text("click", selector="a")
        assert "(new document: the whole page)" in away
        assert 'button "Create account"' in away


async def test_an_action_shows_changes_without_an_earlier_snapshot_when_asked_to(browser: int, site: Site) -> None:
    site.pages["/todo"] = TODO_LIST
    async with open_tab(browser, site.url("/todo")) as tab:
        seen = await tab.text("click", selector="#add", snapshot="diff")
        assert seen.splitlines()[1:4] == ["changes:", '+ in list "Tasks":', '+   "Milk"']


async def test_answering_a_dialog_and_waiting_show_what_changed(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient(monkeypatch)
    site.pages["/ask"] = (
        "<button onclick=\"setTimeout(() => { if (confirm('Sure?')) note.textContent = 'Deleted' })\">Delete</button>"
        "<button onclick=\"setTimeout(() => note.textContent = 'Later', 300)\">Wait</button><p id=note>Nothing</p>"
    )
    async with open_tab(browser, site.url("/ask")) as tab:
        await tab("snapshot")
        assert "is open" in await tab.text("click", target={"text": "Delete"})
        answered = await tab.text("handle_dialog")
        assert answered.splitlines()[-1:] == ['~ "Deleted" (was "Nothing")']
        await tab("click", target={"text": "Wait"}, snapshot="none")
        waited = await tab.text("wait_for", text="Later")
        assert waited.splitlines()[-1:] == ['~ "Later" (was "Deleted")']
        assert "changes" not in await tab.text("wait_for", text="Later", snapshot="none")


async def test_an_action_that_leads_outside_the_grant_is_answered_without_the_page(browser: int, site: Site) -> None:
    site.pages["/todo"] = TODO_LIST
    site.pages["/form"] = FORM
    async with open_tab(browser, site.url("/todo")) as tab:
        await tab.text("snapshot")
        tab.page.gate = lambda url: not url.endswith("/form")
        text = await tab.text("click", selector="a")
        assert "Create account" not in text
        assert "The page is not shown" in text


async def test_a_message_that_came_and_went_during_an_action_is_reported(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient(monkeypatch)
    site.pages["/toast"] = """<button onclick="toast()">Save</button><div role=status></div><script>
    async function toast() {
      const status = document.querySelector('[role=status]');
      status.textContent = 'Saved 3 items';
      await fetch('/toast');
      status.textContent = '';
    }</script>"""
    async with open_tab(browser, site.url("/toast")) as tab:
        await tab.text("snapshot")
        text = await tab.text("click", selector="button")
        assert '! "Saved 3 items" (appeared and disappeared)' in text.splitlines()


STYLED = """<style>span { cursor: pointer }</style>
<body onclick="document.body.classList.toggle('dark', event.target.id === 'dark')">
<span id=tag onclick="this.classList.toggle('selected')" class=tag>Vegan</span>
<span id=box onclick="this.style.backgroundColor = 'green'" style="color: red; background-color: white">Box</span>
<span id=gold onclick="this.style.background = 'gold'">Gold</span>
<span id=dark>Dark</span>
<span id=ripple onclick="this.classList.toggle('has-ripple')">Ripple</span>
<span id=more onclick="this.classList.add('open'); this.after('More')">Open</span>"""


async def test_a_click_that_changes_only_a_class_or_a_style_says_so(browser: int, site: Site) -> None:
    site.pages["/styled"] = STYLED
    async with open_tab(browser, site.url("/styled")) as tab:
        await tab("snapshot")
        for selector, change in {
            "#tag": '~ <span> ref=eN: class "tag selected" (was "tag")',
            "#box": '~ <span> ref=eN: style "background-color: green" (was "background-color: white")',
            "#gold": '~ <span> ref=eN: style "background: gold" (was "")',
            "#dark": '~ <body> ref=eN: class "dark" (was "")',
        }.items():
            text = re.sub(r"e\d+", "eN", await tab.text("click", selector=selector))
            assert text.splitlines()[1:] == ["changes:", change]
        await tab("click", selector="#tag")
        assert (await tab.text("click", selector="#ripple")).splitlines()[1:] == [NO_CHANGE]
        assert "class" not in await tab.text("click", selector="#more")
