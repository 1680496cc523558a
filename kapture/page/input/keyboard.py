"""Trusted keyboard input: single keys, chords, held keys, and text.

Text is inserted at once (`insert`), as an input method does, or typed key by key (`type`), for pages that listen to
keys.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import attrs

from kapture.errors import ErrorCode, KaptureError
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


@attrs.frozen
class Key:
    """`key` and `code` as in DOM events, the Windows virtual key code, the text that it types, and its location (1
    left, 2 right, 3 number pad)."""

    key: str
    code: str
    key_code: int
    text: str = ""
    location: int = 0
    shifted: bool = False


_NAMED: dict[str, Key] = {}
_SHIFTED: dict[str, Key] = {}


def _define(key: str, code: str, key_code: int, text: str = "", location: int = 0) -> None:
    _NAMED.setdefault(key, Key(key, code, key_code, text, location))
    _NAMED.setdefault(code, Key(key, code, key_code, text, location))


for _key, _key_code in {
    "Backspace": 8, "Tab": 9, "Pause": 19, "CapsLock": 20, "Escape": 27, "PageUp": 33, "PageDown": 34, "End": 35,
    "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "PrintScreen": 44, "Insert": 45,
    "Delete": 46, "ContextMenu": 93, "NumLock": 144, "ScrollLock": 145, "AudioVolumeMute": 173,
    "AudioVolumeDown": 174, "AudioVolumeUp": 175, "MediaTrackNext": 176, "MediaTrackPrevious": 177, "MediaStop": 178,
    "MediaPlayPause": 179,
    **{f"F{number}": 111 + number for number in range(1, 25)},
}.items():  # fmt: skip
    _define(_key, _key, _key_code)
_define("Enter", "Enter", 13, "\r")
_define(" ", "Space", 32, " ")
for _key, _key_code in {"Shift": 16, "Control": 17, "Alt": 18, "Meta": 91}.items():
    _NAMED[_key] = Key(_key, f"{_key}Left", _key_code, location=1)
    _NAMED[f"{_key}Left"] = _NAMED[_key]
    _NAMED[f"{_key}Right"] = Key(_key, f"{_key}Right", 92 if _key == "Meta" else _key_code, location=2)
for _digit in range(10):
    _NAMED[f"Numpad{_digit}"] = Key(str(_digit), f"Numpad{_digit}", 96 + _digit, str(_digit), 3)
for _code, _key, _key_code in [
    ("NumpadMultiply", "*", 106), ("NumpadAdd", "+", 107), ("NumpadSubtract", "-", 109), ("NumpadDecimal", ".", 110),
    ("NumpadDivide", "/", 111),
]:  # fmt: skip
    _NAMED[_code] = Key(_key, _code, _key_code, _key, 3)
_NAMED["NumpadEnter"] = Key("Enter", "NumpadEnter", 13, "\r", 3)

for _letter in "abcdefghijklmnopqrstuvwxyz":
    _code = f"Key{_letter.upper()}"
    _NAMED[_code] = _NAMED[_letter] = Key(_letter, _code, ord(_letter.upper()), _letter)
    _SHIFTED[_code] = Key(_letter.upper(), _code, ord(_letter.upper()), _letter.upper(), shifted=True)
    _NAMED[_letter.upper()] = _SHIFTED[_code]
for _code, _plain, _shifted, _key_code in [
    ("Digit1", "1", "!", 49), ("Digit2", "2", "@", 50), ("Digit3", "3", "#", 51), ("Digit4", "4", "$", 52),
    ("Digit5", "5", "%", 53), ("Digit6", "6", "^", 54), ("Digit7", "7", "&", 55), ("Digit8", "8", "*", 56),
    ("Digit9", "9", "(", 57), ("Digit0", "0", ")", 48), ("Semicolon", ";", ":", 186), ("Equal", "=", "+", 187),
    ("Comma", ",", "<", 188), ("Minus", "-", "_", 189), ("Period", ".", ">", 190), ("Slash", "/", "?", 191),
    ("Backquote", "`", "~", 192), ("BracketLeft", "[", "{", 219), ("Backslash", "\\", "|", 220),
    ("BracketRight", "]", "}", 221), ("Quote", "'", '"', 222),
]:  # fmt: skip
    _NAMED[_code] = _NAMED[_plain] = Key(_plain, _code, _key_code, _plain)
    _NAMED[_shifted] = _SHIFTED[_code] = Key(_shifted, _code, _key_code, _shifted, shifted=True)

_ALIASES = {
    "esc": "Escape", "return": "Enter", "del": "Delete", "ins": "Insert", "space": " ", "spacebar": " ",
    "left": "ArrowLeft", "right": "ArrowRight", "up": "ArrowUp", "down": "ArrowDown", "pgup": "PageUp",
    "pgdn": "PageDown", "pagedn": "PageDown", "ctrl": "Control", "cmd": "Meta", "command": "Meta", "win": "Meta",
    "windows": "Meta", "super": "Meta", "option": "Alt", "opt": "Alt", "plus": "+", "\n": "Enter", "\r": "Enter",
    "\t": "Tab",
}  # fmt: skip
_BY_LOWER = {name.lower(): name for name in _NAMED if len(name) > 1}

MODIFIERS = ("Control", "Shift", "Alt", "Meta")


def key_of(name: str) -> Key:
    """The key with this name: a character, or a value of `KeyboardEvent.key` or `.code`, in any case.

    `INVALID_PARAMS` if there is no such key. Characters that a US keyboard lacks are keys that only type text.
    """
    if name in _NAMED:
        return _NAMED[name]
    low = name.lower()
    found = _ALIASES.get(name) or _ALIASES.get(low) or _BY_LOWER.get(low)
    if found is not None:
        return _NAMED[found]
    if len(name) == 1:
        return Key(name, "", 0, name)
    raise KaptureError(
        ErrorCode.INVALID_PARAMS,
        f"There is no key {name!r}.",
        hint="Keys are named as in KeyboardEvent.key: Enter, Tab, Escape, ArrowDown, PageUp, F5, a, A, +.",
        data={"key": name},
    )


def with_shift(key: Key) -> Key:
    """The key while Shift is held: `a` → `A`, `1` → `!`."""
    return _SHIFTED.get(key.code, key)


def pastes(key: Key, modifiers: Collection[str]) -> bool:
    """Whether the browser inserts the contents of the person's clipboard on this key while these modifiers are held."""
    if key.code == "KeyV":
        return bool({"Control", "Meta", "ControlOrMeta"} & set(modifiers))
    return key.code == "Insert" and "Shift" in modifiers


def parse_chord(chord: str) -> tuple[list[str], Key]:
    """`Control+Shift+P` → (modifiers, key). `ControlOrMeta` is left as it is: the platform decides.

    A plus sign is a key as well: `+`, `Control++`.
    """
    parts = chord.split("+") if len(chord) > 1 else [chord]
    if len(parts) > 2 and parts[-2:] == ["", ""]:
        parts = [*parts[:-2], "+"]
    if not chord or any(not part for part in parts):
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"{chord!r} is not a key or chord.",
            hint="Write keys joined by +, as in Control+Shift+P.",
            data={"key": chord},
        )
    modifiers = []
    for part in parts[:-1]:
        name = "ControlOrMeta" if part.lower() in {"controlormeta", "mod", "ctrlormeta"} else key_of(part).key
        if name not in (*MODIFIERS, "ControlOrMeta"):
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                f"{part!r} in {chord!r} is not a modifier.",
                hint="Modifiers are Control, Shift, Alt and Meta; a chord has one other key, at its end.",
                data={"key": chord},
            )
        modifiers.append(name)
    return modifiers, key_of(parts[-1])
