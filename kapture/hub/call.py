"""One call as it is run, and what the records will say of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from kapture.commands.core.context import Progress
from kapture.commands.core.params import Arguments
from kapture.commands.core.registry import Command
from kapture.commands.core.result import CallResult
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
    """One call of a command that there is, with arguments that fit."""

    command: Command
    arguments: Arguments
    given: Mapping[str, Any]
    client: Client
    progress: Progress
    entry: CallEntry
    running: Running = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.running = Running(
            command=self.command,
            params=self.arguments.params,
            client=self.client,
            timeout_ms=self.arguments.timeout_ms,
        )
