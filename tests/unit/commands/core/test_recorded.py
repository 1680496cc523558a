"""Commands on a recorded page are kept as steps, and what a run of a scenario types as a secret stays one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import attrs
import pytest

from kapture.commands.core.params import decode_arguments
from kapture.commands.core.recorded import recorded
from kapture.commands.core.registry import get_command
from kapture.errors import ElementNotFound, ErrorCode
from kapture.page import Page
from kapture.page.recording.recording import RanCommand

FIELD = {"targets": [{"label": "Account"}], "element": {"role": "textbox"}}


@attrs.define
class Tab:
    """A recorded page with one element, which its document describes so; it is its own recording, keyboard, element,
    frame and frames."""

    described: dict[str, Any] | None
    ran: list[RanCommand] = attrs.field(factory=list)
    active: bool = True
    number: int = 1
    parent: None = None
    document_origin: str = "https://shop.example"
    loader_id: str = "L1"
    held: tuple[str, ...] = ()

    @property
    def keyboard(self) -> Tab:
        return self

    @property
    def recording(self) -> Tab:
        return self

    @property
    def frames(self) -> Tab:
        return self

    @property
    def frame(self) -> Tab:
        return self

    @contextmanager
    def command(self) -> Iterator[Callable[[RanCommand], None]]:
        yield self.ran.append

    async def locate(self, target: object) -> Tab:
        if self.described is None:
            raise ElementNotFound(ErrorCode.ELEMENT_NOT_FOUND, "It is not there.")
        return self

    @property
    def main(self) -> Tab:
        return self

    async def call(self, name: str, arguments: object = None) -> Any:
        if name == "focusedFrame":
            return None
        if name == "focused":
            return None if self.described is None else {"element": {"ref": 1}}
        return [self.described]

    async def run(self, name: str, *, secret: bool, **given: Any) -> list[RanCommand]:
        command = get_command(name)
        params = decode_arguments(command, {"tabId": "tab22222", **given}).params
        async with recorded(cast("Page", self), command, params, secret=secret):
            pass
        return self.ran


async def test_typed_text_is_kept_except_in_secret_field() -> None:
    [plain] = await Tab(FIELD).run("fill", secret=False, target="#a", value="hunter2")
    assert (plain.arguments, plain.secret) == ({"value": "hunter2"}, None)
    [hidden] = await Tab(FIELD | {"secret": "password"}).run("fill", secret=False, target="#a", value="hunter2")
    assert (hidden.arguments, hidden.secret, hidden.secret_value) == ({}, "password", "hunter2")


@pytest.mark.parametrize("described", [FIELD, None], ids=["there", "not there yet"])
async def test_a_secret_of_a_run_stays_one_in_a_field_of_any_kind(described: dict[str, Any] | None) -> None:
    [step] = await Tab(described).run("fill", secret=True, target="#a", value="hunter2")
    assert (step.arguments, step.secret, step.secret_value) == ({}, "secret", "hunter2")
    assert "hunter2" not in repr(step)
    [typed] = await Tab(described).run("type", secret=True, text="hunter2")
    assert (typed.arguments, typed.secret) == ({}, "secret")


async def test_text_typed_into_focused_secret_field_is_secret() -> None:
    for name in ("type", "paste"):
        [hidden] = await Tab(FIELD | {"secret": "password"}).run(name, secret=False, text="hunter2")
        assert (hidden.arguments, hidden.secret, hidden.secret_value) == ({}, "password", "hunter2")
        assert (hidden.origin, hidden.document) == ("https://shop.example", "L1")
        [plain] = await Tab(FIELD).run(name, secret=False, text="hunter2")
        assert (plain.arguments, plain.secret, plain.targets) == ({"text": "hunter2"}, None, [])


async def test_a_click_at_a_place_is_one_on_the_element_there_unless_that_is_the_whole_page() -> None:
    button = {"targets": [{"role": "button", "name": "Go"}], "element": {"role": "button", "tag": "button"}}
    given = {"action": "click", "x": 5, "y": 6, "modifiers": ["Shift"]}
    [click] = await Tab(button).run("mouse", secret=False, **given)
    assert (click.command, click.arguments, click.targets) == ("click", {"modifiers": ["Shift"]}, button["targets"])
    for described in (None, {"targets": [], "element": {"role": "document", "tag": "html"}}):
        [at_place] = await Tab(described).run("mouse", secret=False, **given)
        assert (at_place.command, at_place.arguments["x"], at_place.arguments["y"]) == ("mouse", 5, 6)
    [up] = await Tab(button).run("mouse", secret=False, action="up", x=5, y=6)
    assert (up.command, up.click) == ("mouse", None)


@pytest.mark.parametrize(
    ("given", "held", "text"),
    [
        ({"key": "h"}, (), "h"),
        ({"key": "h", "count": 3, "target": "#a"}, (), "hhh"),
        ({"key": "Shift+h"}, (), "H"),
        ({"key": "1", "modifiers": ["Shift"]}, (), "!"),
        ({"key": "h", "action": "down"}, ("Shift",), "H"),
        ({"key": "Space"}, (), " "),
    ],
)
async def test_a_key_pressed_in_a_field_that_holds_a_secret_is_a_part_of_it(
    given: dict[str, Any], held: tuple[str, ...], text: str
) -> None:
    [typed] = await Tab(FIELD | {"secret": "password"}, held=held).run("press", secret=False, **given)
    assert (typed.command, typed.arguments, typed.secret, typed.secret_value) == ("type", {}, "password", text)
    assert typed.targets == FIELD["targets"]
    [plain] = await Tab(FIELD, held=held).run("press", secret=False, **given)
    assert (plain.command, plain.arguments["key"], plain.secret) == ("press", given["key"], None)


async def test_a_key_that_types_nothing_is_kept_in_a_field_that_holds_a_secret_and_a_released_one_is_not() -> None:
    for key in ("Enter", "Backspace", "Control+a", "ArrowLeft"):
        [press] = await Tab(FIELD | {"secret": "password"}).run("press", secret=False, key=key)
        assert (press.command, press.arguments["key"], press.secret) == ("press", key, None)
    [chord] = await Tab(FIELD | {"secret": "password"}, held=("Control",)).run("press", secret=False, key="a")
    assert chord.command == "press"
    assert await Tab(FIELD | {"secret": "password"}).run("press", secret=False, key="h", action="up") == []
