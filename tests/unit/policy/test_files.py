"""Files: uploads from allowed folders only, downloads into a private one."""

from __future__ import annotations

import os
import stat
import unicodedata
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kapture.commands  # noqa: F401  declares every command
from kapture.commands.core.params import decode_arguments
from kapture.commands.core.registry import all_commands, get_command
from kapture.errors import ErrorCode, KaptureError
from kapture.policy.file_rules import DANGEROUS, MAX_NAME_BYTES, PolicyFileRules, safe_name
from kapture.policy.grant import parse
from kapture.policy.policy import Request
from kapture.policy.policy_file import Downloads, Uploads
from kapture.policy.question import Shown
from kapture.policy.shown import MAX_CHARACTERS, escaped, escaped_address, shown_of


def rules(home: Path, *, uploads: Uploads = Uploads(), downloads: Downloads = Downloads()) -> PolicyFileRules:  # noqa: B008
    return PolicyFileRules(home=home, uploads=uploads, downloads=downloads)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    (home / "uploads").mkdir(parents=True)
    home.chmod(0o700)
    return home


def code_of(call, *arguments) -> ErrorCode:  # type: ignore[no-untyped-def]
    with pytest.raises(KaptureError) as caught:
        call(*arguments)
    return caught.value.code


def test_a_file_in_an_allowed_folder_may_be_uploaded(home: Path, tmp_path: Path) -> None:
    (home / "uploads" / "a.txt").write_text("x")
    assert rules(home).check_upload(home / "uploads" / "a.txt") == (home / "uploads" / "a.txt").resolve()
    docs = tmp_path / "docs" / "deep"
    docs.mkdir(parents=True)
    (docs / "b.txt").write_text("x")
    allowed = rules(home, uploads=Uploads(folders=(str(tmp_path / "docs"),)))
    assert allowed.check_upload(docs / "b.txt").name == "b.txt"


def test_a_file_anywhere_else_may_not(home: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (tmp_path / "home" / "uploads2").mkdir()
    (tmp_path / "home" / "uploads2" / "x").write_text("x")
    check = rules(home).check_upload
    for path in (
        tmp_path / "secret",
        home / "uploads" / ".." / ".." / "secret",
        home / "uploads2" / "x",
        Path("/etc/passwd"),
        Path("/etc/does-not-exist"),
        Path("secret"),
        home / "uploads",
        Path("a\0b"),
        Path("~nobody-here/x"),
    ):
        assert code_of(check, path) is ErrorCode.POLICY_DENIED, path


def test_a_link_out_of_an_allowed_folder_is_not_followed_to_an_upload(home: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (home / "uploads" / "innocent.txt").symlink_to(tmp_path / "secret")
    (home / "uploads" / "folder").symlink_to(tmp_path)
    check = rules(home).check_upload
    assert code_of(check, home / "uploads" / "innocent.txt") is ErrorCode.POLICY_DENIED
    assert code_of(check, home / "uploads" / "folder" / "secret") is ErrorCode.POLICY_DENIED


def test_kaptures_own_secrets_are_never_uploaded_even_from_an_allowed_folder(home: Path, tmp_path: Path) -> None:
    (home / "hub.json").write_text("key")
    allowed = rules(home, uploads=Uploads(folders=(str(tmp_path), str(home))))
    assert code_of(allowed.check_upload, home / "hub.json") is ErrorCode.POLICY_DENIED


def test_missing_or_irregular_file_in_allowed_folder_is_reported(home: Path) -> None:
    (home / "uploads" / "dir").mkdir()
    os.mkfifo(home / "uploads" / "pipe")
    check = rules(home).check_upload
    assert code_of(check, home / "uploads" / "none.txt") is ErrorCode.UPLOAD_FAILED
    assert code_of(check, home / "uploads" / "dir") is ErrorCode.UPLOAD_FAILED
    assert code_of(check, home / "uploads" / "pipe") is ErrorCode.UPLOAD_FAILED


def test_a_policy_can_turn_both_off(home: Path) -> None:
    off = rules(home, uploads=Uploads(enabled=False), downloads=Downloads(enabled=False))
    (home / "uploads" / "a.txt").write_text("x")
    assert code_of(off.check_upload, home / "uploads" / "a.txt") is ErrorCode.POLICY_DENIED
    assert code_of(off.download_folder) is ErrorCode.POLICY_DENIED
    assert code_of(off.download_path, "a.txt") is ErrorCode.POLICY_DENIED


def test_downloads_land_in_a_private_folder_as_private_files_that_cannot_run(home: Path) -> None:
    path = rules(home).download_path("report.pdf")
    assert path == home / "downloads" / "report.pdf"
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_second_download_never_overwrites_the_first(home: Path) -> None:
    allowed = rules(home)
    names = [allowed.download_path("a.txt").name for _ in range(3)]
    assert names == ["a.txt", "a (2).txt", "a (3).txt"]


def test_a_link_planted_in_the_download_folder_is_not_written_through(home: Path, tmp_path: Path) -> None:
    allowed = rules(home)
    victim = tmp_path / "victim"
    (allowed.download_folder() / "a.txt").symlink_to(victim)
    path = allowed.download_path("a.txt")
    path.write_text("downloaded")
    assert not victim.exists()


# Suggested names of files: they stay in their folder and do nothing.


@pytest.mark.parametrize(
    ("suggested", "name"),
    [
        ("report.pdf", "report.pdf"),
        ("Grüße aus Köln.txt", "Grüße aus Köln.txt"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\windows\\win.ini", "win.ini"),
        ("/etc/passwd", "passwd"),
        ("C:\\x\\y.txt", "y.txt"),
        ("a／b∕c⁄d.txt", "d.txt"),
        ("..", "download"),
        (".", "download"),
        ("", "download"),
        ("///", "download"),
        (".bashrc", "bashrc"),
        ("...hidden", "hidden"),
        ("-rf.txt", "rf.txt"),
        ("name. . ", "name"),
        ("a\x00b.txt", "ab.txt"),
        ("a\nb.txt", "ab.txt"),
        ("file.txt:stream", "file.txt_stream"),
        ("con", "_con"),
        ("NUL.txt", "_NUL.txt"),
        ("CON .txt", "_CON.txt"),
        ("aux . txt", "_aux. txt"),
        ("CLOCK$", "_CLOCK$"),
        ("Desktop.ini", "_Desktop.ini"),
        ("a.{3050f4d8-98b5-11cf-bb82-00aa00bdce0b}", "a.{3050f4d8-98b5-11cf-bb82-00aa00bdce0b}.download"),
        ("setup.exe", "setup.exe.download"),
        ("setup.EXE ", "setup.EXE.download"),
        ("setup.exe.", "setup.exe.download"),
        ("invoice.pdf.js", "invoice.pdf.js.download"),
        ("run.sh", "run.sh.download"),
        ("annexe\u202efdp.exe", "annexefdp.exe.download"),
        ("e\u200bxe.e\u200bxe", "exe.exe.download"),
        ("exe", "exe.download"),
        ("\ud800.txt", "_.txt"),
    ],
)
def test_a_suggested_name_becomes_a_harmless_one(suggested: str, name: str) -> None:
    assert safe_name(suggested) == name


EVIL = st.text(alphabet='./\\:aZ \x00\n\t\u202e\u200b~-%|*?"<>\ud800é／。exeEXEconnul', max_size=40)
ENDINGS = st.sampled_from(["", *sorted(DANGEROUS)])


@given(st.text(max_size=300) | EVIL, ENDINGS)
def test_no_name_leaves_its_folder_or_can_be_run(stem: str, ending: str) -> None:
    name = safe_name(f"{stem}.{ending}")
    assert Path(name).name == name
    assert name not in ("", ".", "..")
    assert not name.startswith((".", "-", "~", " "))
    assert not name.endswith((".", " "))
    assert not set(name) & set('/\\:*?"<>|\x00\n\r\t')
    assert name.isprintable()
    assert len(name.encode()) <= MAX_NAME_BYTES
    assert name.rpartition(".")[2].lower() not in DANGEROUS
    assert name.partition(".")[0].rstrip().lower() not in ("con", "nul", "prn", "aux")


@given(st.text(max_size=60) | EVIL)
def test_a_safe_name_is_left_as_it_is(text: str) -> None:
    assert safe_name(safe_name(text)) == safe_name(text)


def test_long_name_with_a_class_at_its_end_is_made_harmless() -> None:
    assert safe_name(f"{'a' * 90_000}.{{00021401-0000-0000-C000-000000000046}} ").endswith(".download")


# What a person is shown of a step: everything that matters, as the browser would get it.


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


def test_question_shows_text_and_its_field() -> None:
    assert shown("fill", target={"ref": "e3"}, value="4111 1111") == [
        Shown("Target", "ref: e3"),
        Shown("Value", "4111 1111"),
    ]


def test_long_value_is_cut_with_remaining_length() -> None:
    (part,) = shown("evaluate", code="x" * (MAX_CHARACTERS + 7))
    assert part.text.endswith("\n… 7 more characters are not shown.")


def test_every_command_can_be_shown_without_arguments() -> None:
    for command in all_commands():
        assert list(shown_of(Request(command=command, url=PAGE))) == []


# What a person reads before allowing a step: nothing in it is unseen, or in another order than it counts.


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("let x = 1;\n\treturn 'é 日本 🎉';", "let x = 1;\n\treturn 'é 日本 🎉';"),
        ("/* \u202e } \u2066 if (admin) */", "/* ‹U+202E› } ‹U+2066› if (admin) */"),
        ("let \u3164 = fetch", "let ‹U+3164› = fetch"),  # a Hangul filler is a letter, for JavaScript too
        ("a\u200bb\u00a0c\ufe01\U000e0041", "a‹U+200B›b‹U+00A0›c‹U+FE01›‹U+E0041›"),
        ("one\r\ntwo\rthree\x1b[2J", "one\ntwo‹U+000D›three‹U+001B›[2J"),
        ("\ud800", "‹U+D800›"),
    ],
)
def test_invisible_characters_are_escaped(text: str, read: str) -> None:
    assert escaped(text) == read


@given(st.text())
def test_nothing_is_left_that_steers_or_hides(text: str) -> None:
    read = escaped(text)
    assert not [char for char in read if char not in "\n\t" and unicodedata.category(char)[0] == "C"]
    assert escaped(read) == read


@pytest.mark.parametrize(
    ("url", "read"),
    [
        ("https://shop.example/a?b=c%20d#e", "https://shop.example/a?b=c%20d#e"),
        ("https://\u0430pple.com/pay?x=1#y", "https://xn--pple-43d.com/pay?x=1#y"),  # a Cyrillic a
        ("https://bücher.example:8443/ü", "https://xn--bcher-kva.example:8443/%C3%BC"),
        ("https://shop.example/\u202egnp.exe", "https://shop.example/%E2%80%AEgnp.exe"),
        ("https://shop.example/\ud800", "https://shop.example/?"),
        ("https://shop.example\\pay/ü?sum=1", "https://shop.example/pay/%C3%BC?sum=1"),
        ("https://shop.example\\@bank.example/", "https://shop.example/@bank.example/"),
        ("https://bank.example@shop.example/", "https://shop.example/"),
        ("https:/shop.example/ü#a#b", "https://shop.example/%C3%BC#a#b"),
        ("blob:https://bücher.example/1", "blob:https://xn--bcher-kva.example/1"),
        ("file:///home/ü", "file:///home/%C3%BC"),
        ("data:text/html,\u202eü", "data:text/html,‹U+202E›ü"),
    ],
)
def test_an_address_is_read_as_the_browser_gets_it(url: str, read: str) -> None:
    assert escaped_address(url) == read


@given(st.from_regex(r"https:[/\\]{1,2}([a-z]{1,3}@)?[a-zäøа-я]{1,9}\.example[/\\?#][^\x00-\x20]{0,9}", fullmatch=True))
def test_an_address_that_is_read_leads_where_the_other_does(url: str) -> None:
    address = parse(url)
    if address is not None:
        read = escaped_address(url)
        assert read.isascii()
        shown = parse(read)
        assert shown is not None
        assert shown.origin == address.origin
        assert (unquote(shown.path), unquote(shown.query)) == (unquote(address.path), unquote(address.query))
