"""Settings made by the users of a CDP session.

When a session ends the browser undoes what it has set. Here that is done for users who share one, and for those who may
no longer do what they did.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, TypeAlias

from kapture.cdp.rules import cdp_rules

SessionId: TypeAlias = str | None
Call: TypeAlias = tuple[str, Mapping[str, Any], SessionId]
"""Method, parameters, and the browser's session to send it on."""

_OUTLIVE_THEIR_SESSION = frozenset({"Emulation.setDeviceMetricsOverride"})
"""Settings that the browser itself keeps (Chromium 150): the page keeps its size."""

_REMOVED_BY: Mapping[str, tuple[str, str]] = {
    "Debugger.setBreakpoint": ("Debugger.removeBreakpoint", "breakpointId"),
    "Debugger.setBreakpointByUrl": ("Debugger.removeBreakpoint", "breakpointId"),
    "Debugger.setBreakpointOnFunctionCall": ("Debugger.removeBreakpoint", "breakpointId"),
    "Page.addScriptToEvaluateOnNewDocument": ("Page.removeScriptToEvaluateOnNewDocument", "identifier"),
    "WebAuthn.addVirtualAuthenticator": ("WebAuthn.removeVirtualAuthenticator", "authenticatorId"),
}
"""Objects created for the life of a session: the command that removes each, and its argument from the answer."""

_REMOVALS = frozenset(removal for removal, _ in _REMOVED_BY.values())


class Settings:
    """The settings of all users of a session and its child sessions; a user is any hashable of the caller's."""

    def __init__(self) -> None:
        self._set: dict[tuple[SessionId, str], dict[Hashable, Mapping[str, Any]]] = {}  # the newest last
        self._removals: dict[Hashable, list[Call]] = {}

    def sent(self, user: Hashable, method: str, params: Mapping[str, Any], session_id: SessionId) -> None:
        """Note a command of a user."""
        if method in _REMOVALS:
            removals = self._removals.get(user, [])
            if (call := (method, params, session_id)) in removals:
                removals.remove(call)
        elif (setting := _setting_of(method)) is not None:
            users = self._set.setdefault((session_id, setting), {})
            users.pop(user, None)
            if (method, params) != _undo(setting):
                users[user] = params

    def answered(self, user: Hashable, method: str, result: Mapping[str, Any], session_id: SessionId) -> None:
        """Note the browser's answer to a command of a user."""
        if method in _REMOVED_BY:
            removal, key = _REMOVED_BY[method]
            self._removals.setdefault(user, []).append((removal, {key: result.get(key)}, session_id))

    @property
    def any(self) -> bool:
        """Whether anything is set or made."""
        return any(self._set.values()) or any(self._removals.values())

    def made(self, method: str, session_id: SessionId) -> bool:
        """Whether a user has made this setting, and not undone it."""
        return bool(self._set.get((session_id, method)))

    def leave(self, user: Hashable, *, session_ends: bool = False) -> list[Call]:
        """Forget a user; the commands that undo what it has set, or restore what another user has set. Where the
        browser's session ends with it, those for what would stay."""
        calls = [] if session_ends else self._removals.pop(user, [])
        for (session_id, method), users in self._set.items():
            if users.pop(user, None) is not None and (not session_ends or method in _OUTLIVE_THEIR_SESSION):
                restored = (method, list(users.values())[-1]) if users else _undo(method)
                calls.append((*restored, session_id))
        return calls

    def forget(self, session_id: SessionId) -> None:
        """A session has ended, and with it all that was set in it."""
        self._set = {key: users for key, users in self._set.items() if key[0] != session_id}
        self._removals = {
            user: [call for call in calls if call[2] != session_id] for user, calls in self._removals.items()
        }


def _setting_of(method: str) -> str | None:
    """The setting that a method makes, or undoes, by the method that makes it."""
    undo = cdp_rules().undo
    return method if method in undo else next((made for made, one in undo.items() if one.method == method), None)


def _undo(setting: str) -> tuple[str, Mapping[str, Any]]:
    undo = cdp_rules().undo[setting]
    return undo.method, undo.params
