"""Finding a step's element: by its targets in order, compared with its recorded appearance, then by that alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from kapture.scenarios.healing.likeness import FLOOR, MARGIN, PART, Seen, beside_nothing_known, score
from kapture.scenarios.healing.names import answers, destroys
from kapture.scenarios.healing.surroundings import elements_on
from kapture.scenarios.model import Appearance, StepTarget

_ROUNDS_MS = (500.0, 1_500.0, 3_000.0)
"""How long each of three rounds waits for the first target before trying all of them again."""
_MOST_MATCHES = 20
_MOST_LOOKED_AT = 8
_NO_MATCH = (ElementNotFound, InvalidSelector, ElementAmbiguous)


@attrs.frozen(kw_only=True)
class FoundElement:
    """The element for a step. `used` is None if the first target found it."""

    ref: str
    used: str | None = None
    score: float | None = None
    seen: Seen


@attrs.frozen(kw_only=True)
class Finder:
    """Finds elements on one tab. `call` runs commands on it."""

    call: HubCall
    tab_id: str

    async def find(
        self, targets: list[StepTarget], wanted: Appearance | None, timeout_ms: float | None, what: str = "element"
    ) -> FoundElement:
        """The element; `ELEMENT_NOT_FOUND` says `what` it is, and names the closest candidate, if there is one."""
        closest: tuple[float, Seen] | None = None
        budget_ms = sum(_ROUNDS_MS) if timeout_ms is None else timeout_ms
        shared = _needs_page(targets)
        if wanted is not None and shared:
            wanted = _without_shared_identity(wanted, targets)
        elif wanted is not None and wanted.role in ("checkbox", "switch"):
            wanted = _without_groups_name(wanted, targets)
        for waits_ms in (0.0, *_ROUNDS_MS):
            if waits_ms:
                await self._wait(targets, budget_ms * waits_ms / sum(_ROUNDS_MS))
                if all(target.xpath is None for target in targets):  # it was recorded in a shadow root
                    await self._matches(targets[0].as_argument(), plain_hosts=True)
            page = await self._page() if wanted is not None and shared else None
            tied: set[str] = set()
            for index, target in enumerate(targets):
                if (found := await self._by_target(target, wanted, page, tied, shared=shared)) is not None:
                    if index == 0:
                        return FoundElement(ref=found[1].ref, seen=found[1])
                    return FoundElement(ref=found[1].ref, used=described(target), score=found[0], seen=found[1])
            if wanted is None or not waits_ms:
                continue
            best, closest = await self._by_look(wanted, shared=shared)
            if best is not None:
                return FoundElement(ref=best[1].ref, used="what it looked like", score=best[0], seen=best[1])
        raise _gone(what, targets, closest)

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
        self,
        target: StepTarget,
        wanted: Appearance | None,
        page: Mapping[str, Seen] | None,
        tied: set[str],
        *,
        shared: bool,
    ) -> tuple[float, Seen] | None:
        """The only match of a target that resembles the recorded element. `shared`: others had the same name. `tied`
        gets the refs of those that resemble it as much as another one does, where it was the only one: a later target
        tells them apart by their places alone, and finds none of them."""
        matches = [_with_shared_name(one, page) for one in await self._matches(target.as_argument())]
        if wanted is None:
            matches = matches if target.nth is None else matches[target.nth : target.nth + 1]
            return (1.0, matches[0]) if len(matches) == 1 else None
        same = len(matches) == 1 and not shared and _same(wanted, matches[0]) and not answers(wanted.name)
        by_name = target.ways()[0] in ("role", "label", "text") or (not wanted.name and bool(wanted.text))
        if not (wanted.name or wanted.text) and (wanted.neighbours or wanted.attributes):
            same = False  # what has no name is known by what is around it, or by its attributes
        if same and by_name and not destroys(wanted.name):
            return 1.0, matches[0]
        if page is None and matches:
            page = await self._page()
            matches = [_with_shared_name(one, page) for one in matches]
        if same and not matches[0].shared_name:
            lost = destroys(wanted.name) and page and beside_nothing_known(wanted, page.values())
            return None if lost else (1.0, matches[0])
        best, _ = _best(wanted, matches, was_shared=shared)
        if best is None and not shared:
            tied |= {one.ref for one in matches if score(wanted, one) >= FLOOR}
        return None if best is not None and best[1].ref in tied else best

    async def _by_look(
        self, wanted: Appearance, *, shared: bool
    ) -> tuple[tuple[float, Seen] | None, tuple[float, Seen] | None]:
        """The element that resembles the recorded one most, if it is similar enough; and the closest candidate in any
        case."""
        page = await self._page()
        bare = _as_in_snapshots(wanted)
        by_name = sorted(page.values(), key=lambda one: score(bare, one, was_shared=shared), reverse=True)
        looked_at = by_name[:_MOST_LOOKED_AT]  # read attributes only of likely candidates, by name or position
        for name in ("id", "name"):
            if value := wanted.attributes.get(name):
                quoted = value.replace("\\", "\\\\").replace('"', '\\"')
                looked_at += [
                    _with_shared_name(one, page) for one in await self._matches({"css": f'[{name}="{quoted}"]'})
                ]
        known: dict[str, Seen] = {}
        for one in looked_at:
            if one.ref and one.ref not in known:
                known[one.ref] = one if one.tag else await self._with_facts(one)
        return _best(wanted, list(known.values()), was_shared=shared)

    async def _with_facts(self, one: Seen) -> Seen:
        matches = await self._matches({"ref": one.ref})
        if not matches:
            return one
        return attrs.evolve(matches[0], ref=one.ref, name=one.name, role=one.role, shared_name=one.shared_name)

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

    async def _page(self) -> dict[str, Seen]:
        answer = await self.call("snapshot", {"tabId": self.tab_id, "format": "json", "max_chars": 200_000})
        return {one.ref: one for one in elements_on(answer.data.get("tree") or {})}


def described(target: StepTarget) -> str:
    """In words: `role button "Save"`."""
    given = target.as_argument()
    way = target.ways()[0]
    name = f' "{given["name"]}"' if way == "role" and "name" in given else ""
    return f"{way} {given[way]}{name}"


def _needs_page(targets: list[StepTarget]) -> bool:
    """Whether the name was not unique when it was recorded: then the element's surroundings decide."""
    return any(target.nth is not None and target.ways()[0] in ("role", "label", "text") for target in targets)


def _same(wanted: Appearance, seen: Seen) -> bool:
    name = wanted.name or wanted.text
    return wanted.role in ("", seen.role) and (not name or name == seen.name)


def _with_shared_name(one: Seen, page: Mapping[str, Seen] | None) -> Seen:
    if page is None or (known := page.get(one.ref)) is None:
        return one
    return attrs.evolve(one, shared_name=known.shared_name)


def _as_in_snapshots(wanted: Appearance) -> Appearance:
    """Without what a snapshot does not tell of an element."""
    within = [one for one in wanted.within if not one.startswith(PART)]
    return Appearance(role=wanted.role, name=wanted.name, text=wanted.text, neighbours=wanted.neighbours, within=within)


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


def _without_groups_name(wanted: Appearance, targets: list[StepTarget]) -> Appearance:
    """Without the `name` of a checkbox, unless a selector shows that no other had it."""
    name = wanted.attributes.get("name")
    if not name or any(target.css and f'[name="{name}"]' in target.css for target in targets if target.nth is None):
        return wanted
    return msgspec.structs.replace(
        wanted, attributes={key: value for key, value in wanted.attributes.items() if key != "name"}
    )


def _best(
    wanted: Appearance, candidates: list[Seen], *, was_shared: bool
) -> tuple[tuple[float, Seen] | None, tuple[float, Seen] | None]:
    """The best candidate, if it is above the threshold and ahead of the others; and the best in any case."""
    ranked = sorted(
        ((score(wanted, one, was_shared=was_shared), one) for one in candidates), key=lambda pair: pair[0], reverse=True
    )
    if not ranked or ranked[0][0] == 0:
        return None, None
    ahead = len(ranked) == 1 or ranked[0][0] - ranked[1][0] >= MARGIN
    return (ranked[0] if ranked[0][0] >= FLOOR and ahead else None), ranked[0]


def _gone(what: str, targets: list[StepTarget], closest: tuple[float, Seen] | None) -> KaptureError:
    tried = "; ".join(described(target) for target in targets)
    message = f"The page shows no {what} that is the recorded one (tried {tried}"
    if closest is not None:
        alike, seen = closest
        one = f"{seen.role} {seen.name!r}, score {alike:.2f}"
        lacking = f"at least {FLOOR:g} is needed" if alike < FLOOR else "but nothing tells it from others like it"
        message += f"; closest: {one}, {lacking}"
    return KaptureError(
        ErrorCode.ELEMENT_NOT_FOUND, f"{message}).", hint="Look at the page; record the step again if it has changed."
    )
