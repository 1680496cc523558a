"""The messages between the hubs of a group, and the rules by which one is taken. No I/O.

What a hub has for another one is gathered into an **envelope**: msgpack, signed with the group's key, with its sender,
receiver, number and time. An envelope is taken only if the signature holds, it is for this hub, its time is within 30 s
of this machine's clock, and its number is greater than the last one of its sender. So none is taken twice or late or
out of order, whoever sends it again: since one process alone reads what is for a run, nothing else is needed for a call
to run at most once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, Literal, TypeAlias

import attrs
import msgspec
from msgspec import Meta, Struct

from kapture.commands.core.answer import Answer, Blob, CallResult, Said
from kapture.errors import ErrorCode, KaptureError
from kapture.group.key import GroupKey
from kapture.policy.shown import escaped

CLOCK_S = 30.0
"""How far the clocks of two machines may differ, and how old an envelope may be, in seconds."""
FORGET_S = 2 * CLOCK_S + 1
"""Seconds after which the number of a hub that is silent may be forgotten: all that it sent is late by then."""
LARGE_BYTES = 128 * 1024
"""Larger messages travel in chunks beside the envelope."""
CHUNK_BYTES = 512 * 1024
MOST_BYTES = 64 * 2**20
_MOST_SAID = 2_000
_MOST_SENDERS = 10_000
_MOST_BODIES = 1_000
_Calls: TypeAlias = Annotated[list[int], Meta(max_length=10_000)]
_ENVELOPE_BYTES = 256 * 1024
_MOST_ENVELOPE_BYTES = 2**20  # a piece of a file, which is its own chunk, is larger than others
_SIGNATURE = 32

_Run: TypeAlias = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}\Z")]
_Name: TypeAlias = Annotated[str, Meta(max_length=200)]
_Amount: TypeAlias = Annotated[float, Meta(ge=0, le=1e15)]
_MEDIA_TYPE = re.compile(r"[a-z]+/[a-z0-9.+-]{1,100}")


class _Message(Struct, array_like=True, forbid_unknown_fields=False):
    """Positional: a later version adds fields at the end."""


class Agent(_Message):
    """The client that calls, as its own hub knows it. `session`: a secret that stands for its session there; `lasting`:
    tabs that it opens are its own."""

    id: _Name
    machine: Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9._-]{0,39}\Z")]
    name: _Name
    title: _Name
    session_name: _Name
    session: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
    version: _Name
    lasting: bool


class Call(_Message, tag="call"):
    """Run this command. `arguments`: JSON."""

    call: int
    agent: Agent
    command: _Name
    arguments: bytes
    progress: bool


class Picture(_Message):
    """A binary part of an answer."""

    mime_type: str
    name: str
    content: bytes


class Answered(_Message, tag="answer"):
    """What a call has answered (`CallResult`). `data`: JSON."""

    call: int
    text: str
    data: bytes
    parts: list[Picture]
    untrusted: bool
    url: str | None
    has_fields: bool
    new_document: bool
    did: str
    said: list[tuple[str, str]]
    exact: bool


class Failed(_Message, tag="failure"):
    """How a call has failed. `data`: JSON."""

    call: int
    code: str
    message: str
    hint: str
    data: bytes
    quotes_page: bool


class Reported(_Message, tag="progress"):
    """How far a call is."""

    call: int
    done: _Amount
    total: _Amount | None
    message: str


class Cancel(_Message, tag="cancel"):
    """Nobody waits for this call any more."""

    call: int


class Left(_Message, tag="left"):
    """This client has left."""

    agent: _Name


class Awaited(_Message, tag="awaited"):
    """The sender waits for these calls, and for no others. Answered with `Unknown`."""

    calls: _Calls


class Unknown(_Message, tag="unknown"):
    """Of the calls that the receiver waits for, these do not run here."""

    calls: _Calls


class FilesAsked(_Message, tag="files_asked"):
    """A frame of `kapture.wire.files` to the receiver's agent: its hub answers it with `FilesAnswered`."""

    agent: _Name
    frame: bytes


class FilesAnswered(_Message, tag="files_answered"):
    """The answer."""

    agent: _Name
    frame: bytes


class Large(_Message, tag="large"):
    """A message on this call that has been left at the server in chunks."""

    call: int
    is_call: bool
    chunks: list[Annotated[str, Meta(pattern=r"^[0-9a-f]{32}\Z")]]
    size: int
    sha256: bytes


Body: TypeAlias = (
    Call | Answered | Failed | Reported | Cancel | Left | Awaited | Unknown | FilesAsked | FilesAnswered | Large
)
End: TypeAlias = Answered | Failed
_BODY: msgspec.msgpack.Decoder[Body] = msgspec.msgpack.Decoder(Body)


class Envelope(_Message):
    """What one hub sends another at once. `sent`: Unix seconds. `again`: it may have come already, since its sender has
    lost the connection to the server."""

    receiver: _Run
    sender: _Run
    number: int
    sent: float
    again: bool
    bodies: Annotated[list[msgspec.Raw], Meta(max_length=_MOST_BODIES)]


_ENVELOPE: msgspec.msgpack.Decoder[Envelope] = msgspec.msgpack.Decoder(Envelope)
_ENCODER = msgspec.msgpack.Encoder()
encode = _ENCODER.encode
Reason: TypeAlias = Literal["signature", "unreadable", "receiver", "clock", "number", "senders"]

WHY: dict[Reason, str] = {
    "signature": "it is not signed with the group's key",
    "unreadable": "it cannot be read",
    "receiver": "it is for another hub",
    "clock": f"its time differs from this machine's clock by more than {CLOCK_S:g} s",
    "number": "it has come before, or out of order",
    "senders": "too many hubs send",
}
"""Why an envelope is not taken."""


class Refused(Exception):  # noqa: N818  named as what it says of an envelope
    """An envelope is not taken. `sender`: the run that it names, if its signature holds."""

    def __init__(self, reason: Reason, sender: str = "") -> None:
        super().__init__(WHY[reason])
        self.reason: Reason = reason
        self.sender = sender


def sealed(key: GroupKey, envelope: Envelope) -> bytes:
    """An envelope as it travels."""
    content = encode(envelope)
    return key.sign(b"message", content) + content


def in_envelopes(bodies: Sequence[bytes]) -> Iterator[list[bytes]]:
    """Messages to one hub, in their order, as many at a time as an envelope holds."""
    batch, size = list[bytes](), 0
    for body in bodies:
        if batch and (size + len(body) > _ENVELOPE_BYTES or len(batch) == _MOST_BODIES):
            yield batch
            batch, size = [], 0
        batch.append(body)
        size += len(body)
    if batch:
        yield batch


def decode_body(raw: bytes | msgspec.Raw) -> Body:
    """A message; `Refused` if it is none."""
    try:
        return _BODY.decode(raw)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise Refused("unreadable") from error


@attrs.define
class Inbox:
    """Opens the envelopes for one hub, `run`. `elapsed`: seconds that pass whatever is done to this machine's clock, by
    which the numbers of hubs are forgotten; by default those of the clock."""

    key: GroupKey
    run: str
    elapsed: Callable[[], float] | None = None
    _last: dict[str, tuple[int, float, float]] = attrs.field(factory=dict)  # number, when it came, when it was sent
    _forgotten: float = -math.inf  # when the last one of a hub that is forgotten was sent

    def open(self, raw: bytes, now: float) -> tuple[str, list[Body]]:
        """The sender and the messages of an envelope that comes now (Unix seconds); none if its sender has sent it
        twice for safety. `Refused` if it is not taken."""
        signature, content = raw[:_SIGNATURE], raw[_SIGNATURE:]
        if len(content) > _MOST_ENVELOPE_BYTES:
            raise Refused("unreadable")
        if not self.key.verify(b"message", content, signature):
            raise Refused("signature")
        try:
            envelope = _ENVELOPE.decode(content)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            raise Refused("unreadable") from error
        sender = envelope.sender
        if envelope.receiver != self.run:
            raise Refused("receiver", sender)
        if not abs(envelope.sent - now) <= CLOCK_S:
            raise Refused("clock", sender)
        last, _, _ = self._last.get(sender, (0, 0.0, 0.0))
        if not last and envelope.sent <= self._forgotten:  # this machine's clock has been set back
            raise Refused("clock", sender)
        if not last and len(self._last) >= _MOST_SENDERS:
            raise Refused("senders", sender)
        if envelope.number <= last:
            if envelope.again:
                return sender, []
            raise Refused("number", sender)
        try:
            bodies = [decode_body(body) for body in envelope.bodies]
        except Refused as refused:
            raise Refused(refused.reason, sender) from refused
        self._last[sender] = (envelope.number, now if self.elapsed is None else self.elapsed(), envelope.sent)
        return sender, bodies

    def heard(self, sender: str) -> bool:
        """Whether this hub has sent an envelope that was taken and is not forgotten."""
        return sender in self._last

    def forget(self, now: float) -> None:
        """Drop the numbers of hubs that have been silent for `FORGET_S`."""
        if self.elapsed is not None:
            now = self.elapsed()
        for sender, (_, at, sent) in list(self._last.items()):
            if abs(now - at) > FORGET_S:
                self._forgotten = max(self._forgotten, sent)
                del self._last[sender]


# --- answers ------------------------------------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class FromElsewhere(Answer):
    """The answer of a command that another machine has run, whose facts are in the result's `data`."""

    line: str

    def text(self) -> str:
        """The text as it came."""
        return self.line


@attrs.frozen(kw_only=True)
class ExactFromElsewhere(FromElsewhere):
    """The same, of a value that was asked for."""

    exact = True


def answered(call: int, result: CallResult) -> Answered:
    """The message for a result."""
    return Answered(
        call=call,
        text=result.text,
        data=msgspec.json.encode(result.data),
        parts=[Picture(part.mime_type, part.name, part.content()) for part in result.parts],
        untrusted=result.untrusted,
        url=result.url,
        has_fields=result.has_fields,
        new_document=result.new_document,
        did=result.did,
        said=[(one.line, one.about) for one in result.said],
        exact=result.answer.exact,
    )


def failed(call: int, error: KaptureError) -> Failed:
    """The message for an error."""
    data = msgspec.json.encode(error.data)
    return Failed(call, error.code.value, error.message, error.hint, data, error.quotes_page)


def result_of(end: End, machine: str) -> CallResult:
    """The result in such a message; raises the error in it. `Refused` if it cannot be read.

    It is this machine's word, and its person's, whatever it says of itself: its text, errors and hints are marked as
    those of pages are, and its person's lines as that machine's.
    """
    try:
        data = msgspec.json.decode(end.data, type=dict[str, Any])
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise Refused("unreadable") from error
    if isinstance(end, Failed):
        code = ErrorCode(end.code) if end.code in ErrorCode.__members__ else ErrorCode.EXECUTION_ERROR
        message = f"{end.message} {end.hint}".strip()
        raise KaptureError(code, message, hint=f"So says the machine {machine}.", data=data, quotes_page=True)
    answer = ExactFromElsewhere if end.exact else FromElsewhere
    return CallResult(
        answer=answer(line=end.text),
        text=end.text,
        data=data,
        parts=tuple(
            Blob.of(
                part.content,
                part.mime_type if _MEDIA_TYPE.fullmatch(part.mime_type) else "application/octet-stream",
                escaped(part.name[:200]),
            )
            for part in end.parts
        ),
        untrusted=True,
        url=end.url,
        has_fields=end.has_fields,
        new_document=end.new_document,
        did=end.did,
        said=tuple(Said(f"On the machine {machine}: {_in_line(line)}", about) for line, about in end.said),
    )


def _in_line(text: str) -> str:
    return " ".join(escaped(text[:_MOST_SAID]).split())
