from __future__ import annotations

import os
from pathlib import Path

import pytest

from kapture.errors import ErrorCode, KaptureError
from kapture.settings import Settings, duration_ms


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
def test_what_is_no_duration_is_refused(text: object) -> None:
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
def test_what_is_no_origin_is_refused(tmp_path: Path, origin: str) -> None:
    with pytest.raises(KaptureError, match="must be an origin"):
        Settings.load({"home": tmp_path, "allow_origin": origin, "no_pairing": True}, {})
    with pytest.raises(KaptureError, match="The setting allow_origin is 'https://a,x'; it must be an origin"):
        Settings.load({"home": tmp_path, "allow_origin": ("https://a", "x"), "no_pairing": True}, {})


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "settings.toml")
    with pytest.raises(KaptureError, match="could not be read"):
        _load(tmp_path)
