"""Asking the person by MCP elicitation, if the policy file enables it and the client can show a form.

A handshake client (2025) is sent a request while its call waits. A 2026-07-28 client may not be sent requests: its
call is answered "input required", keeps running here, and is resumed when the client repeats the call with the
person's answer.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from typing import Any

import attrs
import mcp_types as types
import trio
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from kapture.hub import Elicit

Context = ServerRequestContext[Any, Any]

_MAX_PENDING = 32
_KEY = "approval"
_CHOICES = ("once", "deny")
_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {
        "decision": {
            "type": "string",
            "title": "Allow this step?",
            "oneOf": [
                {"const": "once", "title": "Allow once"},
                {"const": "deny", "title": "Deny"},
            ],
        }
    },
    "required": ["decision"],
}

# How to ask the person behind the call that runs in this context. Questions are asked in tasks started by calls,
# which inherit it.
_asking: ContextVar[Elicit | None] = ContextVar("kapture_asking", default=None)


def elicitation(ctx: Context) -> Elicit | None:
    """For `Client.elicit`: how to ask this client's person; None if its client shows no forms."""
    capabilities = ctx.session.client_capabilities
    if capabilities is None or capabilities.elicitation is None:
        return None
    if capabilities.elicitation.form is None and capabilities.elicitation.url is not None:
        return None
    return _ask_here


async def _ask_here(title: str, detail: str) -> str | None:
    ask = _asking.get()
    return None if ask is None else await ask(title, detail)


def form_request(title: str, detail: str) -> dict[str, Any]:
    """The parameters of `elicitation/create`."""
    return {"message": f"{title}\n\n{detail}", "requestedSchema": _FORM}


def verdict_of(action: object, content: object) -> str | None:
    """The person's decision; None if the form was closed without an answer."""
    if action == "decline":
        return "deny"
    if action != "accept" or not isinstance(content, Mapping):
        return None
    decision = content.get("decision")
    return decision if decision in _CHOICES else "deny"


def ask_by_request(ctx: Context) -> None:
    """Ask the questions of this call by requests to the client (2025)."""

    async def ask(title: str, detail: str) -> str | None:
        try:
            answer = await ctx.session.elicit_form(f"{title}\n\n{detail}", _FORM, ctx.request_id)
        except (MCPError, ValidationError):
            return None  # the client does not support it after all, is disconnecting, or answers something else
        return verdict_of(answer.action, answer.content)

    _asking.set(ask)


def asks_by_result(ctx: Context) -> bool:
    """Whether this call's questions have to be returned as its result (2026-07-28)."""
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS and elicitation(ctx) is not None


@attrs.define(eq=False)
class _Question:
    title: str
    detail: str
    answered: trio.Event = attrs.field(factory=trio.Event)
    verdict: str | None = None


@attrs.define(eq=False)
class _RunningCall:
    """A call that may outlive the request that started it."""

    scope: trio.CancelScope = attrs.field(factory=trio.CancelScope)
    channel: tuple[trio.MemorySendChannel[Any], trio.MemoryReceiveChannel[Any]] = attrs.field(
        factory=lambda: trio.open_memory_channel[Any](8)
    )


@attrs.frozen
class _Failed:
    """The error with which a call ended."""

    error: Exception


class PendingElicitations:
    """Calls of one session that wait for a person's answer, which a later request brings."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self._nursery = nursery
        self._pending: OrderedDict[str, tuple[_RunningCall, _Question]] = OrderedDict()

    async def run(self, work: Callable[[], Awaitable[dict[str, Any]]]) -> dict[str, Any]:
        """The result of `work`, or the question that it asks."""
        call = _RunningCall()
        self._nursery.start_soon(self._work, call, work)
        return await self._follow(call)

    async def resume(self, state: str, responses: Mapping[str, Any] | None) -> dict[str, Any]:
        """Resume the call that asked, with the person's answer."""
        pending = self._pending.pop(state, None)
        if pending is None:
            raise MCPError(code=types.INVALID_PARAMS, message="This call no longer waits for an answer.")
        call, question = pending
        response = (responses or {}).get(_KEY)
        if isinstance(response, types.ElicitResult):
            question.verdict = verdict_of(response.action, response.content)
        question.answered.set()
        return await self._follow(call)

    async def _work(self, call: _RunningCall, work: Callable[[], Awaitable[dict[str, Any]]]) -> None:
        async def ask(title: str, detail: str) -> str | None:
            question = _Question(title, detail)
            await call.channel[0].send(question)
            await question.answered.wait()
            return question.verdict

        _asking.set(ask)
        with call.scope:
            outcome: Any
            try:
                outcome = await work()
            except Exception as error:  # noqa: BLE001  it is raised where the call is waited for
                outcome = _Failed(error)
            await call.channel[0].send(outcome)

    async def _follow(self, call: _RunningCall) -> dict[str, Any]:
        try:
            outcome = await call.channel[1].receive()
        except trio.Cancelled:
            call.scope.cancel()
            raise
        if isinstance(outcome, _Failed):
            raise outcome.error
        if not isinstance(outcome, _Question):
            answer: dict[str, Any] = outcome
            return answer
        state = secrets.token_urlsafe(24)
        self._pending[state] = (call, outcome)
        if len(self._pending) > _MAX_PENDING:
            _, (oldest, _) = self._pending.popitem(last=False)
            oldest.scope.cancel()
        form = {"mode": "form", **form_request(outcome.title, outcome.detail)}
        return {
            "resultType": "input_required",
            "inputRequests": {_KEY: {"method": "elicitation/create", "params": form}},
            "requestState": state,
        }
