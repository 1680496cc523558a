"""Typed text is found in an address in any percent-encoding, and a run restores it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, quote, quote_plus, urlsplit

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kapture.commands.core.recorder import SaveWish, StepEdit
from kapture.page.recording.recording import CapturedAction, Navigation
from kapture.scenarios.files.decode import encode
from kapture.scenarios.model import Scenario, StepTarget
from kapture.scenarios.parameters.placeholders import substitute
from kapture.scenarios.record.captured import CapturedStep
from kapture.scenarios.record.recorded_scenario import scenario_of
from kapture.scenarios.record.recording import Recording
from kapture.scenarios.record.typed_in_address import Typed, as_glob, find, joined, secrets_of, with_references
from kapture.scenarios.secrets.secret_store import StoredSecret
from tests.unit.scenarios.record.test_recorder import URL, act, recording, saved

SHOP = "https://shop.example"
ENCODINGS: list[Callable[[str], str]] = [
    quote_plus,
    lambda value: quote(value, safe=""),
    lambda value: quote(value, safe="!'()*~"),
    lambda value: quote_plus(value, safe="*@:,"),
]
SECRETS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=4, max_size=12)


def secret(value: str, kind: str = "password") -> Typed:
    return Typed(name=kind, value=value, kind=kind)


def referenced(address: str, *typed: Typed) -> str:
    return with_references(address, find(address, typed))


@given(value=SECRETS, encoded=st.sampled_from(ENCODINGS))
def test_an_address_with_a_secret_comes_back_from_its_reference(value: str, encoded: Callable[[str], str]) -> None:
    assume(f"/account?user=x&p={value}&go=1".find(value) == len("/account?user=x&p="))
    address = f"{SHOP}/account?user=x&p={encoded(value)}&go=1"
    saved = referenced(address, secret(value))
    assert "{{password|url}}" in saved
    opened = substitute(saved, {"password": value})
    assert parse_qsl(urlsplit(opened).query, keep_blank_values=True)[1] == ("p", value)
    other = substitute(saved, {"password": "an & other=#1"})
    assert parse_qsl(urlsplit(other).query)[1] == ("p", "an & other=#1")


@given(value=SECRETS)
def test_a_secret_in_an_address_within_an_address_is_encoded_again_as_it_was(value: str) -> None:
    assume(f"/login?next=/s?p={value}".find(value) == len("/login?next=/s?p="))
    inner = f"/s?p={quote(value, safe='')}"
    saved = referenced(f"{SHOP}/login?next={quote(inner, safe='')}", secret(value))
    assert "{{password|url|url}}" in saved
    opened = dict(parse_qsl(urlsplit(substitute(saved, {"password": value})).query))["next"]
    assert dict(parse_qsl(urlsplit(opened).query, keep_blank_values=True))["p"] == value


@pytest.mark.parametrize(
    ("address", "value", "saved"),
    [
        (f"{SHOP}/a?p=h%75nter2", "hunter2", f"{SHOP}/a?p={{{{password|url}}}}"),
        (f"{SHOP}/a?p=xhunter2x", "hunter2", f"{SHOP}/a?p=x{{{{password|url}}}}x"),
        (f"{SHOP}/a/hunter2#hunter2", "hunter2", f"{SHOP}/a/{{{{password|url}}}}#{{{{password|url}}}}"),
        (f"{SHOP}/a?p=caf%E9%20au", "café au", f"{SHOP}/a?p={{{{password|url}}}}"),  # an old page's form
        (f"{SHOP}/a?p=100%hunter2", "hunter2", f"{SHOP}/a?p=100%{{{{password|url}}}}"),
        (f"{SHOP}/a?p=%2012", "12", f"{SHOP}/a?p=%20{{{{password|url}}}}"),
        (f"{SHOP}/a?id=7123", "12", f"{SHOP}/a?id=7123"),
        (f"{SHOP}/a?x={{{{y}}}}", "hunter2", f"{SHOP}/a?x={{{{{{{{y}}}}"),
        ("https://hunter2.example/hunter2", "hunter2", "https://hunter2.example/{{password|url}}"),
        ("https://ada:hunter2@shop.example/", "hunter2", "https://ada:{{password|url}}@shop.example/"),
    ],
)
def test_a_secret_is_replaced_wherever_it_stands_but_in_the_host(address: str, value: str, saved: str) -> None:
    assert referenced(address, secret(value)) == saved


OVERLAPPING = [secret("hunter2"), secret("er2beta", "token")]


@pytest.mark.parametrize("written", ["hunter2beta", "hunt%65r2beta", "xhunter2betax", "hunter2betaer2beta"])
def test_nothing_of_secrets_that_overlap_is_left(written: str) -> None:
    for left in (
        referenced(f"{SHOP}/a?p={written}", *OVERLAPPING),
        as_glob(written, find(written, OVERLAPPING)),
    ):
        assert "hunt" not in left
        assert "beta" not in left


@pytest.mark.parametrize(
    ("address", "together"),
    [
        (f"{SHOP}/a?p=hunter2beta", ["hunter2beta"]),
        (f"{SHOP}/a?p=hunt%65r2beta&q=hunter2", ["hunter2beta"]),
        (f"{SHOP}/a?p=hunter2betamax", ["hunter2beta", "hunter2betamax"]),
        (f"{SHOP}/a?p=hunter2&t=er2beta", []),
    ],
)
def test_secrets_that_overlap_are_one_together(address: str, together: list[str]) -> None:
    secrets = [*OVERLAPPING, Typed(name="other", value="betamax", kind="password")]
    assert [value for _, value in joined(address, secrets)] == together
    known = [*secrets, *(Typed(name=f"n{at}", value=value, kind="password") for at, value in enumerate(together))]
    values = {one.name: one.value for one in known}
    if together:
        saved = referenced(address, *known)
        opened = substitute(saved, values)
        assert parse_qsl(urlsplit(opened).query) == parse_qsl(urlsplit(address).query)


def test_a_user_name_is_no_part_of_a_longer_word() -> None:
    typed = secret("user", "username")
    assert referenced(f"{SHOP}/username?login=user", typed) == f"{SHOP}/username?login={{{{username|url}}}}"


def test_a_search_term_is_replaced_where_it_is_the_whole_of_a_part() -> None:
    tea = Typed(name="query", value="green tea")
    assert (
        referenced(f"{SHOP}/find?q=green+tea&x=green+teapot", tea) == f"{SHOP}/find?q={{{{query|url}}}}&x=green+teapot"
    )
    assert referenced(f"{SHOP}/find/green%20tea/1", tea) == f"{SHOP}/find/{{{{query|url}}}}/1"
    short = Typed(name="query", value="1", field="q")
    assert referenced(f"{SHOP}/1?q=1&page=1", short) == f"{SHOP}/1?q={{{{query|url}}}}&page=1"


@pytest.mark.parametrize(
    ("address", "found"),
    [
        (f"{SHOP}/a?user=ada&password=p%40ss+word", [("password", "p@ss word")]),
        (f"{SHOP}/a#access_token=abc&state=1", [("token", "abc")]),
        (f"{SHOP}/a?apiKey=abc&pageToken=7&key=8", [("token", "abc")]),
        (f"{SHOP}/login?next=%2Fs%3Fa%3D1%26pwd%3Dx%2540y", [("password", "x@y")]),
        ("https://ada:hun%40ter@shop.example/", [("password", "hun@ter")]),
        (f"{SHOP}/a?passengers=2&q=password", []),
        (f"{SHOP}/a?password=", []),
    ],
)
def test_an_address_says_what_in_it_is_a_secret(address: str, found: list[tuple[str, str]]) -> None:
    assert list(secrets_of(address)) == found


# Addresses of a recording are saved with references in place of what was typed into them.


def sent_by_get() -> Recording:
    """A sign-in and a search that GET forms send, and the browser's Back to what they have led to."""
    one = recording()
    one.take(act("1", "fill", "Password", secret="password"))
    one.take(CapturedAction(id="1", secretValue="p@ss word"))
    one.take(act("2", "press", "Password", arguments={"key": "Enter"}))
    one.take(Navigation(url="https://shop.example/in?pw=p%40ss+word", cause="page"))
    one.take(act("3", "fill", "Search", element={"role": "searchbox", "name": "Search", "attributes": {"name": "q"}}))
    one.take(CapturedAction(id="3", value="tea & milk"))
    one.take(act("4", "press", "Search", arguments={"key": "Enter"}))
    one.take(Navigation(url="https://shop.example/find/tea%20%26%20milk", cause="page"))
    one.take(act("5", "click", "Logo"))
    one.take(Navigation(url="https://shop.example/find?q=tea+%26+milk&pw=p%40ss%20word", cause="address"))
    return one


def test_an_address_that_was_typed_into_is_saved_with_references() -> None:
    scenario, values = saved(sent_by_get())
    steps = [step for step in scenario.chain if step.command in ("navigate", "wait_for")]
    assert [step.arguments["url"] for step in steps] == [
        URL,
        "*/in*",
        "*/find/**",
        "https://shop.example/find?q={{query|url}}&pw={{password|url}}",
    ]
    assert [step.secret for step in steps] == [False, False, False, True]
    assert steps[-1].title == "navigate https://shop.example/find?q={{query|url}}&pw={{password|url}}"
    assert values == {"password": StoredSecret("p@ss word", ("https://shop.example",))}
    written = encode(scenario).decode()
    assert not re.search("p(@|%40)ss", written)
    assert written.count("milk") == 1  # the parameter's default


def test_a_secret_stands_in_no_address_after_the_step_that_typed_it_was_deleted() -> None:
    one = sent_by_get()
    one.edit(StepEdit(step="1", delete=True))
    scenario, values = saved(one)
    assert scenario.chain[-1].arguments["url"].endswith("pw={{password|url}}")
    assert scenario.secrets == list(values) == ["password"]
    assert b"%40" not in encode(scenario)


def test_an_address_that_names_its_secret_is_saved_without_it() -> None:
    one = Recording("https://shop.example/account?token=abc%2Bdef", "2026-01-01T00:00:00Z")
    one.take(act("1", "click", "Go"))
    scenario, values = saved(one)
    address = "https://shop.example/account?token={{token|url}}"
    assert (scenario.chain[0].arguments, scenario.metadata.url) == ({"url": address}, address)
    assert values == {"token": StoredSecret("abc+def", ("https://shop.example",))}


def test_secrets_that_overlap_in_an_address_are_saved_as_one() -> None:
    one = recording()
    for number, value in (("1", "hunter2"), ("2", "er2beta")):
        one.take(act(number, "fill", f"Password {number}", secret="password"))
        one.take(CapturedAction(id=number, secretValue=value))
    one.take(act("3", "click", "Logo"))
    one.take(Navigation(url="https://shop.example/in?key=hunter2beta", cause="address"))
    scenario, values = saved(one)
    assert scenario.chain[-1].arguments["url"] == "https://shop.example/in?key={{password_3|url}}"
    assert values["password_3"].value == "hunter2beta"
    assert not re.search("hunt|beta", encode(scenario).decode())


# Calls of a page's tools in a recording: repeated with what they were given, but for secrets.


def recorded(*steps: CapturedStep) -> Scenario:
    wish = SaveWish(name="shop")
    made, _ = scenario_of(steps, wish, url="https://shop.example/", recorded_at="2026-01-01T00:00:00Z")
    return made


def calling(**arguments: Any) -> CapturedStep:
    return CapturedStep(command="call_page_tool", arguments={"name": "add", "arguments": arguments})


def test_a_call_keeps_its_arguments_and_says_which_tool() -> None:
    step = recorded(calling(items=[{"id": 7, "note": "{{x}}"}], gift=True, none=None)).chain[-1]
    assert step.title == "call page tool add"
    assert step.arguments == {
        "name": "add",
        "arguments": {"items": [{"id": 7, "note": "{{{{x}}"}], "gift": True, "none": None},
    }


def test_an_argument_that_is_a_secret_becomes_a_parameter_that_must_be_given() -> None:
    made = recorded(calling(user={"accessToken": "hunter2", "pin": 4711}, cvc=123), calling(password="hunter2"))
    first, second = (step.arguments["arguments"] for step in made.chain[1:])
    assert first == {"user": {"accessToken": "{{token}}", "pin": 4711}, "cvc": "{{card_code}}"}
    assert second == {"password": "{{password}}"}
    assert all(made.parameters[name].must_be_given for name in ("token", "card_code", "password"))
    assert made.parameters["card_code"].type == "number"
    assert "hunter2" not in repr(made)


def test_all_that_an_argument_with_the_name_of_a_secret_holds_is_secret() -> None:
    made = recorded(calling(password={"value": "hunter2", "again": ["hunter2"]}))
    assert made.chain[-1].arguments["arguments"] == {"password": {"value": "{{password}}", "again": ["{{password}}"]}}


def test_typed_secret_is_in_no_call() -> None:
    typed = CapturedStep(
        command="fill", targets=[StepTarget(css="#p")], secret="password", secret_value="hunter2", origin="https://a.de"
    )
    made = recorded(typed, calling(note="hunter2", more="it is hunter2, {{hunter2}}", other="hunter"))
    assert made.chain[-1].arguments["arguments"] == {
        "note": "{{password_2}}",
        "more": "it is {{password_2}}, {{{{{{password_2}}}}",
        "other": "hunter",
    }
    assert (made.secrets, list(made.parameters)) == (["password"], ["password_2"])
