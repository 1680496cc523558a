"""One call while it runs, and what is recorded of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from kapture.commands.core.context import Progress, StepPage
from kapture.commands.core.params import Arguments, decode_arguments
from kapture.commands.core.registry import Command, Scope, get_command
from kapture.commands.core.result import CallResult
from kapture.errors import ErrorCode, KaptureError
from kapture.hub.client import Client
from kapture.hub.tabs.running import Running
from kapture.hub.tabs.tab import Tab


@attrs.define(kw_only=True)
class CallEntry:
    """What is recorded of a call, as far as it is known; also of a call that is refused at once."""

    command: str
    tab: Tab | None = None
    rule: str | None = None
    running: Running | None = None
    turn_came: float | None = None  # `time.perf_counter()`, in seconds
    once: bool = False  # a person has allowed this call alone
    answer: CallResult | KaptureError | None = None


@attrs.define(kw_only=True)
class Call:
    """One call of an existing command with valid arguments. `shown` replaces arguments that hold a secret, in
    records. `page`: it is a step that settles as it would alone."""

    command: Command
    arguments: Arguments
    given: Mapping[str, Any]
    shown: Mapping[str, Any] | None = None
    page: StepPage | None = None
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

    def step(self, tab: Tab, name: str, arguments: Mapping[str, Any], page: StepPage | None = None) -> Call:
        """A call that this one makes on the tab during its own turn; `INVALID_PARAMS` for a command that cannot be a
        step."""
        command = get_command(name)
        if command.scope is not Scope.TAB or command.name == self.command.name:
            raise KaptureError(ErrorCode.INVALID_PARAMS, f"{command.name} cannot be a step of {self.command.name}.")
        given = {**arguments, "tabId": tab.tab_id}
        call = Call(
            command=command,
            arguments=decode_arguments(command, given),
            given=given,
            page=page,
            shown=None if self.shown is None else {},  # any of the step's arguments may hold the secret
            client=self.client,
            progress=self.progress,
            entry=CallEntry(command=command.name, tab=tab),
        )
        call.running.call = self.running.call  # a permission for one call ends with the whole call, not with a step
        return call
