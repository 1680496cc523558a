"""Calls into documents: the agent's functions, and plain expressions.

Every wait for an answer ends: with the answer, or with an error as soon as the document goes away, its process
crashes, or a dialog blocks it. None is left hanging until a timeout.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import attrs
import msgspec
import trio

from kapture.cdp import CdpError, CdpSession, PendingReply, is_gone
from kapture.cdp.pending_replies import RENDERER
from kapture.errors import Detached, ErrorCode, KaptureError
from kapture.page.agent_functions import FUNCTIONS, FunctionName
from kapture.page.agent_source import agent_source
from kapture.page.closed_roots import adopt_closed_roots
from kapture.wire.codec import decode_json

if TYPE_CHECKING:
    from kapture.page.frames import Document, Frame, World

_REF_IN_TEXT = re.compile(r"\{ref:(\d+)\}")


class DocumentGoneError(Detached):
    """The document went away before it answered. Nothing says whether it did what it was asked."""

    def __init__(self) -> None:
        super().__init__(
            ErrorCode.DETACHED,
            "The page went to another document while this ran.",
            hint="Look at the page again: what was asked may have been done or not.",
        )


class _Answer(msgspec.Struct):
    """What `kapture.run` answers. `hosts`: elements that may have closed shadow roots were not looked into."""

    top: int
    value: msgspec.Raw = msgspec.Raw(b"null")
    error: dict[str, Any] | None = None
    hosts: int = 0


@attrs.frozen
class Call:
    """A call of the agent that has begun."""

    calls: AgentCalls
    frame: Frame
    document: Document
    function: FunctionName
    args: Mapping[str, Any]
    into: Any
    number: int
    expression: str
    reply: PendingReply

    async def finish(self) -> Any:
        """Its value, decoded from JSON; see `Frame.call`."""
        return await self.calls.finish(self)


class AgentCalls:
    """All calls of one tab that wait for a document's answer."""

    def __init__(self, blocked: Callable[[], KaptureError | None]) -> None:
        self._blocked = blocked
        self._numbers = itertools.count(1)

    async def call(self, frame: Frame, function: FunctionName, args: Mapping[str, Any], *, into: Any) -> Any:
        """See `Frame.call`."""
        retry = FUNCTIONS[function].may_retry(args)
        for more in (retry, retry, retry, False):
            try:
                return await self._call_once(frame, function, args, into=into)
            except DocumentGoneError:
                if not more or frame.detached:
                    raise
        raise AssertionError("unreachable")

    def begin(
        self, frame: Frame, function: FunctionName, args: Mapping[str, Any], *, after: bool = False
    ) -> Call | None:
        """Call without waiting, if that can be done at once; `Call.finish` waits. `after`: see `CdpSession.submit`."""
        document = frame.tree.known_document(frame, "kapture")
        if document is None or self._unadopted(frame, document, function):
            return None
        frame.check_granted()
        return self._begin(frame, document, function, args, into=Any, after=after)

    async def _call_once(self, frame: Frame, function: FunctionName, args: Mapping[str, Any], *, into: Any) -> Any:
        document = await self.document(frame, "kapture")
        if self._unadopted(frame, document, function):
            await self._adopt_children(frame, document)
        if frame.tree.known_document(frame, "kapture") is not document:
            raise DocumentGoneError
        if FUNCTIONS[function].gated:
            frame.check_granted()
        return await self._begin(frame, document, function, args, into=into).finish()

    def _unadopted(self, frame: Frame, document: Document, function: FunctionName) -> bool:
        """Whether the agent must be told first which of its elements show frames."""
        return FUNCTIONS[function].needs_frames and any(
            child.adopted_in != document.unique_id for child in frame.children
        )

    def _begin(
        self,
        frame: Frame,
        document: Document,
        function: FunctionName,
        args: Mapping[str, Any],
        *,
        into: Any,
        after: bool = False,
    ) -> Call:
        number = next(self._numbers)
        expression = f"kapture.run({json.dumps(function)},{json.dumps(args)},{frame.top_ref},{number})"
        reply = self._submit(document, expression, after=after)
        return Call(self, frame, document, function, args, into, number, expression, reply)

    async def finish(self, call: Call) -> Any:
        """The value of a call that has begun."""
        frame, document = call.frame, call.document
        try:
            outcome = await self._finish(call.reply)
            if _agent_is_missing(outcome):
                await self.evaluate_in(document, agent_source())
                outcome = await self.evaluate_in(document, call.expression)
        except trio.Cancelled:
            # What waits inside the page must not go on to scroll or fill after its caller has given up.
            self._submit(document, f"kapture.cancel({call.number})")
            raise
        if "exceptionDetails" in outcome:
            raise thrown(outcome["exceptionDetails"])
        answer: _Answer = decode_json(outcome["result"]["value"], _Answer)
        frame.top_ref = max(frame.top_ref, answer.top)
        if answer.error is not None:
            raise _agent_error(frame, answer.error)
        if answer.hosts and await adopt_closed_roots(self, document):
            return await self._call_once(frame, call.function, call.args, into=call.into)
        return _value(answer, call.into)

    def tell(self, frame: Frame, function: FunctionName) -> None:
        """Call a function of the agent without waiting, if its document is there. Nothing depends on it."""
        document = frame.tree.known_document(frame, "kapture")
        if document is not None and self._blocked() is None:
            self._submit(document, f"kapture.run({json.dumps(function)},{{}},{frame.top_ref},0)")

    async def document(self, frame: Frame, world: World) -> Document:
        """See `Frame.document`."""
        while True:
            if frame.detached:
                raise DocumentGoneError
            if frame.crashed:
                raise KaptureError(ErrorCode.DETACHED, "The page has crashed.", hint="Reload it or navigate.")
            if found := frame.tree.known_document(frame, world):
                return found
            change = frame.tree.change
            await self._make_world(frame)
            if not frame.tree.known_document(frame, world):
                await change.wait()  # it is on its way to another document or process

    async def _make_world(self, frame: Frame) -> None:
        """Documents that have run no script have no contexts yet; asking for the agent's world makes both."""
        try:
            await self.guarded(frame.session, "Page.createIsolatedWorld", {"frameId": frame.id, "worldName": "kapture"})
        except KaptureError as error:
            if not is_gone(error):
                raise

    async def evaluate_in(
        self, document: Document, expression: str, *, await_promise: bool = True, user_gesture: bool = False
    ) -> dict[str, Any]:
        """`Runtime.evaluate` by value in one document; the CDP result. `DocumentGoneError` when it goes away."""
        return await self._finish(self._submit(document, expression, await_promise, user_gesture))

    async def guarded(
        self, session: CdpSession, method: str, params: Mapping[str, Any], document: Document | None = None
    ) -> dict[str, Any]:
        """Send a command that a blocked or vanished renderer would never answer."""
        if blocked := self._blocked():
            raise blocked
        return await self._finish(session.submit(method, params, needs=_needs(document)))

    async def guarded_all(
        self, session: CdpSession, calls: list[tuple[str, Mapping[str, Any]]], document: Document | None = None
    ) -> list[dict[str, Any] | CdpError]:
        """Send all at once; each one's result, or the browser's refusal."""
        if blocked := self._blocked():
            raise blocked
        replies = [session.submit(method, params, needs=_needs(document)) for method, params in calls]
        answers: list[dict[str, Any] | CdpError] = []
        for reply in replies:
            try:
                answers.append(await self._finish(reply))
            except CdpError as error:
                answers.append(error)
        return answers

    def _submit(
        self,
        document: Document,
        expression: str,
        await_promise: bool = True,
        user_gesture: bool = False,
        *,
        after: bool = False,
    ) -> PendingReply:
        if blocked := self._blocked():
            reply = PendingReply()
            reply.fail(blocked)
            return reply
        params = {
            "expression": expression,
            "uniqueContextId": document.unique_id,
            "awaitPromise": await_promise,
            "returnByValue": True,
            "userGesture": user_gesture,
        }
        return document.session.submit("Runtime.evaluate", params, after=after, needs=document.unique_id)

    async def _finish(self, reply: PendingReply) -> dict[str, Any]:
        try:
            return await reply.wait()
        except CdpError as error:
            if is_gone(error):
                raise DocumentGoneError from error
            raise

    async def _adopt_children(self, frame: Frame, document: Document) -> None:
        """Tell the agent which of its elements shows which frame."""
        for child in frame.children:
            if child.adopted_in == document.unique_id:
                continue
            try:
                owner = await self.guarded(document.session, "DOM.getFrameOwner", {"frameId": child.id}, document)
                handle = await self.guarded(
                    document.session,
                    "DOM.resolveNode",
                    {"backendNodeId": owner["backendNodeId"], "executionContextId": document.number},
                    document,
                )
                await self.guarded(
                    document.session,
                    "Runtime.callFunctionOn",
                    {
                        "objectId": handle["object"]["objectId"],
                        "functionDeclaration": "function(key){kapture.adoptFrame(this,key)}",
                        "arguments": [{"value": child.key}],
                    },
                    document,
                )
            except KaptureError as error:
                if not isinstance(error, CdpError | DocumentGoneError):
                    raise
                # The child left meanwhile, or the document did, which the call that follows will tell.
            child.adopted_in = document.unique_id


def _needs(document: Document | None) -> str:
    return RENDERER if document is None else document.unique_id


def _value(answer: _Answer, into: Any) -> Any:
    try:
        return decode_json(bytes(answer.value).decode(), into)
    except msgspec.ValidationError as error:
        raise KaptureError(ErrorCode.PROTOCOL_ERROR, f"The page agent's answer is malformed: {error}.") from error
    except RecursionError:
        raise KaptureError(
            ErrorCode.EXECUTION_ERROR,
            "The page nests its elements too deeply to be read as a whole.",
            hint="Take a snapshot of a part: give root.",
        ) from None


def _agent_is_missing(outcome: Mapping[str, Any]) -> bool:
    exception = outcome.get("exceptionDetails", {}).get("exception", {})
    return "kapture is not defined" in exception.get("description", "")


def _agent_error(frame: Frame, error: Mapping[str, Any]) -> KaptureError:
    """The agent writes refs as `{ref:12}` in texts and as numbers in data; only the hub knows the frame's key."""

    def text(words: str) -> str:
        return _REF_IN_TEXT.sub(lambda match: frame.ref(int(match[1])), words)

    def data(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                name: frame.ref(inner) if name == "ref" and isinstance(inner, int) else data(inner)
                for name, inner in value.items()
            }
        return [data(inner) for inner in value] if isinstance(value, list) else value

    return KaptureError(
        ErrorCode(error["code"]),
        text(error["message"]),
        hint=text(error.get("hint", "")),
        data=data(error.get("data") or {}),
    )


def thrown(details: Mapping[str, Any]) -> KaptureError:
    """`EXECUTION_ERROR` with the message and stack of what a script threw."""
    exception = details.get("exception") or {}
    text: str = exception.get("description") or ""
    if not text:
        text = str(exception["value"]) if "value" in exception else details.get("text", "The script failed.")
    message, _, stack = text.partition("\n    at ")
    return KaptureError(
        ErrorCode.EXECUTION_ERROR,
        message,
        data={"stack": f"    at {stack}", "line": details.get("lineNumber")} if stack else None,
    )
