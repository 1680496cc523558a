"""Growing inputs for every parameter of every command, and as answers of a tab: no step of the hub's loop is long."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import trio

from kapture.commands.core.registry import Command, Scope, all_commands
from kapture.errors import KaptureError
from kapture.hub.loop_watch import LoopWatch
from tests.unit.hub.simulated import world

LONGEST_S = 1.0
_TEXTS = (" ", "a/", ".{", "for(", "*?", "{e1}", "é\u0301\u0316", "</", "%2e", ":(", "[a=", "\\")
_EXAMPLES = {"string": "a", "integer": 1, "number": 1, "boolean": True, "array": [], "object": {}}
_NOT_CALLED = {"request_tab"}  # it waits for the person


def values(size: int) -> Iterator[Any]:
    """Texts of that many characters, lists and objects of that many parts, and deep ones."""
    for text in _TEXTS:
        yield text * (size // len(text))
    yield "iVBORw0KGgo" + " " * size
    yield ["a*"] * (size // 10)
    yield [{"ref": "e1", "value": "a" * 20, "command": "click", "arguments": {}}] * (size // 60)
    yield {f"k{number}": "a" for number in range(size // 10)}
    yield json.loads('{"a":' * 300 + "[" * 300 + "]" * 300 + "}" * 300)


def calls(size: int) -> Iterator[tuple[Command, dict[str, Any], str]]:
    """A call for each parameter and value, with the others as simple as they may be, and what it is called."""
    for command in all_commands():
        if command.name in _NOT_CALLED or command.name.startswith("t_"):
            continue
        own = _schema(command)
        simple = simple_arguments(command)
        for name in own["properties"]:
            for value in values(size):
                yield (
                    command,
                    {**simple, name: value},
                    f"{command.name} {name} {repr(value[:2] if isinstance(value, str | list) else value)[:12]}",
                )


def simple_arguments(command: Command) -> dict[str, Any]:
    """Arguments as simple as they may be."""
    own = _schema(command)
    return {name: _example(own["properties"][name]) for name in own.get("required", ())}


def _schema(command: Command) -> dict[str, Any]:
    schema = msgspec.json.schema(command.params)
    own: dict[str, Any] = schema["$defs"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    return own


def _example(schema: Mapping[str, Any]) -> Any:
    for option in (schema, *schema.get("anyOf", ())):
        if "enum" in option:
            return option["enum"][0]
        if option.get("type") in _EXAMPLES:
            return (
                max(_EXAMPLES[option["type"]], option.get("minimum", 0))
                if option["type"] == "integer"
                else (_EXAMPLES[option["type"]])
            )
    return "e1"


async def slow_parameters(home: Path, size: int) -> dict[str, float]:
    """Calls that held the loop for more than `LONGEST_S` of processor time, and how long."""
    slow = {}
    watch = LoopWatch(time.thread_time)  # other processes take time too
    async with world(home) as there:
        there.leave.enter_context(watch.watching())
        tab = await there.tab(grant={"sites": ["*"], "level": "full"})
        there.nursery.start_soon(tab.answer_all)
        for command, arguments, name in calls(size):
            await trio.lowlevel.checkpoint()  # making the input is no part of the step
            watch.longest_s = 0.0
            on = {"tabId": "tab1"} if command.scope is Scope.TAB else {}
            with trio.move_on_after(5), suppress(KaptureError):
                await there.hub.call(there.client, command.name, {**arguments, **on})
            if watch.longest_s > LONGEST_S:
                slow[name] = watch.longest_s
    return slow


async def slow_answers(home: Path, size: int) -> dict[str, float]:
    """The same for what a self-executing tab answers."""
    slow = {}
    watch = LoopWatch(time.thread_time)
    async with world(home) as there:
        there.leave.enter_context(watch.watching())
        tab = await there.tab(grant={"sites": ["*"], "level": "full"})
        answer: list[Any] = [None]

        async def answer_all() -> None:
            while (message := await tab.receive("command", "closed"))["type"] == "command":
                await tab.answer(message, answer[0])

        there.nursery.start_soon(answer_all)
        for command in all_commands():
            if command.scope is not Scope.TAB or command.name.startswith("t_"):
                continue
            arguments = {"tabId": "tab1", **simple_arguments(command)}
            for value in values(size):
                for sent in (value, {"url": value, "title": value, "value": value, "data": value}):
                    await trio.lowlevel.checkpoint()
                    answer[0], watch.longest_s = sent, 0.0
                    with trio.move_on_after(1), suppress(KaptureError):
                        await there.hub.call(there.client, command.name, arguments)
                    if watch.longest_s > LONGEST_S:
                        slow[f"{command.name} {repr(value[:2] if isinstance(value, str | list) else value)[:12]}"] = (
                            watch.longest_s
                        )
    return slow
