"""Flags and variables of the Chrome MCP blueprint."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from kapture.cli.chrome_flags import apply
from kapture.cli.mcp import mcp_command
from kapture.pairing import Pairing, key_file
from kapture.settings import Settings


@pytest.mark.parametrize(
    ("flags", "setting", "value"),
    [
        ({"prefer": "cdp"}, "prefer", "launch"),
        ({"prefer": "cdp"}, "fallback", "launch"),
        ({"prefer": "cdp", "no_cdp_fallback": True}, "fallback", "none"),
        ({"prefer": "extension"}, "prefer", "extension"),
        ({"unsafe_all_domains": True}, "unsafe_all_sites", True),
        ({"enable_mutations": True}, "safe_mode", False),
        ({"unsafe_enable_eval": True}, "safe_mode", False),
    ],
)
def test_a_flag_of_the_blueprint_becomes_a_setting(
    tmp_path: Path, flags: dict[str, object], setting: str, value: object
) -> None:
    environment = {"KAPTURE_HOME": str(tmp_path)}
    assert not apply(flags, environment)
    assert getattr(Settings.load(environment=environment), setting) == value


@pytest.mark.parametrize(
    ("profile", "flags", "fallback"),
    [("chrome", {}, "launch"), ("chrome", {"no_cdp_fallback": True}, "none"), ("minimal", {}, "none")],
)
def test_the_chrome_profile_launches_a_browser_unless_told_not_to(
    tmp_path: Path, profile: str, flags: dict[str, object], fallback: str
) -> None:
    environment = {"KAPTURE_HOME": str(tmp_path)}
    apply(flags, environment, profile=profile)
    assert Settings.load(environment=environment).fallback == fallback


def test_variables_of_the_blueprint_count_where_ours_are_not_set(tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    theirs = {"CHROME_MCP_DATA": str(tmp_path), "CHROME_MCP_WS_PORT": "38017", "CHROME_MCP_USERDATA": str(profile)}
    settings = Settings.load(environment=theirs)
    assert (settings.home, settings.port, settings.fallback_profile) == (tmp_path, 38_017, profile)
    ours = Settings.load(environment={**theirs, "KAPTURE_PORT": "4711", "KAPTURE_FALLBACK_PROFILE": "/elsewhere"})
    assert (ours.port, ours.fallback_profile) == (4_711, Path("/elsewhere"))


def test_the_way_to_pair_is_printed_without_the_key(tmp_path: Path) -> None:
    Pairing(tmp_path).write_key_file(4_711)
    printed = CliRunner().invoke(mcp_command, ["--print-pairing"], env={"KAPTURE_HOME": str(tmp_path)})
    assert str(tmp_path / "hub.json") in printed.output
    secrets = key_file.read(tmp_path)
    assert secrets.key not in printed.output
    assert secrets.clientToken not in printed.output
