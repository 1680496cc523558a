"""Suggested names of files: they stay in their folder and do nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapture.policy.file_rules import DANGEROUS, MAX_NAME_BYTES, safe_name


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
