"""Finding a step's element by its targets in order, or by its role and name. It must be the recorded one."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

import attrs
import msgspec

from kapture.commands.core.context import HubCall
from kapture.errors import (
    CommandTimeout,
    ElementAmbiguous,
    ElementNotFound,
    ErrorCode,
    InvalidSelector,
    KaptureError,
    RefExpired,
)
from kapture.scenarios.model import Appearance, StepTarget
from kapture.scenarios.replay.page_nodes import name_of, nodes_of
from kapture.scenarios.replay.same_element import Seen, in_its_place, is_same, same_name

_ROUNDS_MS = (500.0, 1_500.0, 3_000.0)
"""How long each of three rounds waits for the first target before trying all of them again."""
_MOST_MATCHES = 20
_MOST_CANDIDATES = 3
_NO_MATCH = (ElementNotFound, InvalidSelector, ElementAmbiguous)


@attrs.frozen(kw_only=True)
class FoundElement:
    """The element for a step. `used` is None if the first target found it."""

    ref: str
    used: str | None = None
    seen: Seen


@attrs.frozen(kw_only=True)
class Finder:
    """Finds elements on one tab. `call` runs commands on it. `values`: texts that the run was given or has captured."""

    call: HubCall
    tab_id: str
    values: Collection[str] = ()

    async def find(
        self, targets: list[StepTarget], wanted: Appearance | None, timeout_ms: float | None, what: str = "element"
    ) -> FoundElement:
        """The element; `ELEMENT_NOT_FOUND` says `what` it is, and names what the page has like it."""
        budget_ms = sum(_ROUNDS_MS) if timeout_ms is None else timeout_ms
        shared = _was_shared(targets)
        if wanted is not None and shared:
            wanted = _without_shared_identity(wanted, targets)
        page: Sequence[Seen] = ()
        for waits_ms in (0.0, *_ROUNDS_MS):
            if waits_ms:
                await self._wait(targets, budget_ms * waits_ms / sum(_ROUNDS_MS))
                if all(target.xpath is None for target in targets):  # it was recorded in a shadow root
                    await self._matches(targets[0].as_argument(), plain_hosts=True)
            tied: set[str] = set()
            for index, target in enumerate(targets):
                if (seen := await self._by_target(target, wanted, tied, shared=shared)) is not None:
                    return FoundElement(ref=seen.ref, used=described(target) if index else None, seen=seen)
            if wanted is None or not waits_ms:
                continue
            page = await self._page()
            if (seen := await self._by_name(wanted, page, tied, shared=shared)) is not None:
                return FoundElement(ref=seen.ref, used="its role and name", seen=seen)
        raise _gone(what, targets, _candidates(wanted, page) if wanted is not None else [])

    async def box(self, ref: str) -> Sequence[float]:
        """Where an element is: x, y, width and height in the viewport, in CSS pixels; `ELEMENT_NOT_FOUND` if it is not
        shown any more."""
        matches = await self._matches({"ref": ref})
        if not matches or not matches[0].box:
            raise ElementNotFound(ErrorCode.ELEMENT_NOT_FOUND, f"{ref} disappeared while it was looked for.")
        return matches[0].box

    async def _wait(self, targets: list[StepTarget], timeout_ms: float) -> None:
        """Wait until the first target exists, or the time has passed: another target may match then."""
        with suppress(*_NO_MATCH, CommandTimeout):
            await self.call(
                "wait_for",
                {
                    "tabId": self.tab_id,
                    "target": targets[0].as_argument(),
                    "timeout": max(1, timeout_ms),
                    "snapshot": "none",
                },
            )

    async def _by_target(
        self, target: StepTarget, wanted: Appearance | None, tied: set[str], *, shared: bool
    ) -> Seen | None:
        """The only match of a target that is the recorded element. `tied` gets the refs of several: a later target
        tells them apart by their places alone, and finds none of them."""
        matches = await self._matches(target.as_argument())
        if wanted is None:
            matches = matches if target.nth is None else matches[target.nth : target.nth + 1]
            return matches[0] if len(matches) == 1 else None
        if matches and not (len(matches) == 1 and target.ways()[0] == "role" and target.name):
            page = await self._page()
            matches = [attrs.evolve(one, shared_name=_is_shared(one, page)) for one in matches]
        return self._only(wanted, matches, tied, shared=shared)

    async def _by_name(self, wanted: Appearance, page: Sequence[Seen], tied: set[str], *, shared: bool) -> Seen | None:
        """The only element with the recorded role and name, if it is the recorded one."""
        name = wanted.name or wanted.text
        alike = [one for one in page if in_its_place(wanted.role, one.role)]
        alike = [one for one in alike if not name or same_name(wanted.role, name, one.name)]
        if len(alike) > _MOST_MATCHES:
            return None
        found = [one for each in alike for one in await self._matches({"ref": each.ref})]
        found = [attrs.evolve(one, shared_name=len(alike) > 1) for one in found]
        return self._only(wanted, found, tied, shared=shared)

    def _only(self, wanted: Appearance, matches: Sequence[Seen], tied: set[str], *, shared: bool) -> Seen | None:
        fit = (one for one in matches if is_same(wanted, one, was_shared=shared, values=self.values))
        same = {one.ref: one for one in fit}
        if len(same) > 1:
            tied.update(same)
        return next(iter(same.values())) if len(same) == 1 and tied.isdisjoint(same) else None

    async def _matches(self, target: Mapping[str, Any], *, plain_hosts: bool = False) -> list[Seen]:
        """The visible matches of a target. `plain_hosts`: see the command `elements`."""
        try:
            answer = await self.call(
                "elements",
                {
                    "tabId": self.tab_id,
                    "target": dict(target),
                    "max": _MOST_MATCHES,
                    "surroundings": True,
                    **({"plain_hosts": True} if plain_hosts else {}),
                },
            )
        except (*_NO_MATCH, RefExpired):
            return []
        return [
            Seen(
                ref=one["ref"],
                role=one["role"],
                name=one["name"] or one["text"],
                tag=one["tag"],
                attributes=one.get("attributes") or {},
                neighbours=one["surroundings"]["neighbours"],
                within=one["surroundings"]["within"],
                origin=one["origin"],
                box=one["box"],
            )
            for one in answer.data["elements"]
            if one["visible"] or (one.get("attributes") or {}).get("type") == "file"
        ]

    async def _page(self) -> list[Seen]:
        """Every element that can be referred to."""
        answer = await self.call("snapshot", {"tabId": self.tab_id, "format": "json", "max_chars": 200_000})
        nodes = nodes_of(answer.data.get("tree") or {})
        return [
            Seen(ref=node["ref"], role=str(node.get("role", "")), name=name_of(node)) for node in nodes if "ref" in node
        ]


def described(target: StepTarget) -> str:
    """In words: `role button "Save"`."""
    given = target.as_argument()
    way = target.ways()[0]
    name = f' "{given["name"]}"' if way == "role" and "name" in given else ""
    return f"{way} {given[way]}{name}"


def _was_shared(targets: list[StepTarget]) -> bool:
    """Whether the name was not unique when it was recorded: then the element's surroundings decide."""
    return any(target.nth is not None and target.ways()[0] in ("role", "label", "text") for target in targets)


def _is_shared(one: Seen, page: Sequence[Seen]) -> bool:
    return bool(one.name) and any(
        other.ref != one.ref and in_its_place(one.role, other.role) and same_name(one.role, one.name, other.name)
        for other in page
    )


def _candidates(wanted: Appearance, page: Sequence[Seen]) -> list[str]:
    """The elements that are used in the same way, those with the most similar names first."""
    name = wanted.name or wanted.text
    alike = [one for one in page if one.name and in_its_place(wanted.role, one.role)]
    alike.sort(key=lambda one: difflib.SequenceMatcher(None, name, one.name).ratio(), reverse=True)
    return [f"{one.role} {one.name!r} ({one.ref})" for one in alike[:_MOST_CANDIDATES]]


def _without_shared_identity(wanted: Appearance, targets: list[StepTarget]) -> Appearance:
    """Without the attributes that no target needs: each row's button may have the same test id. An id is one
    element's."""
    alone = [target for target in targets if target.nth is None]
    kept = {
        name: value
        for name, value in wanted.attributes.items()
        if name == "id" or any(value == one.testId or f'"{value}"' in (one.css or one.xpath or "") for one in alone)
    }
    return msgspec.structs.replace(wanted, attributes=kept)


def _gone(what: str, targets: list[StepTarget], candidates: Sequence[str]) -> KaptureError:
    tried = "; ".join(described(target) for target in targets)
    message = f"The page shows no {what} that is the recorded one (tried {tried}"
    if candidates:
        message += f"; candidates: {', '.join(candidates)}"
    return KaptureError(
        ErrorCode.ELEMENT_NOT_FOUND, f"{message}).", hint="Look at the page; record the step again if it has changed."
    )
