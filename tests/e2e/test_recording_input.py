"""A person's input is captured, and never a secret."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

from collections.abc import Iterator

import attrs
import pytest

from tests.support.recording_person import person_at
from tests.support.site import Site, serving

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving({"/next": "<title>Next</title><button>Go on</button>"}) as site:
        yield site


async def test_typing_is_one_action_whose_value_grows(browser: int, site: Site) -> None:
    async with person_at(browser, site, "<label>City <input></label>") as (_, person, recorded):
        await person.click("input")
        await person.type("Rome")
        action = await recorded.action("fill")
        await recorded.until(lambda: recorded.values(action)[-1:] == ["Rome"])
        assert recorded.values(action) == ["R", "Ro", "Rom", "Rome"]
        assert action.targets[0] == {"role": "textbox", "name": "City", "exact": True}


SECRETS = {
    "<form><input type=password name=p></form>": "password",
    "<form><input autocomplete=one-time-code></form>": "one_time_code",
    "<form><input autocomplete='section-a cc-number'></form>": "card_number",
    "<form><input type=email><input type=password></form>": "email",
    "<form aria-label='Sign in'><label>User name <input></label><button>Next</button></form>": "username",
    "<form><label>API key <input></label></form>": "token",
}


@pytest.mark.parametrize("html", SECRETS)
async def test_a_secret_is_no_part_of_the_action_that_types_it(browser: int, site: Site, html: str) -> None:
    async with person_at(browser, site, html) as (_, person, recorded):
        await person.click("input:not(input + input)")
        await person.type("hunter2")
        action = await recorded.action("fill")
        assert action.secret == SECRETS[html]
        await recorded.until(lambda: "hunter2" in recorded.secrets)
        assert all("hunter2" not in str(attrs.asdict(action)) for action in recorded.actions())
        assert "hunter2" not in repr(recorded.events)


async def test_a_password_that_is_shown_stays_a_secret(browser: int, site: Site) -> None:
    html = "<form><input type=password id=p><button type=button onclick=\"document.all.p.type='text'\">Show</button></form>"
    async with person_at(browser, site, html) as (_, person, recorded):
        await person.click("#p")
        await person.type("a")
        await person.click("button")
        await person.click("#p")
        await person.type("b")
        assert (await recorded.action("fill", 1)).secret == "password"


async def test_choices_are_kept_as_what_was_chosen(browser: int, site: Site) -> None:
    html = (
        "<label><input type=checkbox id=c> News</label><label><input type=radio id=r> Blue</label>"
        "<div role=switch tabindex=0 id=s aria-checked=false onclick=\"this.ariaChecked='true'\">Dark</div>"
    )
    async with person_at(browser, site, html) as (_, person, recorded):
        await person.click("#c")
        await person.click("#r")
        await person.click("#s")
        await person.click("#c")
        await recorded.action("fill", 3)
        names = [(action.targets[0]["name"], action.arguments) for action in recorded.actions()]
        assert names == [
            ("News", {"value": True}),
            ("Blue", {"value": True}),
            ("Dark", {"value": True}),
            ("News", {"value": False}),
        ]


async def test_an_option_of_a_select_is_kept_by_its_label(browser: int, site: Site) -> None:
    async with person_at(browser, site, "<select aria-label=Size><option>Small<option>Large</select>") as (
        _,
        person,
        recorded,
    ):
        await person.page.evaluate("document.querySelector('select').focus()")
        await person.press("ArrowDown")
        assert (await recorded.action("select")).arguments == {"label": "Large"}


CUSTOM = """<button id=o aria-haspopup=listbox aria-expanded=false aria-label=Country onclick="l.hidden=false;ariaExpanded='true'">None</button>
<ul id=l role=listbox hidden><li role=option>France</li><li role=option id=spain
onmousedown="o.textContent='Spain';o.ariaExpanded='false';l.hidden=true">Spain</li></ul>"""


async def test_a_choice_from_a_custom_list_is_kept_as_one(browser: int, site: Site) -> None:
    async with person_at(browser, site, CUSTOM) as (_, person, recorded):
        await person.click("#o")
        await person.click("#spain")
        action = await recorded.action("select")
        assert action.arguments == {"label": "Spain"}
        assert action.targets[0] == {"role": "button", "name": "Country", "exact": True}
        assert [one.command for one in recorded.actions()] == ["click", "select"]


async def test_keys_are_kept_when_they_do_something(browser: int, site: Site) -> None:
    html = "<form action=/next><input aria-label=Search></form><textarea></textarea>"
    async with person_at(browser, site, html) as (_, person, recorded):
        await person.click("textarea")
        await person.type("a")
        await person.press("Enter")
        await person.press("ArrowLeft")
        await person.press("Control+k")
        await person.press("Escape")
        await person.press("Tab")
        await person.click("input")
        await person.press("Enter")
        await recorded.action("press", 3)
        await recorded.until(lambda: recorded.navigations)
        keys = [action.arguments["key"] for action in recorded.actions("press")]
        assert keys == ["ControlOrMeta+k", "Escape", "Tab", "Enter"]
        assert recorded.navigations[0].cause == "page"


async def test_enter_that_a_page_takes_for_itself_is_kept(browser: int, site: Site) -> None:
    html = "<textarea onkeydown=\"if (event.key==='Enter') { event.preventDefault(); value='' }\"></textarea>"
    async with person_at(browser, site, html) as (_, person, recorded):
        await person.click("textarea")
        await person.type("hi")
        await person.press("Enter")
        assert (await recorded.action("press")).arguments == {"key": "Enter"}


async def test_a_form_sent_by_enter_is_not_sent_by_a_click_as_well(browser: int, site: Site) -> None:
    html = "<form onsubmit='event.preventDefault()'><input aria-label=Search><button>Go</button></form><p id=p>End"
    async with person_at(browser, site, html) as (_, person, recorded):
        await person.click("input")
        await person.press("Enter")
        await person.click("#p")
        await recorded.action("click", 1)
        assert [one.command for one in recorded.actions()] == ["click", "press", "click"]
