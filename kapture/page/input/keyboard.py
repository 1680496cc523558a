"""Trusted keyboard input: single keys, chords, held keys, and text.

Text is inserted at once (`insert`), as an input method does, or typed key by key (`type`), for pages that listen to
keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kapture.errors import ErrorCode, KaptureError
from kapture.page.input.keys import MODIFIERS, Key, key_of, parse_chord, pastes, with_shift
from kapture.page.input.mouse import InputEvent, SendInput, modifier_bits

# On macOS Chromium leaves these to the system's editing commands, which synthetic keys do not trigger.
_MAC_COMMANDS = {"a": "selectAll", "c": "copy", "x": "cut", "v": "paste", "z": "undo"}

_MOST_CHARACTERS = 200
"""In one piece longer text takes a page a hundredth of the time."""


class Keyboard:
    """The tab's keyboard. `is_mac` is set when the tab's browser runs on macOS."""

    def __init__(self, send: SendInput) -> None:
        self._send = send
        self.is_mac = False
        self._held: dict[str, Key] = {}

    @property
    def held(self) -> list[str]:
        """The modifiers that are held down."""
        return [key.key for key in self._held.values() if key.key in MODIFIERS]

    async def press(self, chord: str, *, count: int = 1) -> None:
        """Press and release a key, with modifiers held around it: `Enter`, `Control+Shift+P`."""
        await self._send(self.press_events(chord, count=count))

    def press_events(self, chord: str, *, count: int = 1) -> list[InputEvent]:
        """The events of `press`, for a program."""
        names, key = parse_chord(chord)
        if not pastes(key, names):  # policy has judged the chord as it was written
            self._refuse_pasting(key, [*self.held, *names])
        modifiers = [key_of(self._modifier(name)) for name in names]
        events = [self._down(modifier) for modifier in modifiers]
        for _ in range(count):
            events += [self._down(key), self._up(key)]
        events += [self._up(modifier) for modifier in reversed(modifiers)]
        return events

    async def down(self, name: str) -> None:
        """Press a key and hold it. If it is held already, the key repeats. One that is refused is not held."""
        key = key_of(self._modifier(name))
        self._refuse_pasting(key, self.held)
        before = dict(self._held)
        try:
            await self._send([self._down(key)])
        except KaptureError:
            self._held = before
            raise

    async def up(self, name: str) -> None:
        """Release a key."""
        await self._send([self._up(key_of(self._modifier(name)))])

    async def insert(self, text: str) -> None:
        """Insert text at the caret at once: one `beforeinput` and `input`, no key events."""
        await self._send([insert_event(text)])

    async def type(self, text: str) -> None:
        """Press a key for each character; characters without a key come without one."""
        await self._send(self.type_events(text))

    def type_events(self, text: str) -> list[InputEvent]:
        """The events of `type`, for a program."""
        events = []
        for character in text.replace("\r\n", "\n"):
            key = key_of(character)
            if not key.code:
                events.append(_character_event(character))
                continue
            self._refuse_pasting(key, self.held)
            events += [self._down(key), self._up(key)]
        return events

    def _refuse_pasting(self, key: Key, modifiers: Sequence[str]) -> None:
        """Raise `INVALID_PARAMS` if the key, with what is held, would paste the person's clipboard unjudged."""
        if pastes(key, modifiers):
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                f"{'+'.join([*modifiers, key.key])} would paste the person's clipboard.",
                hint="Release the held keys. paste inserts a text; to paste the clipboard, press the whole chord in one"
                " call, which needs the level full.",
            )

    def _modifier(self, name: str) -> str:
        if name != "ControlOrMeta":
            return name
        return "Meta" if self.is_mac else "Control"

    def _down(self, key: Key) -> InputEvent:
        repeats = key.code in self._held
        if "Shift" in self.held:
            key = with_shift(key)
        self._held[key.code] = key
        modifiers = self.held
        # With Control, Alt or Meta a key is a command and types nothing.
        types = key.text and not {"Control", "Alt", "Meta"} & set(modifiers)
        more: dict[str, Any] = {"text": key.text, "unmodifiedText": key.text} if types else {}
        if self.is_mac and "Meta" in modifiers and (command := _MAC_COMMANDS.get(key.key.lower())):
            more["commands"] = ["redo" if command == "undo" and "Shift" in modifiers else command]
        return self._event("keyDown" if types else "rawKeyDown", key, autoRepeat=repeats, **more)

    def _up(self, key: Key) -> InputEvent:
        pressed = self._held.pop(key.code, key)
        return self._event("keyUp", pressed)

    def _event(self, kind: str, key: Key, **more: Any) -> InputEvent:
        shift = ["Shift"] if key.shifted else []
        return InputEvent(
            "Input.dispatchKeyEvent",
            {
                "type": kind,
                "key": key.key,
                "code": key.code,
                "windowsVirtualKeyCode": key.key_code,
                "location": key.location if key.location in (1, 2) else 0,
                "isKeypad": key.location == 3,
                "modifiers": modifier_bits({*self.held, *shift}),
                **more,
            },
        )


def insert_event(text: str) -> InputEvent:
    """The event that inserts text at the caret at once."""
    return InputEvent("Input.insertText", {"text": text})


def refusable(events: Sequence[InputEvent]) -> list[InputEvent]:
    """The same input, but short text that would be inserted at once comes character by character. Each can be refused,
    where what is inserted cannot: an EditContext (https://w3c.github.io/edit-context/) has it before any event."""
    found: list[InputEvent] = []
    for event in events:
        text = event.params["text"] if event.method == "Input.insertText" else None
        if text is None or len(text) > _MOST_CHARACTERS or {"\n", "\r"} & set(text):
            found.append(event)
        else:
            found += [_character_event(character) for character in text]
    return found


def _character_event(character: str) -> InputEvent:
    """A character that no key is pressed for. A line break is inserted: as a key, it would submit a form."""
    if character < " ":
        return insert_event(character)
    of_it = {"key": character, "text": character, "unmodifiedText": character}
    return InputEvent("Input.dispatchKeyEvent", {"type": "char", **of_it})
