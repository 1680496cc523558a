"""The messages between the hub and the panel of a tab: commands that the panel runs, and what ran on the tab."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from msgspec import Meta

from kapture.wire.envelope import Message, MessageId, Part, WireError

# --- panel to hub ----------------------------------------------------------------------------------------------------


class Invoke(Message, tag="invoke"):
    """The panel runs a command on its own tab, through the same queue. Answered with `result`."""

    id: MessageId
    command: str
    params: dict[str, Any] = {}


class CancelInvoke(Message, tag="cancel"):
    """The panel takes its `invoke` back."""

    id: MessageId


class ListCommands(Message, tag="list_commands"):
    """The panel asks which commands there are, with their schemas. Answered with `result`."""

    id: MessageId


class GetCall(Message, tag="get_call"):
    """The panel asks for the arguments and the answer of a call that `activity` named. Answered with `result`."""

    id: MessageId
    call: Annotated[str, Meta(max_length=128)]


FromPanel: TypeAlias = Invoke | CancelInvoke | ListCommands | GetCall


# --- hub to panel ----------------------------------------------------------------------------------------------------


class Result(Message, tag="result"):
    """The answer to `invoke`, `list_commands` and `get_call`."""

    id: MessageId
    success: bool
    result: dict[str, Any] | None = None
    error: WireError | None = None


class Progress(Message, tag="progress"):
    """How far an `invoke` is: `done` of `total`, in any unit. None comes after its `result`."""

    id: MessageId
    done: float
    total: float | None = None
    message: str = ""


class RecordedStep(Part):
    """A step of a recording; `value` where it can be changed, of a secret only its name."""

    id: str
    title: str
    value: str | None = None
    secret: str | None = None


class RecordingState(Part):
    """`going`: what is done on the tab is being recorded."""

    going: bool
    steps: list[RecordedStep]
    left_out: int = 0
    full: str = ""


class Recording(Message, tag="recording"):
    """The unsaved recording of the tab; without `state` there is none."""

    state: RecordingState | None = None


class EndedCommand(Part):
    """A command that has ended. `outcome` is `ok` or an error code; `call` names the call for `get_call`.

    `durationMs` counts from `startedAt`; `waitedMs`, a part of it, is how long the command waited for its turn, absent
    when that never came. `did` says what an action has done, with the names of elements and their values, without
    passwords and other secrets. Of the arguments only what may be kept in the audit log is there.
    """

    command: str
    client: str
    started_at: str
    duration_ms: float
    outcome: str
    message: str = ""
    call: str = ""
    waited_ms: float | None = None
    did: str = ""
    arguments: dict[str, Any] = {}


class RunningCommand(Part):
    """A command that runs; `does`: what that is, in a person's words, where it acts."""

    command: str
    client: str
    does: str = ""


class Activity(Message, tag="activity"):
    """Commands ended on this tab, oldest first, for the panel's history; and those that run now."""

    entries: list[EndedCommand]
    running: list[RunningCommand] = []
