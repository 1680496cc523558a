"""One script of a client: run in the page's main world, with its value as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib.resources import files
from typing import Any

import attrs

from kapture.cdp import Condition, PendingReply, Skipped
from kapture.commands.core.answer import Answer
from kapture.commands.core.deadline import remaining_ms
from kapture.errors import DialogOpen, ErrorCode, KaptureError
from kapture.page.documents.frame import ContextGone, ExecutionContext, Frame, WaitForReply
from kapture.page.remote_objects import GROUP, element_of, handle_in, release

LIMIT = 256 * 1024


@attrs.frozen(kw_only=True)
class Evaluated(Answer):
    """The value. `type` is its JavaScript type or class ("undefined", "number", "Map", …).

    DOM nodes are described with refs. `truncated`: parts beyond 256 kB were left out.
    """

    exact = True

    value: Any
    type: str
    truncated: bool = False

    def text(self) -> str:
        """Strings as they are, except the empty one as `""`; everything else as JSON."""
        if self.type == "undefined":
            return "undefined"
        is_text = isinstance(self.value, str) and self.value != ""
        shown = self.value if is_text else json.dumps(self.value, ensure_ascii=False)
        return f"{shown}\n(cut: the value is larger than {LIMIT // 1024} kB)" if self.truncated else shown


_NODE = "kapture:node"
_FRAME = "\n    at "
_SHOWN_CHARS = 30  # of the code, on either side of a syntax error
_CALL = "((code, describe, ...rest) => describe(code, ...rest))(async () => "
_CALL_WITH_ELEMENT = "function (element) { return " + _CALL.replace("async ()", "async (element)")

# Code written as a function to call, as many clients do: `() => document.title`, `async function (element) {…}`.
_FUNCTION = re.compile(r"\s*(async\b\s*)?(function\b|\([^()]*(\([^()]*\)[^()]*)*\)\s*=>|[A-Za-z_$][\w$]*\s*=>)")
_ANONYMOUS = re.compile(r"<anonymous>:(\d+):\d+")

# How to get the nodes that a described value refers to.
_NODES = {
    "serialization": "deep",
    "maxDepth": 1,
    "additionalParameters": {"maxNodeDepth": 0, "includeShadowTree": "none"},
}


class Script:
    """One script, tried in order as an expression, as statements, and as a function body.

    `wait` waits for the replies to commands that run the code. `holds`: it has created handles of the page's objects,
    which keep them alive. `sent` is the reply to the first attempt, if `begin` has sent it already.
    """

    def __init__(
        self,
        frame: Frame,
        context: ExecutionContext,
        code: str,
        *,
        wait: WaitForReply,
        element: int | None = None,
        runner: str | None = None,
        sent: PendingReply | None = None,
    ) -> None:
        self._frame = frame
        self._context = context
        self._code = code
        self._wait = wait
        self._element = element
        self.holds = element is not None
        self._runner = runner or runner_source(_RUN)
        self._sent = sent
        self._as_function_only = element is not None or runner is not None

    async def run(self) -> dict[str, Any]:
        """Run it; returns the remote object of `describeValue`, or raises `EXECUTION_ERROR`."""
        expression = await self._first_attempt()
        if not _is_no_syntax(expression):
            return self._value(expression)
        if self._as_function_only:
            return self._value(await self._as_function(f"{{{self._code}\n}}"), before=self._before)
        statements = await self._as_statements()
        if not _is_no_syntax(statements):
            return await self._describe(statements)
        body = await self._as_function(f"{{{self._code}\n}}")
        if _is_no_syntax(body) and not _is_about_return(statements):
            return self._value(statements, before=len("{"))
        return self._value(body, before=self._before)

    def begin(self, timeout_ms: float, requires: Sequence[Condition]) -> PendingReply:
        """Send the first attempt as a step of a program, without waiting. Only for code without an element."""
        return self._context.session.submit(
            "Runtime.evaluate",
            {**self._common(timeout_ms), "expression": self._expression(*self._bare())},
            requires=requires,
            needs=self._context.context_id,
        )

    async def _first_attempt(self) -> dict[str, Any]:
        if self._sent is not None:
            with suppress(Skipped):
                return await self._frame.renderer.finish(self._sent, self._wait)
        return await self._as_function(*self._bare())

    def _bare(self) -> tuple[str, bool]:
        """The code as an expression, and whether that is a function to call."""
        bare = self._code.rstrip().rstrip(";")
        return f"({bare}\n)", _FUNCTION.match(self._code) is not None

    @property
    def _before(self) -> int:
        """How many characters precede the code on its first line, when it is tried as a function body."""
        call = _CALL if self._element is None else f"({_CALL_WITH_ELEMENT}"  # the browser puts functions in parentheses
        return len(call) + len("{")

    def _expression(self, body: str, call: bool) -> str:
        # The code comes first, so that line numbers in stacks are its own, and it cannot see Kapture's names.
        return f"{_CALL}{body}, {self._rest(call)})"

    def _rest(self, call: bool) -> str:
        return f"{self._runner}, {json.dumps(call)}, {LIMIT}"

    async def _as_function(self, body: str, call: bool = False) -> dict[str, Any]:
        if self._element is None:
            return await self._send("Runtime.evaluate", {"expression": self._expression(body, call)})
        return await self._send(
            "Runtime.callFunctionOn",
            {
                "functionDeclaration": f"{_CALL_WITH_ELEMENT}{body}, {self._rest(call)}, element) }}",
                "arguments": [{"objectId": await handle_in(self._context, self._frame, self._element)}],
            },
        )

    async def _as_statements(self) -> dict[str, Any]:
        # In a block, so that `const` and `let` do not remain in the page's scope.
        return await self._send("Runtime.evaluate", {"expression": f"{{{self._code}\n}}", "replMode": True})

    async def _describe(self, statements: dict[str, Any]) -> dict[str, Any]:
        result = self._value(statements)
        if "objectId" in result:
            self.holds = True
            argument = {"objectId": result["objectId"]}
        else:
            argument = {key: result[key] for key in ("value", "unserializableValue") if key in result}
        describe = f"function (value) {{ return ({self._runner})(() => value, false, {LIMIT}) }}"
        return self._value(
            await self._send(
                "Runtime.callFunctionOn",
                {"functionDeclaration": describe, "arguments": [argument]},
            )
        )

    def _value(self, outcome: dict[str, Any], *, before: int = 0) -> dict[str, Any]:
        """The result; raises its `EXECUTION_ERROR`. `before`: characters that precede the code on its first line."""
        if "exceptionDetails" not in outcome:
            result: dict[str, Any] = outcome["result"]
            return result
        details = outcome["exceptionDetails"]
        exception = details.get("exception", {})
        data: dict[str, Any] = {}
        if exception.get("subtype") == "error":
            message, _, stack = exception.get("description", "Error").partition(_FRAME)
            if stack:
                data["stack"] = _own_frames(_FRAME[1:] + stack, self._code.count("\n") + 1)
        else:
            parts = exception.get("preview", {}).get("properties")
            held = {part["name"]: part.get("value") for part in parts} if parts else exception.get("value", "undefined")
            message = f"The code threw {json.dumps(held, ensure_ascii=False)}"
        if _is_no_syntax(outcome):
            where, data = _where(self._code, details, before)
            if "column" not in data and _is_unfinished(self._code):
                message = message.replace("Unexpected token '}'", "Unexpected end of input")
            message = f"{message} ({where})"
        raise KaptureError(ErrorCode.EXECUTION_ERROR, message, data=data)

    async def _send(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        common = self._common(remaining_ms() if method == "Runtime.evaluate" else float("inf"))
        session = self._context.session
        return await self._frame.renderer.send(session, method, {**common, **params}, self._context, wait=self._wait)

    def _common(self, timeout_ms: float) -> dict[str, Any]:
        common: dict[str, Any] = {
            "uniqueContextId": self._context.context_id,
            "awaitPromise": True,
            "userGesture": True,
            "objectGroup": GROUP,
        }
        if timeout_ms < float("inf"):
            common["timeout"] = timeout_ms  # ends at the code's first await; after that the terminator stops it
        return common


def _is_no_syntax(outcome: dict[str, Any]) -> bool:
    """Whether the code failed to compile. Code that threw a SyntaxError did run, and must not run again."""
    details = outcome.get("exceptionDetails", {})
    exception = details.get("exception", {})
    return (
        exception.get("className") == "SyntaxError"
        and "scriptId" in details
        and "(in promise)" not in details["text"]
        and _FRAME not in exception.get("description", "")
    )


def _where(code: str, details: dict[str, Any], before: int) -> tuple[str, dict[str, Any]]:
    """The position of a syntax error in the caller's code: in words, and as data (both from 1)."""
    lines = code.split("\n")
    at, column = details.get("lineNumber", 0), details.get("columnNumber", 0)
    column -= before if at == 0 else 0
    if at >= len(lines) or column < 0:
        return "at the end of the code", {"line": len(lines)}
    shown = lines[at][max(0, column - _SHOWN_CHARS) : column + _SHOWN_CHARS].strip()
    return f"line {at + 1}, column {column + 1}: {shown}", {"line": at + 1, "column": column + 1}


def _is_unfinished(code: str) -> bool:
    """Whether a brace that is unexpected after the code is the one that encloses it."""
    return code.count("}") <= code.count("{")


def _is_about_return(outcome: dict[str, Any]) -> bool:
    return "return" in outcome["exceptionDetails"]["exception"].get("description", "")


def _own_frames(stack: str, lines: int) -> str:
    """The stack frames down to the client's code, without those of the code that called it."""
    kept = []
    for frame in stack.split("\n"):
        found = _ANONYMOUS.search(frame)
        if found and int(found[1]) > lines:
            break
        kept.append(frame)
    return "\n".join(kept)


async def answer_of(frame: Frame, result: dict[str, Any], *, holds: bool = False) -> Evaluated:
    """The value returned by `describeValue`, with refs instead of nodes. `holds`: see `Script`."""
    nodes: list[dict[str, Any]] = []
    context = frame.current_context("main")
    if "value" in result:
        text = result["value"]
    elif context is None:
        raise ContextGone
    else:
        holds = True
        text, *nodes = await _with_its_nodes(frame, context, result["objectId"])
    kind, truncated, value = json.loads(text)
    if nodes:
        value = _with_nodes(value, [await _described(frame, node) for node in nodes])
    if holds and context is not None:
        release(context)
    return Evaluated(value=value, type=kind, truncated=truncated)


async def _with_its_nodes(frame: Frame, context: ExecutionContext, handle: str) -> list[Any]:
    """A description that refers to nodes: its text, and the browser's description of each node."""
    params = {"objectId": handle, "functionDeclaration": "function () { return this }", "serializationOptions": _NODES}
    answer = await frame.renderer.send(context.session, "Runtime.callFunctionOn", params, context)
    return [part["value"] for part in answer["result"]["deepSerializedValue"]["value"]]


def _with_nodes(value: Any, nodes: list[str]) -> Any:
    if isinstance(value, list):
        return [_with_nodes(part, nodes) for part in value]
    if isinstance(value, dict):
        number = value.get(_NODE)
        if len(value) == 1 and isinstance(number, int):
            return nodes[number] if 0 <= number < len(nodes) else "[node]"
        return {key: _with_nodes(part, nodes) for key, part in value.items()}
    return value


async def _described(frame: Frame, node: dict[str, Any]) -> str:
    """`<button> "Save" ref=e12` for elements, otherwise the kind of node."""
    if node.get("nodeType") != 1:
        kind = {3: "text", 8: "comment", 9: "document", 11: "fragment"}.get(node.get("nodeType", 0), "node")
        text = node.get("nodeValue")
        return f"[{kind}]" if text is None else f"[{kind} {text[:200]!r}]"
    try:
        return (await element_of(frame, node["backendNodeId"])).describe()
    except DialogOpen:
        raise
    except KaptureError:
        return f"<{node.get('localName', 'element')}>"  # it belongs to another document, or is gone


_RUN = """
    let value = await code(element);
    if (call && typeof value === 'function') value = await value(element);
    return describeValue(value, limit);
"""


@cache
def runner_source(body: str) -> str:
    """The function `(code, call, limit, element)` with this body, which may use `describeValue`, as an expression."""
    describe = files("kapture.page").joinpath("value.bundle.js").read_text("utf-8").strip()
    return f"async (code, call, limit, element) => {{ {describe}\n{body} }}"
