"""The rules in force, and the function that applies them to calls.

A call may do what the person granted on the tab, except for what the policy file, the client's own section in it, and
safe mode take away. Nothing is allowed by default: without a grant there is nothing to take away from.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any

import attrs
import msgspec

from kapture.commands.core.destination import destination
from kapture.commands.core.registry import Access, Command, Scope
from kapture.data_folder import SHARED_FILES
from kapture.errors import ErrorCode, KaptureError
from kapture.page.documents.read_gate import ERROR_PAGE, EVERY_SITE, NOBODY, NOT_OPENED
from kapture.policy import arguments
from kapture.policy.file_rules import PolicyFileRules
from kapture.policy.grant import ANY_SITE, FILES, LEVELS, Grant, inherits, is_blank, level_name, parse, site_of
from kapture.policy.policy_file import Pattern, PolicyFile, Section, read


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
    """The permissions missing for a step: a level, a site, or both."""

    site: str | None = None
    level: Access | None = None

    def widen(self, grant: Grant) -> Grant:
        """The grant with this allowed as well."""
        if self.level is not None:
            grant = grant.with_level(self.level)
        return grant.with_site(self.site) if self.site else grant

    def joined(self, other: Ask) -> Ask | None:
        """Both in one; None if they are two sites, which are two questions."""
        if self.site and other.site:
            return None
        return Ask(site=self.site or other.site, level=other.level if self.level is None else self.level)

    @property
    def parts(self) -> tuple[Ask, ...]:
        """Its level and its site, each alone."""
        return tuple(part for part in (Ask(level=self.level), Ask(site=self.site)) if part != Ask())

    @property
    def options(self) -> str:
        """What a command has to be given for a grant with this."""
        level = [] if self.level is None else [f"`--level {level_name(self.level)}`"]
        site = [f"`--sites {shlex.quote(self.site)}` beside its other sites"] if self.site else []
        return " and ".join(level + site)

    def to_json(self) -> dict[str, Any]:
        """The question's subject as a wire object."""
        subject: dict[str, Any] = {"kind": "site" if self.level is None else "level"}
        if self.level is not None:
            subject["level"] = level_name(self.level)
        return {**subject, "site": self.site} if self.site else subject

    def __str__(self) -> str:
        """Complete a sentence that begins with the client's name: "… wants to …"."""
        level = [] if self.level is None else [_AT_LEVEL[self.level]]
        site = [f"work on {_SITES.get(self.site, self.site)}"] if self.site else []
        return " and ".join(level + site)


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


FILE_NAME = "policy.toml"
FROM_SHARE = " @"
"""Between a remote client's own name and that of its share, which the hub puts there."""
_SHARE = "share"
_NOTHING = Section(level="none", allow=(), evaluate=False, cdp=False, handoff=False, pins=False)
_MAX_NAME_CHARS = 200
_compiled = lru_cache(maxsize=4096)(Pattern.compile)


@attrs.frozen(kw_only=True)
class ShareCaps:
    """What the person chose for a share: what its clients may do, and which may come, by their names (None: any).
    `advice`: what may be done about what that forbids."""

    section: Section
    clients: tuple[str, ...] | None = None
    advice: str = "The person has chosen so for this share, and can share anew with other limits."


@attrs.frozen(kw_only=True)
class Policy:
    """The rules that the hub was started with. `home` is the data folder; `source` the policy file, if there is one."""

    home: Path
    rules: PolicyFile = attrs.field(factory=PolicyFile)
    source: Path | None = None
    sha256: str | None = None  # of the file
    safe_mode: bool = False
    unsafe_all_sites: bool = False
    open_port: bool = False  # --no-pairing
    shares: dict[str, ShareCaps] = attrs.field(factory=dict)  # of those that are open, by name
    own_port: int | None = None  # the hub's: what it serves there is for the person alone

    @classmethod
    def load(
        cls,
        home: Path,
        path: Path | None = None,
        *,
        safe_mode: bool = False,
        unsafe_all_sites: bool = False,
        open_port: bool = False,
        own_port: int | None = None,
    ) -> Policy:
        """Read the policy file at `path`, or else `policy.toml` in the data folder if it exists.

        `PolicyFileError` stops the hub: a broken file, or a named one that is missing, never means "allow".
        """
        import kapture.commands  # noqa: F401  declares those that the file may name

        default = home / FILE_NAME
        if path is None and (default.exists() or default.is_symlink()):
            path = default
        rules, sha256 = (PolicyFile(), None) if path is None else read(path)
        return cls(
            home=home,
            rules=rules,
            source=path,
            sha256=sha256,
            safe_mode=safe_mode,
            unsafe_all_sites=unsafe_all_sites,
            open_port=open_port,
            own_port=own_port,
        )

    def decide(self, request: Request) -> Decision:
        """Decide whether this call may run now. Pure: the same request has the same answer.

        An invalid address among the arguments raises the error that the command would raise (`INVALID_PARAMS`,
        `NAVIGATION_FAILED`).
        """
        decision = self._decide(request)
        if not request.widened_by or decision.ask is None:
            return decision
        return attrs.evolve(decision, hint=request.widened_by.replace("{missing}", decision.ask.options))

    def _decide(self, request: Request) -> Decision:
        command = request.command
        if (refusal := self._check_share(request.client)) is not None:
            return refusal
        for where, section in self._sections(request.client):
            if command.name in section.commands_denied:
                return self._never(where, f"commands_denied: {command.name}", f"The policy forbids {command.name}.")
        effects = arguments.effects_of(command, request.params)
        needed = Access.INTERACT if effects.changes_scenario else command.access
        if effects.runs_code or effects.sends_cdp or effects.reads_clipboard:
            needed = Access.FULL
        if needed is Access.NONE and command.scope is Scope.HUB:
            return Decision(allowed=True, rule="tells nothing about pages")
        refusal = self._check_ceiling(request, needed, effects)
        if refusal is not None:
            return refusal
        if command.scope is Scope.HUB:
            return Decision(allowed=True, rule="works on no tab")
        grant = self.effective_grant(request.grant)
        if grant is None:
            return Decision(
                allowed=False,
                rule="no grant",
                reason="Nobody has allowed anything on this tab.",
                hint="Ask the person to press Connect in the Kapture panel or popup and choose sites and level.",
            )
        if needed > grant.level:
            step = "Pasting the person's clipboard" if effects.reads_clipboard else command.name
            step = "Opening a data: URL" if command.name in arguments.OPENS and effects.runs_code else step
            return Decision(
                allowed=False,
                rule=f"grant: {grant}",
                reason=f"{step} needs the level {level_name(needed)!r}; this tab is granted {grant}.",
                hint=f"Ask the person to raise its level to {level_name(needed)!r} in the Kapture panel or popup.",
                ask=Ask(level=needed),
            )
        return self._check_urls(request, grant, effects)

    def may_read(self, url: str, *, grant: Grant | None, client: str = "", inherited: str | None = None) -> bool:
        """Whether content of a document with this URL may be shown to this client; asked for every frame."""
        grant = self.effective_grant(grant)
        if grant is None or grant.level < Access.READ:
            return False
        if any(LEVELS.get(section.level, Access.NONE) < Access.READ for _, section in self._sections(client)):
            return False
        return self._check_url(url, inherited, grant, client) is None

    def effective_grant(self, grant: Grant | None) -> Grant | None:
        """The tab's grant under `--unsafe-all-sites`; otherwise the grant itself."""
        if grant is not None and self.unsafe_all_sites and ANY_SITE not in grant.sites:
            return Grant((*grant.sites, ANY_SITE), grant.level)
        return grant

    def files(self, client: str = "") -> PolicyFileRules:
        """The rules for uploads and downloads. A share's clients have folders of its own, and no other."""
        downloads, uploads = self.rules.downloads, self.rules.uploads
        if (share := self._share_of(client)) is None:
            return PolicyFileRules(home=self.home, downloads=downloads, uploads=uploads)
        return PolicyFileRules(
            home=self.home / SHARED_FILES / share,
            downloads=msgspec.structs.replace(downloads, folder=None),
            uploads=msgspec.structs.replace(uploads, folders=None),
        )

    def usable_level(self, grant: Grant | None, client: str = "") -> Access:
        """The highest level that a command may have for this client on a tab with this grant."""
        grant = self.effective_grant(grant)
        caps = [LEVELS.get(section.level, Access.NONE) for _, section in self._sections(client)]
        if self.safe_mode:
            caps.append(Access.READ)
        return Access.NONE if grant is None else min(grant.level, *caps)

    def warnings(self) -> list[str]:
        """Warnings for the log and `status`."""
        found = []
        if self.unsafe_all_sites:
            found.append("--unsafe-all-sites: every connected tab may be taken to any site.")
        if self.open_port:
            found.append("--no-pairing: every program on this machine may connect, as tab and as client.")
        return found

    def describe(self) -> dict[str, Any]:
        """The rules in force, for `status`."""
        return {
            "file": str(self.source) if self.source else None,
            "sha256": self.sha256,
            "safeMode": self.safe_mode,
            "level": "read" if self.safe_mode and self.rules.level != "none" else self.rules.level,
            "warnings": self.warnings(),
        }

    def _sections(self, client: str) -> Iterator[tuple[str, Section]]:
        yield "", self.rules
        share = self._share_of(client)
        own = client if share is None else client.rpartition(FROM_SHARE)[0]
        for name, section in self.rules.clients.items():
            if any(fnmatchcase(known[:_MAX_NAME_CHARS].lower(), name.lower()) for known in {own, client}):
                yield f"clients.{name}: ", section
        if share is not None:
            closed = self._check_share(client) is not None
            yield f"{_SHARE} {share}: ", _NOTHING if closed else self.shares[share].section

    def _share_of(self, client: str) -> str | None:
        """The share through which a client with this name comes, whether or not it is open still. The hub gives no
        other client such a name."""
        _, ends, share = client.rpartition(FROM_SHARE)
        return share if ends else None

    def _check_share(self, client: str) -> Decision | None:
        """Refuse all to a client whose share has ended, or does not let it in."""
        if (share := self._share_of(client)) is None:
            return None
        if (caps := self.shares.get(share)) is None:
            return Decision(
                allowed=False,
                rule=f"{_SHARE} {share}: ended",
                reason=f"The share {share!r} has ended.",
                hint="Ask the person to share again.",
            )
        own = client.rpartition(FROM_SHARE)[0]
        if caps.clients is None or any(fnmatchcase(own.lower(), name.lower()) for name in caps.clients):
            return None
        names = ", ".join(caps.clients)
        return self._never(f"{_SHARE} {share}: ", f"clients: {names}", f"This share is for {names}, not for {own}.")

    def _never(self, where: str, rule: str, reason: str) -> Decision:
        hint = f"{self.source or 'The policy'} says so; the person can change it there."
        if where.startswith(_SHARE) and (caps := self.shares.get(where[len(_SHARE) : -2].strip())) is not None:
            hint = caps.advice
        return Decision(allowed=False, rule=f"{where}{rule}", reason=reason, hint=hint)

    def _check_ceiling(self, request: Request, needed: Access, effects: arguments.Effects) -> Decision | None:
        """Refuse what neither grant nor person can allow: safe mode and the policy file."""
        name = request.command.name
        if self.safe_mode and needed > Access.READ:
            return Decision(
                allowed=False,
                rule="safe mode",
                reason=f"{name} needs the level {level_name(needed)!r}; the hub runs in safe mode and only reads.",
                hint="The person can start the hub without --safe-mode.",
            )
        for where, section in self._sections(request.client):
            if needed > LEVELS.get(section.level, Access.NONE):
                reason = f"{name} needs the level {level_name(needed)!r}; the policy stops at {section.level!r}."
                return self._never(where, f"level: {section.level}", reason)
            if (effects.runs_code or effects.carries_code) and not section.evaluate:
                return self._never(where, "evaluate: false", "The policy forbids running code in pages.")
            if name == "ask_person" and not section.handoff:
                return self._never(
                    where, "handoff: false", "The policy forbids asking the person to take the tab over."
                )
            if name == "pins" and not section.pins:
                return self._never(where, "pins: false", "The policy forbids pins.")
            if effects.sends_cdp and not section.cdp:
                return self._never(where, "cdp: false", "The policy forbids raw CDP.")
        if name in arguments.DOWNLOADS and not self.rules.downloads.enabled:
            return self._never("", "downloads.enabled: false", "The policy forbids downloads.")
        if name in arguments.UPLOADS and not self.rules.uploads.enabled:
            return self._never("", "uploads.enabled: false", "The policy forbids uploads.")
        return None

    def _check_urls(self, request: Request, grant: Grant, effects: arguments.Effects) -> Decision:
        if request.command.name not in arguments.LEAVES_PAGE_ALONE:
            refusal = self._check_url(request.subject, request.inherited, grant, request.client)
            if refusal is not None:
                return refusal
        for frame in request.frames:
            refusal = self._check_url(frame, None, grant, request.client)
            if refusal is not None:
                return attrs.evolve(refusal, reason=f"A frame of the page is not open to this call: {refusal.reason}")
        urls = [destination(text, base=request.url, may_open=lambda _: True).url for text in effects.addresses]
        for url in (*urls, *effects.urls):
            refusal = None if is_blank(url) else self._check_url(url, request.creator, grant, request.client)
            if refusal is not None:
                return refusal
        if effects.beyond_tab:
            return Decision(
                allowed=False,
                rule=f"grant: {grant}",
                reason=f"{effects.beyond_site} reaches beyond this tab.",
                hint="Use the commands for tabs: list_tabs, tab_new, tab_close, tab_activate.",
            )
        if effects.beyond_site is not None:
            # A site that the policy closes stays closed to what reaches every site.
            refusal = self._check_patterns(EVERY_SITE, request.client)
            if refusal is not None:
                reason = f"{effects.beyond_site} can reach documents of every site, and the policy closes some."
                return attrs.evolve(refusal, reason=reason)
            if ANY_SITE not in grant.sites:
                return Decision(
                    allowed=False,
                    rule=f"grant: {grant}",
                    reason=f"{effects.beyond_site} can reach documents of other sites; this tab is granted {grant}.",
                    hint="Ask the person to grant any site on this tab in the Kapture panel or popup.",
                    ask=Ask(site=ANY_SITE),
                )
        return Decision(allowed=True, rule=f"grant: {grant}")

    def _check_url(self, url: str, inherited: str | None, grant: Grant, client: str) -> Decision | None:
        """None if a document with this URL is within policy file and grant, else the refusal."""
        judged = inherited if inherits(url) and inherited is not None else url
        if self._is_own(judged):
            return Decision(
                allowed=False,
                rule="own pages",
                reason=f"{_shown(judged)} is served by Kapture, and no grant covers it.",
                hint="Work in another tab.",
            )
        refusal = self._check_patterns(judged, client)
        if refusal is not None:
            return refusal
        if grant.covers(url, inherited):
            return None
        shown = _shown(judged)
        site = site_of(judged)
        if site is None:
            reason = f"{shown} is not a page that can be granted."
            if judged.startswith(f"{ERROR_PAGE}:"):
                reason = f"The page {NOT_OPENED}"
            elif judged == NOBODY:
                reason = "It is not known which site made this page, and not every site is granted."
            return Decision(
                allowed=False,
                rule=f"grant: {grant}",
                reason=reason,
                hint="Navigate the tab to a page within its grant.",
            )
        return Decision(
            allowed=False,
            rule=f"grant: {grant}",
            reason=f"{shown} is outside this tab's grant ({grant}).",
            hint=f"Ask the person to add {site} to the tab's grant in the Kapture panel or popup.",
            ask=Ask(site=site),
        )

    def _is_own(self, url: str) -> bool:
        """Whether the hub may serve this address. By any numeric one: another machine's are not worth telling apart."""
        if self.own_port is None or (address := parse(url)) is None or address.port != self.own_port:
            return False
        return address.numeric or address.host == "localhost" or address.host.endswith(".localhost")

    def _check_patterns(self, url: str, client: str) -> Decision | None:
        """None if the policy file lets an address pass, else the refusal. `EVERY_SITE` passes if it closes no site."""
        address = parse(url)
        if address is None:
            return None  # not describable by a pattern; the grant decides
        shown = address.origin
        for where, section in self._sections(client):
            for pattern in section.deny:
                compiled = _compiled(pattern)
                some_site = url == EVERY_SITE and compiled.names_web_sites
                if some_site or compiled.matches(address, any_case=True):
                    return self._never(where, f"deny: {pattern}", f"The policy denies {shown}.")
            if section.allow is not None and not any(_compiled(text).matches(address) for text in section.allow):
                return self._never(where, "allow", f"{shown} is not among the addresses that the policy allows.")
        return None


def _shown(url: str) -> str:
    """As much of an address as may be revealed of a page that may not be read."""
    address = parse(url)
    return address.origin if address is not None else url.partition(":")[0][:40] + ":"
