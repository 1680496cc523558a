"""Approvals put to the person by MCP elicitation, where the client can show a form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mcp_types as types
from mcp.server.session import ServerSession

if TYPE_CHECKING:
    from kapture.hub.client import Elicit


def elicitation(session: ServerSession) -> Elicit | None:
    """How to ask this client's person, or None when the client has no way to."""
    capabilities = session.client_capabilities
    if capabilities is None or capabilities.elicitation is None or not session.can_send_request:
        return None

    async def ask(title: str, detail: str) -> str | None:
        answer = await session.elicit_form(f"{title}\n\n{detail}", _FORM)
        if answer.action != "accept" or not answer.content:
            return "deny" if answer.action == "decline" else None
        choice = answer.content.get("decision")
        return choice if isinstance(choice, str) and choice in _CHOICES else "deny"

    return ask


_CHOICES = ("once", "tab", "deny")
_FORM: types.ElicitRequestedSchema = {
    "type": "object",
    "properties": {
        "decision": {
            "type": "string",
            "title": "May it?",
            "enum": list(_CHOICES),
            "enumNames": ["Allow once", "Allow for this tab", "Deny"],
        }
    },
    "required": ["decision"],
}
