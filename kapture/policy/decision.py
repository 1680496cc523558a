"""The requests that policy decides on, and its decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import attrs

from kapture.commands.core.registry import Access, Command
from kapture.errors import ErrorCode, KaptureError
from kapture.page.documents.read_gate import ERROR_PAGE
from kapture.policy.grant import ANY_SITE, FILES, Grant, level_name


@attrs.frozen(kw_only=True)
class Request:
    """One call, before it runs. `params` is the command's decoded parameter object; `shown`, if they hold a secret, is
    what a person sees instead.

    `url` is the current address of the tab's main document; `inherited` that of the tab or frame which created an
    `about:blank` or `data:` document, if known. `client` is the client's name, `call` the call's name. `frames` are the
    URLs that cover the documents of frames in which the call turned out to work. `widened_by` says how the person
    widens the tab's grant, where that is not done in the extension.
    """

    command: Command
    params: Any = None
    shown: Mapping[str, Any] | None = None
    client: str = ""
    call: str = ""
    grant: Grant | None = None
    url: str = ""
    inherited: str | None = None
    frames: tuple[str, ...] = ()
    widened_by: str = ""

    @property
    def creator(self) -> str:
        """The URL that decides about a document which the tab opens and whose own URL names no site."""
        return self.inherited or self.url

    @property
    def subject(self) -> str:
        """The URL of the document that the call is about. Reloading an error page loads what could not be opened."""
        failed = self.command.name == "reload" and self.url.startswith(f"{ERROR_PAGE}:")
        return self.creator if failed else self.url


_SITES = {ANY_SITE: "any site", FILES: "files of this computer"}
_AT_LEVEL = {
    Access.NONE: "use this tab",
    Access.READ: "read this tab",
    Access.INTERACT: "interact with this tab",
    Access.FULL: "have full access to this tab",
}


@attrs.frozen(kw_only=True)
class Ask:
    """What a person would have to allow for the step to be within the grant."""

    kind: Literal["site", "level"]
    site: str | None = None
    level: Access | None = None

    def widen(self, grant: Grant) -> Grant:
        """The grant with this allowed as well."""
        if self.kind == "level" and self.level is not None:
            return grant.with_level(self.level)
        return grant.with_site(self.site) if self.site else grant

    def to_json(self) -> dict[str, Any]:
        """The question's subject as a wire object."""
        if self.kind == "site":
            return {"kind": "site", "site": self.site}
        return {"kind": "level", "level": level_name(self.level or Access.NONE)}

    def __str__(self) -> str:
        """What the client wants to do, to complete a sentence that begins with its name: "… wants to …"."""
        if self.kind == "site":
            site = self.site or ""
            return f"work on {_SITES.get(site, site)}"
        return _AT_LEVEL[self.level or Access.NONE]


def widened(grant: Grant | None, allowed: Sequence[Ask]) -> Grant | None:
    """The grant with all of these allowed as well; None stays none."""
    for ask in allowed:
        grant = ask.widen(grant) if grant is not None else None
    return grant


@attrs.frozen(kw_only=True)
class Decision:
    """Whether a call may run, by which rule, and why. `ask` is set if a person's answer could change it."""

    allowed: bool
    rule: str
    reason: str = ""
    hint: str = ""
    ask: Ask | None = None

    def error(self) -> KaptureError:
        """The decision as `POLICY_DENIED`."""
        data: dict[str, Any] = {"rule": self.rule}
        if self.ask is not None:
            data["ask"] = self.ask.to_json()
        return KaptureError(ErrorCode.POLICY_DENIED, self.reason, hint=self.hint, data=data)
