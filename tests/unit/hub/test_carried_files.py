"""Files between a hub and a client on another machine, which is not trusted, nor is the hub with the client's files."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio

import kapture.hub.carried_files as hub_files
from kapture.client.files import FilesHere
from kapture.errors import DownloadFailed, ErrorCode, KaptureError, PolicyDenied
from kapture.hub.carried_files import CarriedFiles, FrameCarrier, carried_uploads
from kapture.policy.file_rules import PolicyFileRules
from kapture.policy.policy_file import Downloads, Uploads
from kapture.wire import files as wire

Answer = Callable[[Any], wire.FromClient]


def upload_fails() -> AbstractContextManager[object]:
    return pytest.raises(KaptureError, check=lambda error: error.code is ErrorCode.UPLOAD_FAILED)


def rules(home: Path, *, uploads: bool = True) -> PolicyFileRules:
    return PolicyFileRules(home=home / "hub", downloads=Downloads(), uploads=Uploads(enabled=uploads))


@asynccontextmanager
async def carried(home: Path, *named: str, ended: bool = False, uploads: bool = True) -> AsyncIterator[CarriedFiles]:
    """The rules of a client whose pending call has these texts. `ended`: it is not pending any more."""
    here = FilesHere(home / "agent" / "remote" / "laptop")
    here.sent(json.dumps({"id": 1, "method": "tools/call", "params": {"arguments": {"paths": named}}}).encode())

    if ended:
        here.received(json.dumps({"id": 1, "result": {}}).encode())

    async def to_client(frame: bytes) -> None:
        here.take(frame)

    async def to_hub(frame: bytes) -> None:
        carrier.receive(frame)

    carrier = FrameCarrier(to_client)
    with carried_uploads(rules(home)) as kept:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(here.run, to_hub)
            yield CarriedFiles(rules=rules(home, uploads=uploads), carrier=carrier, uploads=kept)
            nursery.cancel_scope.cancel()


@attrs.define
class Dishonest:
    """A client that answers as it likes."""

    answer: Answer
    asked: list[wire.FromHub] = attrs.field(factory=list)

    def files(self, home: Path, kept: hub_files.CarriedUploads) -> CarriedFiles:
        async def send(frame: bytes) -> None:
            request = wire.FROM_HUB.decode(frame)
            self.asked.append(request)
            assert len(self.asked) < 1_000, "the hub does not stop asking"
            if not isinstance(request, wire.Discard):
                carrier.receive(wire.encode(self.answer(request)))

        carrier = FrameCarrier(send)
        return CarriedFiles(rules=rules(home), carrier=carrier, uploads=kept)


@pytest.fixture(autouse=True)
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of the agent's machine."""
    home = tmp_path / "agent"
    (home / "remote" / "laptop").mkdir(parents=True)
    home.chmod(0o700)
    monkeypatch.setenv("KAPTURE_HOME", str(home))
    return home


@pytest.mark.parametrize("size", [0, 1, wire.PIECE_BYTES, 2 * wire.PIECE_BYTES + 1])
async def test_file_comes_whole_in_both_directions(tmp_path: Path, agent: Path, size: int) -> None:
    mine = tmp_path / "report.bin"
    mine.write_bytes(bytes(range(251)) * (size // 251) + b"x" * (size % 251))
    async with carried(tmp_path, str(mine)) as files:
        here = await files.take(str(mine))
        assert (here.name, here.read_bytes()) == ("report.bin", mine.read_bytes())
        assert here.is_relative_to(tmp_path / "hub" / "uploads")
        kept = files.download_path("../../.bashrc")
        kept.write_bytes(mine.read_bytes())
        there = await files.hand(kept)
        assert {str(path): path.read_bytes() for path in (agent / "downloads").iterdir()} == {there: mine.read_bytes()}
        assert not kept.exists()
    assert not here.exists(), "the share has ended"


async def test_hub_gets_only_files_that_a_pending_call_names(tmp_path: Path, agent: Path) -> None:
    named, other, key = tmp_path / "named", tmp_path / "other", agent / "remote" / "laptop" / "hub.json"
    link, folder = tmp_path / "link", tmp_path / "folder"
    for path in (named, other, key):
        path.write_text("secret")
    link.symlink_to(key)
    folder.mkdir()
    async with carried(tmp_path, *map(str, (named, key, link, folder, tmp_path / "gone"))) as files:
        assert (await files.take(str(named))).read_text() == "secret"
        for path in (other, key, link, folder, tmp_path / "gone", tmp_path / "x" / ".." / "named"):
            with upload_fails():
                await files.take(str(path))


async def test_forbidden_uploads_are_not_even_fetched(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    async with carried(tmp_path, str(tmp_path / "mine"), uploads=False) as files:
        with pytest.raises(PolicyDenied):
            await files.take(str(tmp_path / "mine"))


@pytest.mark.parametrize(
    "path", ["/x/..", "/x/.", "/", "a\0b", "/x/a\u202eb", "/x/con", "x" * 300, "/x/a:b", "/x/\ud800"]
)
async def test_name_that_could_lead_elsewhere_is_refused(tmp_path: Path, path: str) -> None:
    client = Dishonest(lambda request: wire.Content(request.id, b"x", 1, 1))
    with carried_uploads(rules(tmp_path)) as kept, upload_fails():
        await client.files(tmp_path, kept).take(path)
    assert client.asked == []


@pytest.mark.parametrize("path", ["../../../../etc/x", "C:\\Users\\ann\\x", "/a/b/x", "~/x", "x"])
async def test_carried_file_stays_in_the_folder_of_the_share(tmp_path: Path, path: str) -> None:
    client = Dishonest(lambda request: wire.Content(request.id, b"x", 1, 1))
    with carried_uploads(rules(tmp_path)) as kept:
        here = await client.files(tmp_path, kept).take(path)
        assert here.name == "x"
        assert here.parent.parent == tmp_path / "hub" / "uploads" / "sent"


@pytest.mark.parametrize(
    "answer",
    [
        lambda request: wire.Content(request.id, b"xx", 1, 1),  # more than the file has
        lambda request: wire.Content(request.id, b"x" * 10, 2**50, 1),  # more than is carried
        lambda request: wire.Content(request.id, b"x", 10 + request.offset, 1),  # it grows
        lambda request: wire.Content(request.id, b"x", 10, request.offset),  # it changes
        lambda request: wire.Content(request.id, b"", 10, 1),  # it never ends
        lambda request: wire.Written(request.id, "/x"),
        lambda request: wire.Failed(request.id, "no"),
    ],
)
async def test_client_that_sends_something_else_leaves_nothing(tmp_path: Path, answer: Answer) -> None:
    client = Dishonest(answer)
    with carried_uploads(rules(tmp_path)) as kept:
        with upload_fails():
            await client.files(tmp_path, kept).take("/x/file")
        assert not [path for path in (tmp_path / "hub").rglob("*") if path.is_file()]


async def test_oldest_files_make_room_and_those_that_are_coming_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_files, "_MOST_KEPT_FILES", 2)
    with carried_uploads(rules(tmp_path)) as kept:
        with kept.coming(1) as first, kept.coming(1) as second, upload_fails(), kept.coming(1):
            raise AssertionError
        with kept.coming(1) as third:
            assert [folder.exists() for folder in (first, second, third)] == [False, True, True]
        with upload_fails(), kept.coming(2 * 1024**3):
            raise AssertionError


async def test_limits_hold_for_shares_together_that_one_machine_could_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_files, "_MOST_KEPT_FILES", 2)
    both: list[hub_files.CarriedUploads] = []
    with (
        carried_uploads(rules(tmp_path / "one"), lambda: both) as one,
        carried_uploads(rules(tmp_path / "two"), lambda: both) as two,
    ):
        both += [one, two]
        with one.coming(1) as first, one.coming(1):
            pass
        with upload_fails(), two.coming(1):
            raise AssertionError
        assert first.exists(), "what others have sent makes no room"


async def test_hub_writes_only_so_many_files_for_a_call(tmp_path: Path, agent: Path) -> None:
    async with carried(tmp_path, "x") as files:
        for number in range(wire.FILES_A_CALL):
            await files.carrier.write(number, "x", 1, b"x")
        with pytest.raises(DownloadFailed):
            await files.carrier.write(1_000, "x", 1, b"x")
    assert len(list((agent / "downloads").iterdir())) == wire.FILES_A_CALL


async def test_download_that_the_client_does_not_take_is_an_error_and_stays_nowhere(tmp_path: Path) -> None:
    client = Dishonest(lambda request: wire.Failed(request.id, "No space left on device"))
    with carried_uploads(rules(tmp_path)) as kept:
        files = client.files(tmp_path, kept)
        path = files.download_path("x.pdf")
        path.write_bytes(b"x")
        with pytest.raises(DownloadFailed, match="No space left"):
            await files.hand(path)
        assert not path.exists()
        assert isinstance(client.asked[-1], wire.Discard)


async def test_hub_that_writes_more_than_it_says_or_without_a_call_leaves_nothing(tmp_path: Path, agent: Path) -> None:
    async with carried(tmp_path, "x") as files:
        for _ in range(2):
            await files.carrier.write(1, "x", 3, b"x")
        with pytest.raises(KaptureError):
            await files.carrier.write(1, "x", 3, b"xx")
        await files.carrier.write(2, "unfinished", 3, b"x")
    async with carried(tmp_path, ended=True) as files:
        with pytest.raises(DownloadFailed):
            await files.carrier.write(1, "x", 1, b"x")
    assert not list((agent / "downloads").iterdir())
