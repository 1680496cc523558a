"""What a person is shown of a step: everything that matters, as the browser would get it."""

from __future__ import annotations

from typing import Any

import pytest

import kapture.commands  # noqa: F401  declares every command
from kapture.commands.core.params import decode_arguments
from kapture.commands.core.registry import all_commands, get_command
from kapture.policy.policy import Request
from kapture.policy.question import Shown
from kapture.policy.shown import MAX_CHARACTERS, shown_of

PAGE = "https://shop.example/cart/"


def shown(name: str, **arguments: Any) -> list[Shown]:
    command = get_command(name)
    params = decode_arguments(command, {"tabId": "abcdefgh", **arguments}).params
    return list(shown_of(Request(command=command, params=params, url=PAGE)))


CASES = [
    ("evaluate", {"code": "fetch('/steal')"}, [Shown("Code", "fetch('/steal')")]),
    ("wait_for_function", {"code": "window.ready"}, [Shown("Code", "window.ready")]),
    ("navigate", {"url": "../pay?sum=1"}, [Shown("Address", "https://shop.example/pay?sum=1")]),
    ("tab_new", {"url": "https://bank.example/x?y=1#z"}, [Shown("Address", "https://bank.example/x?y=1#z")]),
    ("navigate", {"url": "https://\u0430pple.com/"}, [Shown("Address", "https://xn--pple-43d.com/")]),
    ("evaluate", {"code": "a() //\u202e)(b"}, [Shown("Code", "a() //‹U+202E›)(b")]),
    (
        "upload",
        {"target": {"ref": "e3"}, "paths": ["/home/a.pdf", "/home/b.pdf"]},
        [Shown("Files", "/home/a.pdf\n/home/b.pdf")],
    ),
    (
        "cdp",
        {"method": "Network.setCookie", "params": {"name": "a"}},
        [Shown("CDP method", "Network.setCookie"), Shown("Parameters", '{\n  "name": "a"\n}')],
    ),
]


@pytest.mark.parametrize(
    ("name", "arguments", "parts"), CASES, ids=[f"{number}-{case[0]}" for number, case in enumerate(CASES)]
)
def test_the_person_is_shown_what_would_be_done(name: str, arguments: dict[str, Any], parts: list[Shown]) -> None:
    assert shown(name, **arguments) == parts


def test_what_is_typed_and_into_what_is_shown() -> None:
    assert shown("fill", target={"ref": "e3"}, value="4111 1111") == [
        Shown("Target", "ref: e3"),
        Shown("Value", "4111 1111"),
    ]


def test_what_is_too_long_to_show_says_how_much_is_missing() -> None:
    (part,) = shown("evaluate", code="x" * (MAX_CHARACTERS + 7))
    assert part.text.endswith("\n… 7 more characters are not shown.")


def test_every_command_can_be_shown_without_arguments() -> None:
    for command in all_commands():
        assert list(shown_of(Request(command=command, url=PAGE))) == []
