"""Shortens a recording: steps without an effect of their own are removed, and waits are added for navigations.

Pure functions over recorded items.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TypeGuard

import attrs

from kapture.glob import glob_matches
from kapture.scenarios.record.captured import (
    Captured,
    CapturedStep,
    PageChange,
    in_other_documents,
    same_element,
    wait_id,
)
from kapture.scenarios.record.joined_clicks import join_clicks
from kapture.split_url import split_url

_FILLS = frozenset({"fill", "type", "select", "upload", "paste"})
_MOST_PRESSES = 100  # the limit of `press`
_ID = re.compile(r"\d+|[0-9a-f-]{8,}", re.IGNORECASE)
"""A part of a path that is another one in the next run, if it has a digit: a number, a UUID, a hexadecimal id."""


def optimize(captured: Sequence[Captured], url: str = "", *, shorten: bool = True) -> list[CapturedStep]:
    """The steps to replay. They keep their order and what they type. `url`: where the recording began, if known.
    Without `shorten` none is left out, and only typing is joined: a secret may have been typed key by key."""
    before: list[Captured] = []
    items = list(captured)
    while items != before:  # a rule may make two items adjacent that another rule joins
        before = items
        for rule in _RULES if shorten else (_join_typing,):
            items = rule(items)
    return list(_with_waits(items, url))


def is_search(step: CapturedStep) -> bool:
    """Whether a step types a search query."""
    if step.command not in ("fill", "type") or step.element is None or step.secret is not None:
        return False
    return step.element.role == "searchbox" or step.element.attributes.get("type") == "search"


def glob_of(url: str) -> str:
    """Return a glob for `wait_for` that matches the URL in later runs: without query and fragment, with any ids. One
    that would match every page has the host."""
    parts = split_url(url)
    path = (
        "/".join("*" if _ID.fullmatch(part) and any(map(str.isdigit, part)) else part for part in parts.path.split("/"))
        or "/"
    )
    return f"*{path}*" if path.strip("/*") else f"*//{parts.netloc}{path.rstrip('*')}*"


def _join_values(items: Sequence[Captured]) -> list[Captured]:
    """Keep only the last of consecutive fills of one field."""
    joined: list[Captured] = []
    for item in items:
        before = joined[-1] if joined else None
        if _is(item, "fill") and _is(before, "fill") and _about_one(before, item) and before.opens is None:
            joined.pop()
        joined.append(item)
    return joined


def _join_typing(items: Sequence[Captured]) -> list[Captured]:
    """Join text typed in parts, into the focus or as parts of a secret."""
    joined: list[Captured] = []
    for item in items:
        before = joined[-1] if joined else None
        if isinstance(before, CapturedStep) and _is(item, "type") and _are_one_text(before, item):
            joined[-1] = _one_text(before, item)
        else:
            joined.append(item)
    return joined


def _one_text(before: CapturedStep, item: CapturedStep) -> CapturedStep:
    if item.secret is not None:
        return attrs.evolve(
            item,
            id=before.id,
            command=before.command,
            arguments=before.arguments,
            secret_value=f"{before.secret_value or ''}{item.secret_value or ''}",
        )
    return attrs.evolve(item, id=before.id, arguments={"text": before.arguments["text"] + item.arguments["text"]})


def _are_one_text(before: CapturedStep, item: CapturedStep) -> bool:
    """Whether both type into the focus, or parts of a secret into one field."""
    if before.command not in ("type", "fill") or before.secret != item.secret or before.tab != item.tab:
        return False
    if before.opens is not None:
        return False
    if item.secret is not None and (before.targets or item.targets):
        return not item.arguments and _about_one(before, item)
    into_focus = before.command == "type" and not before.targets and not item.targets
    known = {"text"} if item.secret is None else set()
    return into_focus and set(before.arguments) == set(item.arguments) == known and not in_other_documents(before, item)


def _drop_focusing(items: Sequence[Captured]) -> list[Captured]:
    """Remove a click on a field before it is filled or on a list before the choice, and Tab before the next field."""
    kept: list[Captured] = []
    for item in reversed(items):
        after = kept[-1] if kept else None
        if isinstance(item, CapturedStep) and isinstance(after, CapturedStep) and _only_focuses(item, after):
            continue
        kept.append(item)
    return kept[::-1]


def _only_focuses(item: CapturedStep, after: CapturedStep) -> bool:
    if item.tab != after.tab or item.opens is not None:
        return False
    if item.command == "press":
        return item.arguments == {"key": "Tab"} and bool(after.targets)
    return item.command == "click" and not item.arguments and after.command in _FILLS and _about_one(item, after)


def _drop_hovers(items: Sequence[Captured]) -> list[Captured]:
    """Remove a hover over the next step's element, or at the end."""
    kept: list[Captured] = []
    for item in reversed(items):
        if not (_is(item, "hover") and (not kept or _about_one(item, kept[-1]))):
            kept.append(item)
    return kept[::-1]


def _join_presses(items: Sequence[Captured]) -> list[Captured]:
    """Join presses of the same key into one step with a count."""
    joined: list[Captured] = []
    for item in items:
        before = joined[-1] if joined else None
        if _is(item, "press") and _is(before, "press") and _are_one_press(before, item):
            count = before.arguments.get("count", 1) + item.arguments.get("count", 1)
            if count <= _MOST_PRESSES:
                joined[-1] = attrs.evolve(before, arguments={**before.arguments, "count": count})
                continue
        joined.append(item)
    return joined


def _are_one_press(before: CapturedStep, item: CapturedStep) -> bool:
    opens_none = before.opens is None and item.opens is None
    return opens_none and _keys(item) == _keys(before) and _alike(before, item)


def _join_scrolls(items: Sequence[Captured]) -> list[Captured]:
    """Keep only the last of consecutive scrolls of one element, if each sets the whole position."""
    joined: list[Captured] = []
    for item in items:
        before = joined[-1] if joined else None
        both = _is(item, "scroll") and _is(before, "scroll") and _alike(before, item)
        if both and _says_position(before) and _says_position(item):
            joined.pop()
        joined.append(item)
    return joined


def _says_position(item: Captured | None) -> bool:
    return isinstance(item, CapturedStep) and item.arguments.keys() == {"x", "y"}


def _drop_tab_changes(items: Sequence[Captured]) -> list[Captured]:
    """Keep only the last of consecutive changes of the tab."""
    return [
        item
        for item, after in zip_longest(items, items[1:])
        if not (_is(item, "tab_activate") and _is(after, "tab_activate"))
    ]


def _with_waits(items: Sequence[Captured], url: str) -> Iterator[CapturedStep]:
    """Add a wait for the address after the last of several changes of a tab's page. `navigate` and `reload` wait
    anyway; a glob that matches the page before, too, would wait for nothing, and is left out."""
    causes: dict[int, CapturedStep] = {}
    changes: dict[int, PageChange] = {}
    shown = {1: url}
    for item in items:
        if isinstance(item, PageChange):
            changes[item.tab] = item
            continue
        yield from _waits(changes, causes, shown)
        changes = {}
        causes[item.tab] = item
        if item.opens is not None:
            causes[item.opens] = item
        if item.command == "navigate":
            shown[item.tab] = str(item.arguments.get("url", ""))
        yield item
    yield from _waits(changes, causes, shown)


def _waits(
    changes: Mapping[int, PageChange], causes: Mapping[int, CapturedStep], shown: dict[int, str]
) -> Iterator[CapturedStep]:
    for tab, change in changes.items():
        before, shown[tab] = shown.get(tab, ""), change.url
        cause = causes.get(tab)
        if cause is None or (cause.command in ("navigate", "reload") and cause.opens != tab):
            continue
        if not glob_matches(before, glob := glob_of(change.url)):
            number = wait_id(cause, opened=cause.opens == tab)
            yield CapturedStep(command="wait_for", arguments={"url": glob}, id=number, tab=tab)


def _is(item: Captured | None, command: str) -> TypeGuard[CapturedStep]:
    return isinstance(item, CapturedStep) and item.command == command


def _keys(item: CapturedStep) -> object:
    return {key: value for key, value in item.arguments.items() if key != "count"}


def _about_one(one: Captured | None, other: Captured | None) -> bool:
    if not isinstance(one, CapturedStep) or not isinstance(other, CapturedStep):
        return False
    return one.tab == other.tab and not in_other_documents(one, other) and same_element(one, other)


def _alike(one: CapturedStep, other: CapturedStep) -> bool:
    """In one tab, and about one element, or both about none."""
    return _about_one(one, other) if one.targets or other.targets else one.tab == other.tab


_RULES = (
    join_clicks,
    _join_values,
    _join_typing,
    _drop_focusing,
    _drop_hovers,
    _join_presses,
    _join_scrolls,
    _drop_tab_changes,
)
