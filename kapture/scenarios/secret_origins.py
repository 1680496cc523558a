"""Where a stored secret may be typed: into documents of the origins that it was recorded or entered for.

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
from kapture.policy.address import parse
from kapture.scenarios.model import Scenario, Step
from kapture.scenarios.placeholders import roots

_TYPES = frozenset({"fill", "type", "paste"})
"""Commands that only put a text into an element."""

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
    """`SCENARIO_INVALID` for a step that does anything with a stored secret but type it into its element."""
    for number, step in enumerate(scenario.chain, 1):
        stored = [name for name, secret in used_by(step, secrets).items() if secret.origins is not None]
        if stored and (get_command(step.command).name not in _TYPES or not step.targets):
            raise KaptureError(
                ErrorCode.SCENARIO_INVALID,
                f"{scenario.name}, step {number}: the stored secret {stored[0]!r} is only typed into the element of a"
                " step: fill, type or paste, with targets.",
                hint="Change the step, or give the secret to this run with override_secrets.",
                data={"scenario": scenario.name, "step": number, "secret": stored[0]},
            )


def check_origin(scenario: str, secrets: Mapping[str, RunSecret], origin: str) -> None:
    """`POLICY_DENIED` if one of the secrets may not be typed into a document of this origin."""
    for name, secret in secrets.items():
        if secret.origins is not None and origin not in secret.origins:
            stored_for = ", ".join(secret.origins) or "no site"
            raise KaptureError(
                ErrorCode.POLICY_DENIED,
                f"The secret {name!r} was stored for {stored_for}, but the field is in a page of {origin or 'no site'}:"
                " it was not typed.",
                hint=f"If it belongs there, a person can enter it again: kapture scenario secrets {scenario} {name}"
                f" --origin {origin or 'URL'}.",
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
        if isinstance(address, str):
            literal = _LITERAL_ORIGIN.match(address)
            if literal is not None and (origin := origin_of(literal[0])) is not None:
                yield origin
