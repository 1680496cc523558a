"""Keys of a US keyboard, and chords of them."""

from __future__ import annotations

import string
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapture.errors import ErrorCode, KaptureError
from kapture.page.input.keyboard import (
    MODIFIERS,
    Keyboard,
    insert_event,
    key_of,
    parse_chord,
    pastes,
    refusable,
    with_shift,
)
from kapture.page.input.mouse import InputEvent

TYPED = string.ascii_letters + string.digits + string.punctuation + " "


@given(st.sampled_from(string.ascii_lowercase + string.digits + "`-=[]\\;',./"))
def test_shift_gives_the_other_character_of_the_same_key(character: str) -> None:
    plain, shifted = key_of(character), with_shift(key_of(character))
    assert shifted.code == plain.code
    assert shifted.shifted
    assert shifted.text != plain.text
    assert key_of(shifted.text) == shifted


@given(
    st.permutations(MODIFIERS), st.integers(0, 4), st.sampled_from([*TYPED.replace(" ", ""), "Enter", "F12", "ArrowUp"])
)
def test_a_chord_is_read_back_as_it_was_written(modifiers: list[str], count: int, key: str) -> None:
    held = modifiers[:count]
    assert parse_chord("+".join([*held, key])) == (held, key_of(key))


@given(st.text(max_size=20))
def test_any_text_is_a_chord_or_an_error_that_a_client_understands(text: str) -> None:
    try:
        modifiers, key = parse_chord(text)
    except KaptureError as refused:
        error = refused
    else:
        assert key.key
        assert set(modifiers) <= {*MODIFIERS, "ControlOrMeta"}
        return
    assert error.code is ErrorCode.INVALID_PARAMS


@pytest.mark.parametrize(
    ("written", "key", "code"),
    [
        ("esc", "Escape", "Escape"),
        ("RETURN", "Enter", "Enter"),
        ("arrowdown", "ArrowDown", "ArrowDown"),
        ("KeyQ", "q", "KeyQ"),
        ("Space", " ", "Space"),
        ("NumpadEnter", "Enter", "NumpadEnter"),
        ("Numpad7", "7", "Numpad7"),
        ("ShiftRight", "Shift", "ShiftRight"),
        ("F24", "F24", "F24"),
        ("ü", "ü", ""),
    ],
)
def test_keys_go_by_several_names(written: str, key: str, code: str) -> None:
    assert (key_of(written).key, key_of(written).code) == (key, code)


@pytest.mark.parametrize(
    ("chord", "pasted"),
    [
        ("Control+v", True),
        ("ctrl+V", True),
        ("Meta+KeyV", True),
        ("ControlOrMeta+v", True),
        ("Control+Shift+v", True),
        ("Shift+Insert", True),
        ("Shift+ins", True),
        ("v", False),
        ("Shift+v", False),
        ("Control+c", False),
        ("Control+Insert", False),
    ],
)
def test_the_chords_that_paste_the_clipboard_are_known(chord: str, pasted: bool) -> None:
    modifiers, key = parse_chord(chord)
    assert pastes(key, modifiers) is pasted


async def test_held_keys_and_a_later_one_do_not_paste_the_clipboard_unjudged() -> None:
    sent: list[InputEvent] = []

    async def send(events: Sequence[InputEvent]) -> None:
        sent.extend(events)

    keyboard = Keyboard(send)
    await keyboard.down("Control")
    for press in (keyboard.press("v"), keyboard.press("Shift+v"), keyboard.type("a v"), keyboard.down("v")):
        with pytest.raises(KaptureError, match="clipboard"):
            await press
    assert [event.params["key"] for event in sent] == ["Control"]
    await keyboard.up("Control")
    await keyboard.type("v")
    await keyboard.press("Control+v")  # which policy has judged
    assert keyboard.held == []


async def test_a_key_that_is_refused_when_it_goes_down_is_not_held() -> None:
    sent: list[InputEvent] = []

    async def send(events: Sequence[InputEvent]) -> None:
        if events[0].params["key"] == "Shift":
            raise KaptureError(ErrorCode.DIALOG_OPEN, "A dialog is open.")
        sent.extend(events)

    keyboard = Keyboard(send)
    with pytest.raises(KaptureError, match="dialog"):
        await keyboard.down("Shift")
    await keyboard.type("a")
    assert sent[0].params["text"] == "a"


def test_short_text_that_is_inserted_is_made_of_characters_that_can_be_refused() -> None:
    key = InputEvent("Input.dispatchKeyEvent", {"type": "keyUp", "key": "a"})
    first, *characters = refusable([key, insert_event("é1😀")])
    assert first == key
    assert [(one.params["type"], one.params["text"]) for one in characters] == [("char", text) for text in "é1😀"]
    for whole in ("a\nb", "x" * 201):
        assert refusable([insert_event(whole)]) == [insert_event(whole)]
