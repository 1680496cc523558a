"""Keys of a US keyboard, as the browser's key events describe them."""

from __future__ import annotations

from collections.abc import Collection

import attrs

from kapture.errors import ErrorCode, KaptureError


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
