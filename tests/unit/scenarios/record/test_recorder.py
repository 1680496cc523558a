"""Captured actions become a recording, and a recording a scenario without secrets."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, cast

import attrs
import pytest

from kapture.commands.core.recorder import SaveWish
from kapture.errors import ErrorCode, KaptureError
from kapture.page import Page
from kapture.page.dialogs import Dialog
from kapture.page.recording.recording import AnsweredDialog, CapturedAction, Navigation, RanCommand
from kapture.scenarios.files.decode import encode
from kapture.scenarios.files.storage import ScenarioFolder
from kapture.scenarios.model import Appearance, Scenario
from kapture.scenarios.record.recorded_scenario import scenario_of
from kapture.scenarios.record.recorder import Recorder
from kapture.scenarios.record.recording import MOST_CAPTURED, Recording
from kapture.scenarios.secrets.secret_key import FileKeys
from kapture.scenarios.secrets.secret_store import SecretStore, StoredSecret

URL = "https://shop.example/login"


def recording() -> Recording:
    return Recording(URL, "2026-01-01T00:00:00Z")


def act(id: str, command: str, name: str = "", **more: Any) -> CapturedAction:
    targets: list[dict[str, Any]] = [{"role": "textbox", "name": name, "exact": True}, {"css": f"#{name or id}"}]
    given = {"element": {"role": "textbox", "name": name}, "origin": "https://shop.example", **more}
    return CapturedAction(id=id, command=command, targets=targets, **given)


def saved(one: Recording, **wish: Any) -> tuple[Scenario, dict[str, StoredSecret]]:
    wished = SaveWish(**{"name": "flow", **wish})
    return scenario_of(one.captured, wished, url=one.url, recorded_at=one.recorded_at, forgotten=one.forgotten)


def test_typing_ends_as_the_value_that_the_field_held_last() -> None:
    one = recording()
    one.take(act("1", "fill", "City"))
    for value in ("R", "Ro", "Rome"):
        one.take(CapturedAction(id="1", value=value))
    scenario, _ = saved(one)
    assert [(step.command, step.arguments) for step in scenario.chain] == [
        ("navigate", {"url": URL}),
        ("fill", {"value": "Rome"}),
    ]


def test_a_chosen_text_becomes_the_default_of_a_parameter() -> None:
    one = recording()
    one.take(act("1", "fill", "City"))
    one.take(CapturedAction(id="1", value="Rome"))
    scenario, _ = saved(one, parameters={"1": "city"})
    assert scenario.chain[-1].arguments == {"value": "{{city}}"}
    assert (scenario.parameters["city"].default, scenario.parameters["city"].must_be_given) == ("Rome", False)


@pytest.mark.parametrize("parameters", [{"9": "city"}, {"1": "no name"}, {"2": "word"}, {"1": "same", "3": "same"}])
def test_step_that_cannot_be_a_parameter_is_refused(parameters: dict[str, str]) -> None:
    one = recording()
    one.take(act("1", "fill", "City"))
    one.take(CapturedAction(id="1", value="Rome"))
    one.take(act("2", "fill", "Password", secret="password"))
    one.take(CapturedAction(id="2", secretValue="hunter2"))
    one.take(act("3", "fill", "Street"))
    one.take(CapturedAction(id="3", value="Main"))
    with pytest.raises(KaptureError) as refused:
        saved(one, parameters=parameters)
    assert refused.value.code is ErrorCode.INVALID_PARAMS


def test_without_optimizing_no_step_is_left_out() -> None:
    one = recording()
    for number, value in enumerate(("Rome", "Paris")):
        one.take(act(str(number), "fill", "City"))
        one.take(CapturedAction(id=str(number), value=value))
    typed = [[step.arguments.get("value") for step in saved(one, optimize=it)[0].chain[1:]] for it in (False, True)]
    assert typed == [["Rome", "Paris"], ["Paris"]]


def test_the_value_of_a_secret_is_nowhere_in_the_scenario() -> None:
    one = recording()
    one.take(act("1", "fill", "Password", secret="password"))
    one.take(CapturedAction(id="1", secretValue="hunter2"))
    scenario, values = saved(one)
    step = scenario.chain[-1]
    assert (step.arguments, step.secret, scenario.secrets) == ({"value": "{{password}}"}, True, ["password"])
    assert values == {"password": StoredSecret("hunter2", ("https://shop.example",))}
    assert "hunter2" not in repr(values)
    assert b"hunter2" not in encode(scenario)
    assert "hunter2" not in repr(one)


def test_a_password_that_is_repeated_is_one_secret_and_another_one_is_another() -> None:
    one = recording()
    for number, (name, value) in enumerate((("New", "a"), ("Repeat", "a"), ("Old", "b"))):
        one.take(act(str(number), "fill", name, secret="password"))
        one.take(CapturedAction(id=str(number), secretValue=value))
    scenario, values = saved(one)
    used = [step.arguments["value"] for step in scenario.chain[1:]]
    assert used == ["{{password}}", "{{password}}", "{{password_2}}"]
    assert {name: secret.value for name, secret in values.items()} == {"password": "a", "password_2": "b"}


@pytest.mark.parametrize(
    ("second", "names"),
    [
        ({"name": "Confirm"}, ["{{password}}", "{{password}}"]),
        ({"name": "PUK"}, ["{{password}}", "{{password_2}}"]),
        ({"name": "Confirm", "origin": "https://other.example"}, ["{{password}}", "{{password_2}}"]),
    ],
)
def test_equal_secrets_are_one_only_where_a_page_asks_twice(second: dict[str, str], names: list[str]) -> None:
    one = recording()
    for number, field in enumerate(({"name": "PIN"}, second)):
        one.take(act(str(number), "fill", secret="password", **field))
        one.take(CapturedAction(id=str(number), secretValue="0000"))
    scenario, values = saved(one)
    assert [step.arguments["value"] for step in scenario.chain[1:]] == names
    assert all(len(secret.origins) == 1 for secret in values.values())


def test_a_user_name_that_the_page_shows_is_in_no_name_and_no_way_to_find_an_element() -> None:
    one = recording()
    one.take(act("1", "fill", "User", secret="username"))
    one.take(CapturedAction(id="1", secretValue="ada"))
    shown: dict[str, Any] = {
        "targets": [
            {"role": "button", "name": "Signed in as ada", "exact": True},
            {"text": "ada"},
            {"css": "[title='ada']"},
            {"xpath": "//button[2]"},
        ],
        "element": {
            "role": "button",
            "name": "Signed in as ada",
            "attributes": {"title": "ada", "id": "user"},
            "neighbours": ["ada", "Adam's cart"],
            "within": ["form ada"],
        },
    }
    one.take(CapturedAction(id="2", command="click", **shown))
    one.take(Navigation(url="https://shop.example/users/ada/orders", cause="page"))
    scenario, _ = saved(one)
    step = scenario.chain[2]
    assert [target.as_argument() for target in step.targets] == [
        {"role": "button", "name": "Signed in as"},
        {"xpath": "//button[2]"},
    ]
    assert step.title == 'click button "Signed in as"'
    assert step.element is not None
    assert (step.element.neighbours, step.element.attributes) == (["Adam's cart"], {"id": "user"})
    assert scenario.chain[3].arguments == {"url": "*/users/*/orders*"}
    assert "ada" not in re.findall(r"\w+", encode(scenario).decode())


def test_text_of_a_search_field_is_a_parameter_with_the_recorded_default() -> None:
    one = recording()
    element = {"role": "searchbox", "name": "Suche"}
    one.take(act("1", "fill", "Suche", arguments={"value": "green {{tea}}"}, element=element))
    scenario, _ = saved(one)
    assert scenario.chain[-1].arguments == {"value": "{{query}}"}
    assert scenario.parameters["query"].default == "green {{tea}}"


def test_files_are_a_parameter_that_must_be_given() -> None:
    one = recording()
    one.take(act("1", "upload", "CV", arguments={"paths": ["cv.pdf"]}))
    scenario, _ = saved(one)
    assert scenario.chain[-1].arguments == {"paths": "{{files}}"}
    assert scenario.parameters["files"].must_be_given


def test_braces_that_were_typed_are_no_placeholder() -> None:
    one = recording()
    one.take(act("1", "fill", "Text", arguments={"value": "{{name}}"}))
    scenario, _ = saved(one)
    assert scenario.chain[-1].arguments == {"value": "{{{{name}}"}


def test_commands_dialogs_and_navigations_stand_in_their_order() -> None:
    one = recording()
    dialog = Dialog(type="confirm", message="Sure?", default_prompt="", url=URL, session=None)  # type: ignore[arg-type]
    one.take(RanCommand(command="click", arguments={}, targets=[{"css": "#a"}]))
    one.take(AnsweredDialog(dialog=dialog, accepted=True))
    one.take(Navigation(url="https://shop.example/cart", cause="page"))
    one.take(Navigation(url="https://shop.example/help", cause="address"))
    one.take(Navigation(url="https://shop.example/help", cause="reload"))
    scenario, _ = saved(one)
    assert [step.command for step in scenario.chain] == [
        "navigate",
        "click",
        "handle_dialog",
        "wait_for",
        "navigate",
        "reload",
    ]
    assert scenario.chain[2].element == Appearance(text="Sure?")


def test_a_recording_of_nothing_is_refused() -> None:
    with pytest.raises(KaptureError) as refused:
        saved(recording())
    assert refused.value.code is ErrorCode.SCENARIO_INVALID


def test_a_recording_is_bounded_and_says_what_is_missing() -> None:
    one = recording()
    for number in range(MOST_CAPTURED + 5):
        one.take(act(str(number), "click", str(number)))
    assert (len(one.captured), one.left_out) == (MOST_CAPTURED, 5)


@attrs.define
class RecordedPage:
    """A page whose recording is given the events of a test."""

    url: str = "https://other.example/"
    tab_id: str = "tab22222"
    active: bool = False
    take: Any = None

    @property
    def recording(self) -> RecordedPage:
        return self

    async def start(self, on_event: Any, *, just_opened: bool = False) -> None:
        self.active, self.take = True, on_event

    async def stop(self) -> None:
        self.active = False

    def end(self) -> None:
        self.active = False


@pytest.mark.parametrize("store", [True, False])
async def test_a_recording_that_replaces_a_scenario_does_not_get_its_secrets(tmp_path: Path, store: bool) -> None:
    home = tmp_path / "home"
    folder, secrets = ScenarioFolder(home), SecretStore(home, FileKeys(home))
    questions: list[str] = []

    async def agrees(tab_id: str, title: str, detail: str) -> bool:
        questions.append(detail)
        return True

    recorder = Recorder(folder, secrets, agrees)
    first = recording()
    first.take(act("1", "fill", "Password", secret="password"))
    folder.save(saved(first)[0])
    secrets.put("flow", {"password": StoredSecret("hunter2", ("https://shop.example",))})

    page = RecordedPage()
    await recorder.start(cast("Page", page))
    page.take(act("1", "fill", "Password", secret="password", origin="https://other.example"))
    page.take(CapturedAction(id="1", secretValue="decoy"))
    await recorder.save(cast("Page", page), SaveWish(name="flow", replace=True, store_secrets=store))
    decoy = {"password": StoredSecret("decoy", ("https://other.example",))}
    assert secrets.of("flow") == (decoy if store else {})
    assert all("https://other.example only" in detail and "decoy" not in detail for detail in questions)
    assert len(questions) == store


async def test_secret_that_no_run_can_type_is_not_offered_for_storing(tmp_path: Path) -> None:
    folder, secrets = ScenarioFolder(tmp_path), SecretStore(tmp_path, FileKeys(tmp_path))

    async def unasked(tab_id: str, title: str, detail: str) -> bool:
        raise AssertionError(detail)

    recorder, page = Recorder(folder, secrets, unasked), RecordedPage()
    await recorder.start(cast("Page", page))
    page.take(act("1", "fill", "Password", secret="password", origin=""))
    page.take(CapturedAction(id="1", secretValue="hunter2"))
    kept = await recorder.save(cast("Page", page), SaveWish(name="flow", store_secrets=True))
    assert (kept.secrets, kept.stored_secrets) == (["password"], False)
    assert secrets.of("flow") == {}


async def test_a_recording_that_is_ended_is_kept_and_ends_in_all_its_tabs(tmp_path: Path) -> None:
    async def unasked(tab_id: str, title: str, detail: str) -> bool:
        raise AssertionError(detail)

    recorder = Recorder(ScenarioFolder(tmp_path), SecretStore(tmp_path, FileKeys(tmp_path)), unasked)
    page = RecordedPage()
    await recorder.start(cast("Page", page))
    page.take(act("1", "click", "Pay"))
    recorder.end(page.tab_id)
    assert not page.active
    state = recorder.state(page.tab_id)
    assert state is not None
    assert (state.recording, len(state.steps)) == (False, 1)
