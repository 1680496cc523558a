"""The limit of answers, files for what goes beyond it, and what never stands in an answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import attrs
import pytest

from kapture.commands.batch import BatchResult, StepResult
from kapture.commands.console import LogLine, LogsAnswer
from kapture.commands.core.answer import Answer, Blob, CallResult, bounded
from kapture.commands.core.bounds import finished, fitting_data, shortened_urls
from kapture.commands.core.params import Arguments
from kapture.errors import KaptureError, PolicyDenied
from kapture.policy.file_rules import PolicyFileRules
from kapture.policy.policy_file import Downloads, Uploads
from kapture.split_url import without_userinfo


@attrs.frozen(kw_only=True)
class Words(Answer):
    words: str = ""


def files(home: Path, **downloads: Any) -> PolicyFileRules:
    return PolicyFileRules(home=home, downloads=Downloads(**downloads), uploads=Uploads())


def result(text: str, **more: Any) -> CallResult:
    return CallResult(answer=Words(), text=text, **{"data": {"words": text}, **more})


def saved_bytes(saved: CallResult) -> bytes:
    return Path(saved.data["saved"]["path"]).read_bytes()


def written(home: Path) -> list[Path]:
    return [path for path in home.rglob("*") if path.is_file()]


async def shown(call: CallResult, home: Path, **arguments: Any) -> CallResult:
    given = Arguments(params=None, given={}, tab_id=None, timeout_ms=1_000, snapshot=None, **arguments)
    return await finished(call, given, files(home))


async def test_long_answer_is_cut_at_lines_and_names_what_is_left_out(tmp_path: Path) -> None:
    text = "\n".join([*(f"line {number}" for number in range(10_000)), "(12 more: raise max)"])
    cut = (await shown(result(text), tmp_path)).text
    assert len(cut) <= 20_000
    assert cut.startswith("line 0\n")
    *lines, note, last = cut.split("\n")
    assert last == "(12 more: raise max)"
    assert f"{10_000 - len(lines):,} lines" in note
    assert "max_chars" in note
    assert "save_to" in note
    assert (await shown(result(text), tmp_path, max_chars=200_000)).text == text
    assert len(bounded("x" * 50_000, 20_000)) <= 20_000


async def test_long_urls_are_cut_in_the_middle_unless_more_is_asked_for(tmp_path: Path) -> None:
    long = "https://shop.example/go?click=" + "k" * 2_000 + "#end"
    text = f'<a href="/path/{"p" * 900}">a</a> <img src="i/{"q" * 900}"> [b]({long}) said {"w" * 900} {long}'
    cut = (await shown(result(text), tmp_path)).text
    assert "k" * 200 not in cut
    assert "p" * 200 not in cut
    assert "q" * 200 not in cut
    assert "w" * 900 in cut, "no URL"
    assert cut.count("https://shop.example/go?click=") == cut.count("#end") == 2
    assert f"…({len(long):,} characters)…" in cut
    assert "max_chars" in cut.splitlines()[-1]
    assert (await shown(result(text), tmp_path, max_chars=10_000)).text == text
    assert shortened_urls("https://example.com/short") == "https://example.com/short"


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("at https://ann:tea@shop.example/x?y=@z now", "at https://shop.example/x?y=@z now"),
        ("wss://ann@shop.example", "wss://shop.example"),
        ("http://ann:t@a@shop.example:80/", "http://shop.example:80/"),
        ('href="//ann:tea@shop.example"', 'href="//shop.example"'),
        ("https://shop.example/@ann mail ann@shop.example", "https://shop.example/@ann mail ann@shop.example"),
        ("https://shop.example?to=ann@shop.example", "https://shop.example?to=ann@shop.example"),
    ],
)
async def test_userinfo_never_stands_in_an_answer(tmp_path: Path, text: str, without: str) -> None:
    assert without_userinfo(text) == without
    assert (await shown(result(text), tmp_path)).text == without
    assert fitting_data({"rows": [{"url": text}]}) == {"rows": [{"url": without}]}
    saved = await shown(result(text), tmp_path, save_to="it.json")
    assert json.loads(saved_bytes(saved)) == {"words": without}


async def test_whole_answer_is_saved_and_the_answer_says_where_and_how_long(tmp_path: Path) -> None:
    text = "tea\n" * 20_000
    saved = await shown(result(text), tmp_path, save_to="page.txt")
    path = tmp_path / "downloads" / "page.txt"
    assert path.read_text() == text
    assert str(path) in saved.text
    assert "80,000 characters" in saved.text
    again = await shown(result("more"), tmp_path, save_to="page.txt")
    assert path.read_text() == text, "an existing file is never replaced"
    assert saved_bytes(again) == b"more"
    picture = result("shot: 8×8 px", parts=(Blob.of(b"\x89PNG", "image/png"),))
    saved = await shown(picture, tmp_path, save_to="shot.png")
    assert saved_bytes(saved) == b"\x89PNG"
    assert saved.parts == ()


@pytest.mark.parametrize("name", ["../up.txt", "/etc/kapture.txt", "~/kapture.txt", "a/b.txt", "..", "/"])
async def test_answer_is_saved_nowhere_but_in_the_download_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(PolicyDenied, match="only"):
        await shown(result("tea"), tmp_path, save_to=name)
    assert not written(tmp_path)


async def test_answer_is_not_saved_where_the_policy_forbids_downloads_or_their_size(tmp_path: Path) -> None:
    call = Arguments(params=None, given={}, tab_id=None, timeout_ms=1_000, snapshot=None, save_to="a.txt")
    for rules in (files(tmp_path, enabled=False), files(tmp_path, max_bytes=3)):
        with pytest.raises(KaptureError):
            await finished(result("teas"), call, rules)
    assert not written(tmp_path)


def log_line(number: int, level: Any = "log", size: int = 3_000) -> LogLine:
    message = f"{level} {number} " + "m" * size
    return LogLine(timestamp="t", level=level, source="console", message=message, location="", stack="")


def test_errors_and_warnings_are_kept_first_when_logs_are_cut() -> None:
    entries = [log_line(number) for number in range(200)]
    entries[150], entries[199] = log_line(150, "warn"), log_line(199, "error")
    answer = LogsAnswer(entries=entries, cursor=200, more=0, missed=0, hidden=0)
    text = answer.text_within(19_500)
    assert len(text) <= 20_000
    assert text.index("log 0 ") < text.index("warn 150 ") < text.index("error 199 ")
    assert "max_chars" in text.splitlines()[0], "a cut entry names it"
    assert f"{200 - text.count(' mmm')} left out" in text
    few = LogsAnswer(entries=entries[:1], cursor=1, more=0, missed=0, hidden=0, longest=19_500)
    assert "m" * 3_000 in few.text_within(19_500)


def test_each_step_of_a_batch_has_a_share_of_its_answer() -> None:
    steps = [StepResult(command="get_text", status="done", text="word\n" * 4_000) for _ in range(5)]
    steps.append(StepResult(command="click", status="failed", text="ELEMENT_NOT_FOUND: nothing"))
    text = BatchResult(steps=steps, done=5, failed=1).text_within(19_500)
    assert len(text) <= 20_000
    assert text.count("left out") == 5
    assert text.endswith("6. click failed: ELEMENT_NOT_FOUND: nothing")


def test_structured_data_is_bounded_too() -> None:
    rows = [{"text": "x" * 1_000} for _ in range(5_000)]
    data = fitting_data({"rows": rows, "count": 5_000})
    assert len(json.dumps(data)) <= 200_000
    assert data["count"] == 5_000
    assert "entries" in data["cut"]
