"""One call as it is run, and what the records will say of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from kapture.commands.core.context import Progress
from kapture.commands.core.params import Arguments, decode_arguments
from kapture.commands.core.registry import Command, Scope, get_command
from kapture.commands.core.result import CallResult
from kapture.errors import ErrorCode, KaptureError
from kapture.hub.client import Client
from kapture.hub.running import Running
from kapture.hub.tab import Tab


@attrs.define(kw_only=True)
class CallEntry:
    """What the records will say of a call, as far as it is known: also of one that is refused at once."""

    command: str
    tab: Tab | None = None
    rule: str | None = None
    running: Running | None = None
    turn_came: float | None = None  # as `time.perf_counter` counts
    once: bool = False  # a person has allowed it, and only it
    answer: CallResult | None = None


@attrs.define(kw_only=True)
class Call:
    """One call of a command that there is, with arguments that fit. `shown` stands for arguments that hold a secret."""

    command: Command
    arguments: Arguments
    given: Mapping[str, Any]
    shown: Mapping[str, Any] | None = None
    client: Client
    progress: Progress
    entry: CallEntry
    running: Running = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.running = Running(
            command=self.command,
            params=self.arguments.params,
            shown=self.shown,
            client=self.client,
            timeout_ms=self.arguments.timeout_ms,
        )

    def step(self, tab: Tab, name: str, arguments: Mapping[str, Any]) -> Call:
        """A command that this one runs on the tab during its own turn; `INVALID_PARAMS` for one that it cannot."""
        command = get_command(name)
        if command.scope is not Scope.TAB or command.name == self.command.name:
            raise KaptureError(ErrorCode.INVALID_PARAMS, f"{command.name} cannot be a step of {self.command.name}.")
        given = {**arguments, "tabId": tab.tab_id}
        call = Call(
            command=command,
            arguments=decode_arguments(command, given),
            given=given,
            shown=None if self.shown is None else {},  # nothing of it is known to be without the secret
            client=self.client,
            progress=self.progress,
            entry=CallEntry(command=command.name, tab=tab),
        )
        call.running.call = self.running.call  # what is allowed once for a step ends with the whole call
        return call
