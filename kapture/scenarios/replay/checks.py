"""Checks of a scenario: what is expected, and what was found instead."""

from __future__ import annotations

from typing import Any

import attrs
import trio

from kapture.commands.core.context import HubCall
from kapture.errors import CommandTimeout, ElementNotFound, ErrorCode, RefExpired
from kapture.scenarios.model import Check, StepTarget

_TIMEOUT_MS = 5_000.0
_LOOK_EVERY_S = 0.1
_MOST_TEXT = 200_000
_MOST_SHOWN = 1_000
"""Characters of what was found that a report repeats."""
_WAITS = {"visible": "visible", "hidden": "hidden", "gone": "gone"}
_STATES = {"checked": ("checked", True), "unchecked": ("checked", False), "disabled": ("disabled", True)}


class CheckFailedError(Exception):
    """A check failed. Expected and found values are shown to people."""

    def __init__(self, expected: str, found: str) -> None:
        super().__init__(f"expected {expected}, found {found}")
        self.expected = expected
        self.found = found


@attrs.frozen(kw_only=True)
class Checker:
    """Runs checks on one tab. `log_cursor`: the console log's cursor at the start of the run."""

    call: HubCall
    tab_id: str
    log_cursor: int

    async def check(self, check: Check, targets: list[StepTarget], timeout_ms: float | None) -> None:
        """Return when the check holds; `CheckFailedError` if it does not within the timeout."""
        limit_ms = timeout_ms or _TIMEOUT_MS
        target = targets[0].as_argument() if targets else None
        kind, expected = check.kind, check.expected
        if kind == "url":
            await self._wait({"url": str(expected)}, f"URL {expected}", limit_ms)
        elif kind in ("text", "no_text") and target is None:
            name = "text" if kind == "text" else "text_gone"
            await self._wait({name: str(expected)}, f"{'' if kind == 'text' else 'no '}text {expected!r}", limit_ms)
        elif kind == "state" and expected in _WAITS:
            await self._wait({"target": target, "state": _WAITS[str(expected)]}, f"state {expected}", limit_ms)
        elif kind == "no_console_error":
            await self._no_errors()
        else:
            await self._poll(check, target or {}, limit_ms)

    async def _wait(self, condition: dict[str, Any], expected: str, timeout_ms: float) -> None:
        try:
            await self.call("wait_for", {"tabId": self.tab_id, "timeout": timeout_ms, "snapshot": "none", **condition})
        except CommandTimeout as error:
            found = "; ".join(map(str, error.data.get("unmet") or [])) or error.message
            raise CheckFailedError(expected, found) from error

    async def _no_errors(self) -> None:
        answer = await self.call("logs", {"tabId": self.tab_id, "since": self.log_cursor, "level": "error", "max": 5})
        if entries := answer.data["entries"]:
            raise CheckFailedError("no console error", "; ".join(entry["message"][:200] for entry in entries))

    async def _poll(self, check: Check, target: dict[str, Any], timeout_ms: float) -> None:
        """Repeat the check: no command waits for a value or a count. The element may come late, or be replaced."""
        expected = check.expected
        found = "no answer in time"
        with trio.move_on_after(timeout_ms / 1_000):
            while True:
                try:
                    seen = await self._look(check, target)
                    if _fits(check.kind, expected, seen):
                        return
                    found = _shown(seen)
                except (ElementNotFound, RefExpired):
                    found = "no such element"
                await trio.sleep(_LOOK_EVERY_S)
        raise CheckFailedError(f"{check.kind} {expected!r}", found)

    async def _look(self, check: Check, target: dict[str, Any]) -> Any:
        if check.kind in ("text", "no_text"):
            arguments = {"tabId": self.tab_id, "target": target, "max_chars": _MOST_TEXT}
            return (await self.call("get_text", arguments)).data["content"]
        answer = await self.call("elements", {"tabId": self.tab_id, "target": target, "max": 1})
        if check.kind == "count":
            return answer.data["total"]
        if not answer.data["elements"]:
            raise ElementNotFound(ErrorCode.ELEMENT_NOT_FOUND, "There is no such element.")
        element = answer.data["elements"][0]
        if check.kind == "value":
            return await self._value(element["ref"])
        states = element["states"]
        if check.expected == "enabled":
            return "disabled" if states.get("disabled") else "enabled"
        if check.expected == "focused":
            return "focused" if states.get("focused") or states.get("active") else "not focused"
        name, wanted = _STATES[str(check.expected)]
        return check.expected if bool(states.get(name)) is wanted else f"{'not ' if wanted else ''}{name}"

    async def _value(self, ref: str) -> str:
        answer = await self.call(
            "snapshot", {"tabId": self.tab_id, "format": "json", "root": {"ref": ref}, "max_chars": 5_000}
        )
        node = (answer.data.get("tree") or {}).get("tree") or {}
        return str(node.get("value", ""))


def _fits(kind: str, expected: Any, found: Any) -> bool:
    if kind in ("text", "no_text"):
        return (str(expected) in str(found)) is (kind == "text")
    return found == expected or str(found) == str(expected)


def _shown(found: Any) -> str:
    text = found[:_MOST_SHOWN] if isinstance(found, str) else found
    return f"{text!r}" if text == found else f"{text!r}… ({len(found):,} characters)"
