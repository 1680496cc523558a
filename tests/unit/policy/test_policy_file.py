"""The policy file: right, or refused with the line and the reason; never a silent "allow"."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kapture.errors import ErrorCode, KaptureError
from kapture.policy import Grant, Policy, PolicyFileError
from kapture.policy.kept_caps import FILE_NAME, Caps, caps_of, keep, with_kept
from kapture.policy.policy_file import PolicyFile, parse, read, schema
from kapture.settings import Settings
from tests.support.examples import examples

ROOT = Path(__file__).parents[3]
FILE = Path("policy.toml")


def broken(text: str) -> PolicyFileError:
    with pytest.raises(PolicyFileError) as caught:
        parse(text, FILE)
    return caught.value


def test_a_file_with_everything_reads() -> None:
    rules = parse(
        """
        level = "interact"
        allow = ["example.com", "https://*.corp.test/*"]
        deny = ["*/admin*"]
        evaluate = false
        cdp = false
        commands_denied = ["pdf"]
        [downloads]
        enabled = true
        folder = "/var/dl"
        max_bytes = 1000
        [uploads]
        folders = ["~/for-agents"]
        [approvals]
        enabled = false
        timeout_s = 5
        [clients."claude*"]
        level = "read"
        """,
        FILE,
    )
    assert rules.level == "interact"
    assert rules.clients["claude*"].level == "read"
    assert rules.downloads.max_bytes == 1000


@pytest.mark.parametrize("where", ["", '[clients."x"]\n'])
def test_a_command_is_denied_by_each_of_its_names_and_one_that_there_is_not_is_an_error(where: str) -> None:
    rules = parse(f'{where}commands_denied = ["kapturemcp_pdf"]', FILE)
    assert (rules.clients["x"] if where else rules).commands_denied == ("pdf",)
    error = broken(f'{where}commands_denied = ["pdf", "clik"]')
    assert error.line == (2 if where else 1)
    assert "There is no command 'clik'. Did you mean click" in error.reason


def test_an_empty_file_takes_nothing_away_and_gives_nothing() -> None:
    assert parse("", FILE) == PolicyFile()
    policy = Policy(home=Path("/h"), rules=PolicyFile())
    assert not policy.may_read("https://example.com/", grant=None)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ('level = "interact"\nallow = [', 2, "TOML"),
        ('level = "interact"\n\nlevle = "read"', 3, "levle"),
        ('evaluate = true\nlevel = "all"', 2, "all"),
        ('\ndeny = "example.com"', 2, "array"),
        ('deny = [\n  "a.test",\n  "exa*mple.com",\n]', 3, "exa*mple.com"),
        ('allow = ["https://example.com*"]', 1, "https://example.com*"),
        ("[downloads]\nfolder = 'relative/path'", 2, "absolute"),
        ("[downloads]\nenabled = true\nmax_bytes = -1", 3, ">= 1"),
        ("[downloads]\n\nenable = true", 3, "enable"),
        ("[approvals]\ntimeout_s = 0", 2, "> 0"),
        ('[clients."x"]\nevaluate = "no"', 2, "bool"),
        ('[clients.a]\nlevel = "read"\n[clients.b]\nlvl = "read"', 4, "lvl"),
        ("[clients.x]\n[clients.x.downloads]\nenabled = false", 2, "downloads"),
        ("level = 'full'\nlevel = 'read'", 2, "overwrite"),
        ("uploads = { folders = ['x'] }", 1, "absolute"),
        ("uploads = { folders = ['~nobody at all/x'] }", 1, "absolute"),
    ],
)
def test_a_broken_file_is_refused_with_its_line_and_the_reason(text: str, line: int, reason: str) -> None:
    error = broken(text)
    assert error.line == line, error
    assert reason.lower() in error.reason.lower()
    assert f"policy.toml:{line}:" in error.message


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_bytes(b"level = 'read'\n# \xff\n")
    with pytest.raises(PolicyFileError) as caught:
        read(path)
    assert caught.value.line == 2


def test_a_named_file_that_is_missing_stops_the_hub(tmp_path: Path) -> None:
    with pytest.raises(PolicyFileError):
        Policy.load(tmp_path, tmp_path / "none.toml")


def test_a_dangling_link_in_the_default_place_stops_the_hub(tmp_path: Path) -> None:
    (tmp_path / "policy.toml").symlink_to(tmp_path / "gone.toml")
    with pytest.raises(PolicyFileError):
        Policy.load(tmp_path)


def test_a_folder_in_the_files_place_stops_the_hub(tmp_path: Path) -> None:
    (tmp_path / "policy.toml").mkdir()
    with pytest.raises(PolicyFileError):
        Policy.load(tmp_path)


def test_a_huge_file_stops_the_hub(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text("#" * (2 * 1024 * 1024))
    with pytest.raises(PolicyFileError):
        Policy.load(tmp_path)


def test_without_a_file_there_is_no_default_permission(tmp_path: Path) -> None:
    policy = Policy.load(tmp_path)
    assert policy.source is None
    assert not policy.may_read("https://example.com/", grant=None)


VALID = (
    'level = "interact"\nallow = ["example.com"]\ndeny = ["*/admin*"]\nevaluate = false\n[downloads]\nenabled = false\n'
)
INSIDE = Grant.make(["*", "file://"], "full")
OUTSIDE = ["https://evil.test/", "https://example.com/admin/x", "file:///etc/passwd"]


@settings(max_examples=examples(400))
@given(st.integers(0, len(VALID)), st.integers(0, 12), st.text(max_size=12))
def test_a_damaged_file_is_refused_or_lets_nothing_new_in(at: int, cut: int, put: str) -> None:
    text = VALID[:at] + put + VALID[at + cut :]
    try:
        rules = parse(text, FILE)
    except PolicyFileError:
        return
    policy = Policy(home=Path("/h"), rules=rules)
    # Whatever reads is what a person could have written: without a grant it gives nothing, and what it still
    # denies by name stays denied.
    assert not policy.may_read("https://example.com/", grant=None)
    if rules.allow == ("example.com",):
        assert not policy.may_read("https://evil.test/", grant=INSIDE)
    if "*/admin*" in rules.deny:
        assert not policy.may_read("https://example.com/admin/x", grant=INSIDE)


JSON_LIKE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from([*PolicyFile.__struct_fields__, "Level", "sites", ""])


@settings(max_examples=examples(300))
@given(st.dictionaries(KEYS, JSON_LIKE, max_size=4))
def test_tables_of_the_wrong_shape_are_refused_and_never_crash(table: dict[str, Any]) -> None:
    try:
        text = msgspec.toml.encode(table).decode()
    except (ImportError, TypeError, ValueError, AttributeError):
        text = "\n".join(f"{key or '_'} = {json.dumps(value)}" for key, value in table.items())
    try:
        rules = parse(text, FILE)
    except PolicyFileError:
        return
    assert set(table) <= set(PolicyFile.__struct_fields__)
    assert rules.level in ("none", "read", "interact", "full")


@settings(max_examples=examples(200), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.binary(max_size=300))
def test_no_bytes_crash_the_reader(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "policy.toml"
    path.write_bytes(data)
    try:
        policy = Policy.load(tmp_path)
    except PolicyFileError:
        return
    assert not policy.may_read("https://example.com/", grant=None)


@pytest.mark.parametrize("text", ["a = " + "[" * 5000, "x = 1" + "0" * 10_000, "[" + "a." * 3000 + "b]"])
def test_a_file_made_to_exhaust_the_reader_is_refused(text: str) -> None:
    broken(text)


def test_the_published_schema_is_the_one_in_force() -> None:
    published = json.loads((ROOT / "docs" / "policy.schema.json").read_text())
    assert published == json.loads(json.dumps(schema())), "run `kapture policy schema > docs/policy.schema.json`"


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
@pytest.mark.parametrize("mode", [0o666, 0o660, 0o620, 0o602])
def test_a_policy_file_that_others_may_write_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "policy.toml"
    path.write_text('level = "read"\n')
    path.chmod(mode)
    with pytest.raises(PolicyFileError, match="other users may write"):
        read(path)
    path.chmod(0o644)
    read(path)


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_a_policy_file_that_others_may_replace_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    path = folder / "policy.toml"
    path.write_text('level = "read"\n')
    path.chmod(0o600)
    folder.chmod(0o777)
    with pytest.raises(PolicyFileError, match="may replace"):
        read(path)
    (tmp_path / "link.toml").symlink_to(path)
    with pytest.raises(PolicyFileError, match="may replace"):
        read(tmp_path / "link.toml")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="the administrator has no group of its own kind")
@pytest.mark.parametrize("above", [0, 1, 2])
def test_a_policy_file_below_a_folder_that_a_group_or_another_user_may_change_is_refused(
    tmp_path: Path, above: int
) -> None:
    path = tmp_path / "one" / "two" / "policy.toml"
    path.parent.mkdir(parents=True)
    path.write_text('level = "read"\n')
    path.chmod(0o600)
    folder = path.parents[above]
    folder.chmod(0o775)
    with pytest.raises(PolicyFileError, match="users of its group may replace"):
        read(path)
    folder.chmod(0o1775)
    read(path)
    folder.chmod(0o755)
    os.chown(folder, 12_345, -1)
    with pytest.raises(PolicyFileError, match=f"{folder} belongs to another user"):
        read(path)
    os.chown(folder, 0, -1)
    read(path)


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
@pytest.mark.parametrize(
    "named", ["open/link.toml", "linked/link.toml", "below/../open/link.toml", "open/sub/link.toml"]
)
def test_a_link_to_a_policy_file_that_others_may_replace_is_refused(tmp_path: Path, named: str) -> None:
    (tmp_path / "open" / "sub").mkdir(parents=True)
    (tmp_path / "below").mkdir()
    (tmp_path / "linked").symlink_to("open")
    (tmp_path / "policy.toml").write_text('level = "read"\n')
    (tmp_path / "policy.toml").chmod(0o600)
    for folder in ("open", "open/sub"):
        (tmp_path / folder / "link.toml").symlink_to(tmp_path / "policy.toml")
    assert read(tmp_path / named)[0].level == "read"
    (tmp_path / "open").chmod(0o777)
    with pytest.raises(PolicyFileError, match=f"may replace files in {tmp_path / 'open'}"):
        read(tmp_path / named)
    (tmp_path / "open").chmod(0o1777)  # where each may replace only what is theirs
    read(tmp_path / named)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only the administrator makes others' links")
def test_another_user_s_link_to_a_policy_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text('level = "read"\n')
    (tmp_path / "policy.toml").chmod(0o600)
    link = tmp_path / "link.toml"
    link.symlink_to("policy.toml")
    read(link)
    os.lchown(link, 12_345, -1)
    with pytest.raises(PolicyFileError, match="another user's link"):
        read(link)


def test_a_pipe_or_a_device_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "policy.toml"
    os.mkfifo(pipe, 0o600)
    for path in (pipe, Path("/dev/zero")):
        with pytest.raises(PolicyFileError, match="not a regular file"):
            read(path)


def test_the_line_of_a_mistake_is_not_searched_for_in_ages() -> None:
    assert "unknown" in broken(f'"{"[a." * 50_000}" = 1\nlevels = "read"\n').reason


# What capped a hub caps the one that a client starts after it.


RULES = 'level = "read"\ncommands_denied = ["click"]\n'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The data folder of a hub that ran with a policy file and in safe mode."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    policy = tmp_path / "policy.toml"
    policy.write_text(RULES)
    policy.chmod(0o600)
    keep(home, caps_of(Policy.load(home, policy, safe_mode=True)))
    return home


def test_without_a_hub_before_nothing_is_added(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    assert with_kept(settings) == settings


def test_a_hub_that_starts_by_itself_runs_with_what_the_hub_before_ran_with(home: Path) -> None:
    found = with_kept(Settings(home=home))
    assert (found.policy_file, found.safe_mode) == (home.parent / "policy.toml", True)


def test_its_own_settings_may_add_caps_and_take_none_away(home: Path, tmp_path: Path) -> None:
    keep(home, Caps(policy_file=None, sha256=None, safe_mode=False))
    own = Settings(home=home, policy_file=tmp_path / "policy.toml", safe_mode=True)
    assert with_kept(own) == own


def _remove(file: Path) -> None:
    file.unlink()


def _loosen(file: Path) -> None:
    file.write_text('level = "full"\n')


def _open_to_others(file: Path) -> None:
    file.chmod(0o666)


@pytest.mark.parametrize("happens", [_remove, _loosen, _open_to_others])
def test_a_policy_file_that_is_not_as_it_was_stops_it(home: Path, happens: Callable[[Path], None]) -> None:
    file = home.parent / "policy.toml"
    happens(file)
    with pytest.raises(KaptureError) as refused:
        with_kept(Settings(home=home))
    assert refused.value.code is ErrorCode.POLICY_DENIED
    assert f"kapture serve --background --policy {file} --safe-mode" in refused.value.hint


def test_another_policy_file_does_not_take_its_place(home: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text("")
    with pytest.raises(KaptureError, match=r"other\.toml"):
        with_kept(Settings(home=home, policy_file=other))


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"\xff"])
def test_damaged_caps_stop_it(home: Path, content: bytes) -> None:
    (home / FILE_NAME).write_bytes(content)
    with pytest.raises(KaptureError, match="cannot be read"):
        with_kept(Settings(home=home))


def test_the_policy_file_of_the_data_folder_is_missed_when_it_is_gone(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "policy.toml").write_text(RULES)
    keep(home, caps_of(Policy.load(home)))
    assert with_kept(Settings(home=home)).policy_file == home / "policy.toml"
    (home / "policy.toml").unlink()
    with pytest.raises(KaptureError, match="cannot be used now"):
        with_kept(Settings(home=home))
