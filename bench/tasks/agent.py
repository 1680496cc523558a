"""An agent that makes no mistakes: it follows a script and takes refs from the answers it got."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import attrs
from mcp import Client

from tests.support.stack import text_of

_REF = re.compile(r"ref=((?:f\d+)?e\d+)")


@attrs.define
class Agent:
    """One client. `answered` and `sent` are characters, `calls` tool calls."""

    client: Client
    calls: int = 0
    answered: int = 0
    sent: int = 0
    log: list[str] = attrs.field(factory=list)
    _shown: list[str] = attrs.field(factory=list)

    async def call(self, tool: str, **arguments: Any) -> str:
        """Call a tool that must succeed; its text. `snapshot` is left to the default of the command."""
        result = await self.client.call_tool(f"kapturemcp_{tool}", arguments)
        text = text_of(result)
        self.calls += 1
        self.answered += len(text)
        self.sent += len(json.dumps(arguments))
        self.log.append(f">>> {tool} {json.dumps(arguments, ensure_ascii=False)}\n{text}")
        if result.is_error:
            raise LookupError(f"{tool} {arguments}: {text}")
        self._shown.append(text)
        return text

    def ref(self, line: str) -> dict[str, str]:
        """A target from the newest answer that matches the pattern: its group, or the first ref after it."""
        for text in reversed(self._shown):
            if (found := re.search(line, text)) and found.groups():
                return {"ref": found[1]}
            if (found := re.search(line, text)) and (ref := _REF.search(text, found.end())):
                return {"ref": ref[1]}
        raise LookupError(f"nothing like {line!r} was shown")


@attrs.frozen
class Cost:
    """The cost of one task."""

    task: str
    calls: int
    answered: int
    sent: int


def total(costs: Sequence[Cost]) -> Cost:
    """The sum."""
    return Cost(
        "all",
        sum(cost.calls for cost in costs),
        sum(cost.answered for cost in costs),
        sum(cost.sent for cost in costs),
    )
