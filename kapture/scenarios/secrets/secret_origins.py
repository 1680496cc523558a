"""Where a stored secret may be typed: into documents of the origins that it was recorded or entered for, and into their
addresses.

Anyone who records a scenario chooses its name, and a tab may show any page: without this check the value would go
wherever a scenario of that name leads. Values that a caller passes to a run (`override_secrets`) are not restricted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from kapture.commands.core.registry import get_command
from kapture.errors import ErrorCode, KaptureError
from kapture.policy.grant import parse
from kapture.scenarios.model import Scenario, Step
from kapture.scenarios.parameters.placeholders import Placeholder, pieces, roots

_TYPES = frozenset({"fill", "type", "paste"})
"""Commands that only put a text into an element."""

_OPENS = frozenset({"navigate", "tab_new"})
"""Commands that open the address `url`."""

_LITERAL_ORIGIN = re.compile(r"(https?://[^/?#\\*{]+)(?:[/?#]|\Z)|file:///", re.IGNORECASE)
"""The beginning of a URL with a complete origin: without placeholder or `*` in it."""


@attrs.frozen(kw_only=True)
class RunSecret:
    """A secret of a run. `origins` are those where it may be typed; None if the caller passed the value."""

    value: str = attrs.field(repr=False)
    origins: Sequence[str] | None = None


def used_by(step: Step, secrets: Mapping[str, RunSecret]) -> dict[str, RunSecret]:
    """The secrets that a step names."""
    return {name: secrets[name] for name in dict.fromkeys(roots(step.arguments)) if step.secret and name in secrets}


def check_steps(scenario: Scenario, secrets: Mapping[str, RunSecret]) -> None:
    """`SCENARIO_INVALID` for a step that does anything with a stored secret but type it into its element, or open an
    address of its origins that holds it percent-encoded."""
    for number, step in enumerate(scenario.chain, 1):
        used = used_by(step, secrets)
        stored = [name for name, secret in used.items() if secret.origins is not None]
        command = get_command(step.command).name if stored else ""
        if not stored or (command in _TYPES and step.targets):
            continue
        if command in _OPENS and (reason := _why_not_opened(step, {name: used[name] for name in stored})) is not None:
            raise _misused(scenario, number, stored[0], reason)
        if command not in _OPENS:
            reason = (
                "is only typed into the element of a step: fill, type or paste, with targets; or stands in an address"
            )
            raise _misused(scenario, number, stored[0], reason)


def _why_not_opened(step: Step, secrets: Mapping[str, RunSecret]) -> str | None:
    others = {name: value for name, value in step.arguments.items() if name != "url"}
    url = step.arguments.get("url")
    if not isinstance(url, str) or set(roots(others)) & set(secrets):
        return "can stand in its `url` only"
    parts = list(pieces(url))
    for name in secrets:
        if any(isinstance(part, Placeholder) and part.path == name and not part.encoded for part in parts):
            return f"must be percent-encoded in an address: {{{{{name}|url}}}}"
    # What is encoded may stand before a host; no placeholder may stand in it, or end it.
    literal = "".join(part if isinstance(part, str) else "%00" if part.encoded else "{" for part in parts)
    origin = _literal_origin(literal)
    for secret in secrets.values():
        if origin is None or origin not in (secret.origins or ()):
            return f"was stored for {', '.join(secret.origins or ()) or 'no site'}, where its address does not lead"
    return None


def _misused(scenario: Scenario, number: int, secret: str, reason: str) -> KaptureError:
    return KaptureError(
        ErrorCode.SCENARIO_INVALID,
        f"{scenario.name}, step {number}: the stored secret {secret!r} {reason}.",
        hint="Change the step, or give the secret to this run with override_secrets.",
        data={"scenario": scenario.name, "step": number, "secret": secret},
    )


def check_origin(scenario: str, secrets: Mapping[str, RunSecret], origin: str) -> None:
    """`POLICY_DENIED` if one of the secrets may not be typed into a document of this origin. An opaque one, as of a
    sandboxed frame, is empty, and no secret belongs to it: such frames hold what their site does not trust."""
    for name, secret in secrets.items():
        if secret.origins is not None and (not origin or origin not in secret.origins):
            stored_for = ", ".join(secret.origins) or "no site"
            if origin:
                where = f"a page of {origin}"
                way = f"a person can enter it again: kapture scenario secrets {scenario} {name} --origin {origin}."
            else:
                where = "a page whose origin is opaque, as in a sandboxed frame"
                way = "give it to this run with override_secrets."
            raise KaptureError(
                ErrorCode.POLICY_DENIED,
                f"The secret {name!r} was stored for {stored_for}, but the field is in {where}: it was not typed.",
                hint=f"If it belongs there, {way}",
                data={"secret": name, "origins": list(secret.origins), "origin": origin},
            )


def named_origins(scenario: Scenario) -> list[str]:
    """The origins of the literal URLs in a scenario: of its recording, and those that it opens and waits for."""
    return list(dict.fromkeys(_named(scenario)))


def origin_of(url: str) -> str | None:
    """The origin of a URL, serialized as in documents; None if it has none."""
    address = parse(url)
    if address is None:
        return None
    return "file:" if address.scheme == "file" else address.origin


def _named(scenario: Scenario) -> Iterator[str]:
    addresses: list[Any] = [scenario.metadata.url]
    for step in scenario.chain:
        if step.command and get_command(step.command).name in ("navigate", "wait_for"):
            addresses.append(step.arguments.get("url"))
    for address in addresses:
        if isinstance(address, str) and (origin := _literal_origin(address)) is not None:
            yield origin


def _literal_origin(address: str) -> str | None:
    literal = _LITERAL_ORIGIN.match(address)
    return None if literal is None else origin_of(literal[0])
