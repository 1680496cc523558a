"""Which envelopes a hub takes: those of its group, for it, of now, each once and in their order."""

from __future__ import annotations

import math
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapture.errors import KaptureError
from kapture.group import messages
from kapture.group.key import GroupKey, new_key, read_key
from kapture.group.messages import Cancel, Envelope, Inbox, Left, Refused
from tests.unit.group.machines import KEY

RUN, OTHER, THIRD = "a" * 32, "b" * 32, "c" * 32
NOW = 1_800_000_000.0


def envelope(number: int = 1, *bodies: messages.Body, sender: str = OTHER, **more: object) -> Envelope:
    fields = {"receiver": RUN, "sent": NOW, "again": False, **more}
    raw = [msgspec.Raw(messages.encode(body)) for body in bodies or (Cancel(number),)]
    return Envelope(sender=sender, number=number, bodies=raw, **fields)  # type: ignore[arg-type]


def sealed(*args: object, key: GroupKey = KEY, **more: object) -> bytes:
    return messages.sealed(key, envelope(*args, **more))  # type: ignore[arg-type]


def why_refused(inbox: Inbox, raw: bytes, now: float = NOW) -> str:
    with pytest.raises(Refused) as refused:
        inbox.open(raw, now)
    return refused.value.reason


def test_messages_arrive_as_they_were_sent() -> None:
    sent = (Cancel(7), Left("client-1"), messages.Awaited([1, 2]))
    assert Inbox(KEY, RUN).open(sealed(1, *sent), NOW) == (OTHER, list(sent))


def test_message_of_a_member_with_another_key_is_refused() -> None:
    assert why_refused(Inbox(KEY, RUN), sealed(key=GroupKey("team", bytes(32)))) == "signature"


@given(place=st.integers(0, 10_000), bit=st.integers(0, 7))
def test_message_that_was_changed_anywhere_is_refused(place: int, bit: int) -> None:
    raw = bytearray(sealed(1, Left("client-1")))
    raw[place % len(raw)] ^= 1 << bit
    assert why_refused(Inbox(KEY, RUN), bytes(raw)) == "signature"


def test_message_for_another_hub_is_refused() -> None:
    assert why_refused(Inbox(KEY, THIRD), sealed()) == "receiver"


@pytest.mark.parametrize("sent", [NOW - 31, NOW + 31, math.nan, math.inf])
def test_message_of_another_time_is_refused(sent: float) -> None:
    assert why_refused(Inbox(KEY, RUN), sealed(sent=sent)) == "clock"


def test_message_of_a_clock_that_differs_by_less_is_taken() -> None:
    assert Inbox(KEY, RUN).open(sealed(1, sent=NOW - 29), NOW)[1]


def test_message_that_comes_again_or_after_a_later_one_is_refused() -> None:
    inbox = Inbox(KEY, RUN)
    assert inbox.open(sealed(2), NOW)[1] == [Cancel(2)]
    assert why_refused(inbox, sealed(2)) == why_refused(inbox, sealed(1)) == "number"
    assert inbox.open(sealed(1, sender=THIRD), NOW)[1] == [Cancel(1)]


def test_message_sent_again_for_safety_is_dropped_without_a_report() -> None:
    inbox = Inbox(KEY, RUN)
    inbox.open(sealed(1), NOW)
    assert inbox.open(sealed(1, again=True), NOW) == (OTHER, [])
    assert inbox.open(sealed(2, again=True), NOW)[1] == [Cancel(2)]


@pytest.mark.parametrize(
    "content", [b"", b"\xc1", msgspec.msgpack.encode([1, 2]), msgspec.msgpack.encode("x" * 600_000)]
)
def test_signed_content_that_is_no_envelope_is_refused(content: bytes) -> None:
    assert why_refused(Inbox(KEY, RUN), KEY.sign(b"message", content) + content) == "unreadable"


def test_envelope_with_an_unreadable_message_is_refused_whole() -> None:
    broken = envelope(1, Cancel(1))
    broken.bodies.append(msgspec.Raw(msgspec.msgpack.encode(["format", 1])))
    assert why_refused(Inbox(KEY, RUN), messages.sealed(KEY, broken)) == "unreadable"


@given(data=st.data())
def test_each_message_is_taken_at_most_once_and_in_order(data: st.DataObject) -> None:
    """Whatever a server does: drop, repeat, delay, reorder; with clocks that differ, and hubs that forget."""
    inbox, now, taken = Inbox(KEY, RUN), NOW, list[tuple[str, int]]()
    sent = [(sender, number, NOW + 10 * number) for number in range(1, 8) for sender in (OTHER, THIRD)]
    for _ in range(data.draw(st.integers(0, 30))):
        now += data.draw(st.sampled_from([0, 0.1, 5, 31, 62]))
        inbox.forget(now)
        sender, number, at = data.draw(st.sampled_from(sent))
        if at > now + 30:
            continue  # its clock differs by no more than that
        try:
            _, bodies = inbox.open(sealed(number, sender=sender, sent=at, again=data.draw(st.booleans())), now)
        except Refused:
            continue
        taken += [(sender, number)] if bodies else []
    for sender in (OTHER, THIRD):
        numbers = [number for of, number in taken if of == sender]
        assert numbers == sorted(set(numbers))


def test_messages_to_one_hub_are_divided_into_envelopes_of_a_limited_size() -> None:
    bodies = [bytes(100_000)] * 5
    assert [len(batch) for batch in messages.in_envelopes(bodies)] == [2, 2, 1]


def test_key_file_is_readable_by_its_owner_alone_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "team.key"
    new_key("team", path)
    assert path.stat().st_mode & 0o777 == 0o600
    key = read_key(path)
    assert (key.name, len(key.key)) == ("team", 32)
    assert repr(key) == "GroupKey(name='team')"
    with pytest.raises(KaptureError, match="exists"):
        new_key("team", path)
    path.parent.chmod(0o755)  # as a home folder
    link = tmp_path / "link.key"
    link.symlink_to(path)
    assert read_key(link) == key
    path.chmod(0o644)
    with pytest.raises(KaptureError, match=r"UNAUTHORIZED.*run `chmod 600` on it"):
        read_key(path)
    path.chmod(0o600)
    path.parent.chmod(0o777)
    with pytest.raises(KaptureError, match="may replace files in"):
        read_key(path)


def test_key_file_that_is_not_there_can_be_made(tmp_path: Path) -> None:
    with pytest.raises(KaptureError, match=r"there is no such file.*kapture group new"):
        read_key(tmp_path / "none.key")


@pytest.mark.parametrize("content", [b"", b"{}", b'{"group":"team","key":"AAAA"}', b'{"group":"Te am","key":"AAAA"}'])
def test_file_that_is_no_key_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "team.key"
    path.touch(0o600)
    path.write_bytes(content)
    with pytest.raises(KaptureError, match="Copy the file from another machine"):
        read_key(path)
