"""Globs over URLs."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapture import errors
from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.glob import glob_matches
from kapture.settings import Settings, duration_ms


def test_every_class_belongs_to_exactly_one_code() -> None:
    classes = [type(KaptureError(code, "x")) for code in ErrorCode]
    own = [found for found in classes if found is not KaptureError]
    declared = [
        value
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, KaptureError) and value is not KaptureError
    ]
    assert sorted(map(repr, own)) == sorted(map(repr, declared))


def test_a_person_reads_what_happened_and_what_to_do_without_the_code() -> None:
    error = KaptureError(ErrorCode.UNAUTHORIZED, "hub.json could not be written.", hint="Make room on its disk.")
    assert error.explanation == "hub.json could not be written. Make room on its disk."
    assert str(error) == f"UNAUTHORIZED: {error.explanation}"
    assert KaptureError(ErrorCode.UNAUTHORIZED, "No hint.").explanation == "No hint."


# Globs over URLs.


@pytest.mark.parametrize(
    ("glob", "url", "matches"),
    [
        ("https://a.example/", "https://a.example/", True),
        ("https://a.example/", "https://a.example/x", False),
        ("*/api/*", "https://a.example/api/7", True),
        ("*/api/*", "https://a.example/apis/7", False),
        ("*.png", "https://a.example/x.png?v=1.png", True),
        ("*/item?", "https://a.example/item7", True),
        ("*/item?", "https://a.example/item", False),
        ("ab*ba", "aba", False),
        ("**", "", True),
        ("*[a]*", "https://a.example/[a]", True),
    ],
)
def test_a_star_is_any_text_and_a_question_mark_any_character(glob: str, url: str, matches: bool) -> None:
    assert glob_matches(url, glob) is matches


@given(st.text("ab*?", max_size=8), st.text("ab\n", max_size=10))
def test_a_glob_matches_what_a_regular_expression_of_it_does(glob: str, url: str) -> None:
    expression = "".join(".*" if char == "*" else "." if char == "?" else char for char in glob)
    assert glob_matches(url, glob) is (re.fullmatch(expression, url, re.DOTALL) is not None)


def test_no_address_makes_a_glob_try_every_combination() -> None:
    # A regular expression of this glob would not end in this lifetime.
    assert not glob_matches("https://a.example/" + "/api" * 5_000, "*/api" * 30 + "*/end")


def _load(home: Path, file: str = "", flags: dict[str, object] | None = None, **environment: str) -> Settings:
    if file:
        (home / "settings.toml").write_text(file)
    return Settings.load(flags, {"KAPTURE_HOME": str(home), **environment})


def test_flags_win_over_environment_over_file_over_defaults(tmp_path: Path) -> None:
    assert _load(tmp_path).port == 61822
    assert _load(tmp_path, "port = 1001").port == 1001
    assert _load(tmp_path, "port = 1001", KAPTURE_PORT="1002").port == 1002
    assert _load(tmp_path, "port = 1001", {"port": 1003}, KAPTURE_PORT="1002").port == 1003
    assert _load(tmp_path, "port = 1001", {"port": None}).port == 1001


def test_every_setting_is_read(tmp_path: Path) -> None:
    switches = "safe_mode = true\nunsafe_all_sites = true\nno_pairing = true\n"
    loaded = _load(tmp_path, switches + 'idle_exit = "90s"\npolicy_file = "/etc/kapture.toml"')
    assert loaded.home == tmp_path
    assert loaded.idle_exit_ms == 90_000
    assert (loaded.safe_mode, loaded.unsafe_all_sites, loaded.no_pairing) == (True, True, True)
    assert loaded.policy_file == Path("/etc/kapture.toml")
    assert _load(tmp_path, KAPTURE_SAFE_MODE="0").safe_mode is False


def test_a_relay_token_alone_switches_the_relay_on(tmp_path: Path) -> None:
    assert _load(tmp_path, RELAY_TOKEN="a-token-for-relays-alone").relay is True
    assert _load(tmp_path, RELAY_TOKEN="a-token-for-relays-alone", KAPTURE_RELAY="0").relay is False
    assert _load(tmp_path).relay is False


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("250ms", 250),
        ("90s", 90_000),
        ("15m", 900_000),
        ("1.5h", 5_400_000),
        ("7", 7_000),
        (7, 7_000),
        (0, 0),
        (0.5, 500),
    ],
)
def test_durations_are_seconds_or_have_a_unit(text: object, milliseconds: float) -> None:
    assert duration_ms("x", text) == milliseconds


@pytest.mark.parametrize(
    "text", ["", "soon", "-1", -1, True, None, "1 day", float("nan"), float("inf"), "1e9", 10**400]
)
def test_invalid_duration_is_refused(text: object) -> None:
    with pytest.raises(KaptureError, match="idle_exit"):
        duration_ms("idle_exit", text)


@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("port = 70000", "port"),
        ('port = "http"', "port"),
        ("port = true", "port"),
        ("safe_mode = 3", "safe_mode"),
        ("idle_exit = []", "idle_exit"),
        ("prot = 1", "'prot'"),
        ("port = ", "not TOML"),
        ("policy_file = 3", "policy_file"),
        ('policy_file = "~nobody at all/x"', "policy_file"),
        ("port = " + "[" * 3_000, "not TOML"),
        ("port = " + "9" * 5_000, "not TOML"),
    ],
)
def test_a_broken_file_says_what_is_wrong(tmp_path: Path, file: str, says: str) -> None:
    with pytest.raises(KaptureError, match=says) as failure:
        _load(tmp_path, file)
    assert failure.value.code is ErrorCode.INVALID_PARAMS


def test_an_unknown_setting_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(KaptureError) as failure:
        _load(tmp_path, "prot = 1")
    assert "'port'" in failure.value.hint


def test_an_origin_is_let_in_only_where_no_pairing_is_asked_for(tmp_path: Path) -> None:
    flags = {"home": tmp_path, "allow_origin": ("https://Tabs.example",)}
    with pytest.raises(KaptureError, match="needs no_pairing"):
        Settings.load(flags, {})
    assert Settings.load({**flags, "no_pairing": True}, {}).allow_origins == ("https://tabs.example",)


@pytest.mark.parametrize("origin", ["tabs.example", "https://", "https://a/b", "*", "https://a b"])
def test_invalid_origin_is_refused(tmp_path: Path, origin: str) -> None:
    with pytest.raises(KaptureError, match="must be an origin"):
        Settings.load({"home": tmp_path, "allow_origin": origin, "no_pairing": True}, {})
    with pytest.raises(KaptureError, match="The setting allow_origin is 'https://a,x'; it must be an origin"):
        Settings.load({"home": tmp_path, "allow_origin": ("https://a", "x"), "no_pairing": True}, {})


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "settings.toml")
    with pytest.raises(KaptureError, match="could not be read"):
        _load(tmp_path)


def test_wording_with_braces_that_are_no_fields_stays_as_it_is() -> None:
    assert str(Wording('Choose one of {"a": 1}, {0} or }.')) == 'Choose one of {"a": 1}, {0} or }.'
    assert not Wording("")
