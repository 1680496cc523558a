"""The addresses of a recording as they are saved: with references in place of secrets and search terms.

A secret that no step types, because its step was deleted or because the address itself says that it is one, gets a name
too: what the person did with it cannot be repeated without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from kapture.scenarios.model import Check
from kapture.scenarios.record.captured import CapturedStep
from kapture.scenarios.record.typed_in_address import Typed, as_glob, find, joined, secrets_of, with_references
from kapture.scenarios.secrets.secret_origins import origin_of

OPENS = frozenset({"navigate", "tab_new"})
"""Commands that open an address."""


@attrs.frozen(kw_only=True)
class Addressed:
    """A step as it is saved: the address that it opens is a text with placeholders, in which two braces are escaped.
    `secrets` are those that it names, and `origin` is where it takes them."""

    step: CapturedStep
    secrets: Sequence[str] = ()
    origin: str = ""


def known_secrets(
    steps: Sequence[CapturedStep], names: Sequence[str | None], addresses: Sequence[str] = ()
) -> list[Typed]:
    """The secrets that were typed, by these names, those that addresses show as such, and what those make together that
    overlap in an address."""
    known: dict[str, Typed] = {}
    for step, name in zip(steps, names, strict=True):
        if name is not None and step.secret_value:
            known.setdefault(name, Typed(name=name, value=step.secret_value, kind=step.secret))
    opened = [url for step in steps if step.command in OPENS and isinstance(url := step.arguments.get("url"), str)]
    for address in (*addresses, *opened):
        _name(secrets_of(address), known)
    for address in (*addresses, *opened):
        _name(list(joined(address, list(known.values()))), known)
    return list(known.values())


def _name(secrets: Iterable[tuple[str, str]], known: dict[str, Typed]) -> None:
    """Add kinds and values to the known secrets, each once and under a name of its own."""
    for kind, value in secrets:
        if all(value != one.value for one in known.values()):
            name = unused_name(kind, list(known))
            known[name] = Typed(name=name, value=value, kind=kind)


def addressed(step: CapturedStep, secrets: Sequence[Typed], parameters: Sequence[Typed] = ()) -> Addressed:
    """The step without the values of secrets in its address, and with those of parameters by reference."""
    typed = [*secrets, *parameters]
    url = step.arguments.get("url")
    if step.check is not None and step.check.kind == "url" and isinstance(step.check.expected, str):
        glob = as_glob(step.check.expected, find(step.check.expected, typed))
        return Addressed(step=attrs.evolve(step, check=Check(kind="url", expected=glob)))
    if step.command == "wait_for" and isinstance(url, str):
        address = url.strip("*")  # of the glob that the optimizer made
        return Addressed(step=_opening(step, url.replace(address, as_glob(address, find(address, typed)))))
    if step.command not in OPENS or not isinstance(url, str):
        return Addressed(step=step)
    found = find(url, typed)
    names = tuple(dict.fromkeys(one.typed.name for one in found if one.typed.kind))
    return Addressed(step=_opening(step, with_references(url, found)), secrets=names, origin=origin_of(url) or "")


def unused_name(name: str, taken: Sequence[str]) -> str:
    """The name, with a number where it is taken."""
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    return found


def _opening(step: CapturedStep, url: str) -> CapturedStep:
    return attrs.evolve(step, arguments={**step.arguments, "url": url})
