"""What a listener listens for on behalf of others is read from its source."""

from __future__ import annotations

import time

import pytest

from kapture.page.introspection.delegates import MOST_SELECTORS, delegated_selectors

SOURCES = {
    "e => { const row = e.target.closest('[data-row]'); if (row) open(row) }": ["[data-row]"],
    "function(t){t.target.matches('.delete')&&r(t)}": [".delete"],
    "e => { if (!e.target.closest('.btn')) return; go() }": [".btn"],
    "e => { if (!e.target.matches(`li.item`)) { return } go() }": ["li.item"],
    "e => { if (!e.target.closest('#menu')) hide() }": [],
    "({target: t}) => t.dataset.rowId && pick(t.dataset.rowId)": ["[data-row-id]"],
    "e => { const {turn, day: d = 1} = e.target.dataset; turn ? move(turn) : pick(d) }": ["[data-turn]", "[data-day]"],
    "e => { e.target.dataset.state = 'on' }": [],
    "e => { if (e.target.classList.contains('like')) like() }": [".like"],
    "e => { if (e.target.className === 'pv day') back() }": [".pv.day"],
    "e => { if (e.target.id == 'save') save() }": ["#save"],
    "e => run(e.target.getAttribute('data-command'), e.target.getAttribute('href'))": ["[data-command]"],
    "e => e.target?.closest?.('.x')": [".x"],
    "() => count++": [],
    "e => e.target.closest(`[data-${kind}]`)": [],
    "e => { if (! e.target?.closest('.btn')) { return } go() }": [".btn"],
    "e => { if (x !== e.target.closest('.btn')) go() }": [".btn"],
    "e => nodes(e)[0].row.closest('.row')": [".row"],
}


@pytest.mark.parametrize(("source", "selectors"), SOURCES.items())
def test_selectors_are_read_from_the_source(source: str, selectors: list[str]) -> None:
    assert delegated_selectors(source) == selectors


def test_a_listener_that_names_very_many_is_cut_short() -> None:
    assert len(delegated_selectors(" ".join(f"e.target.closest('.c{n}');" for n in range(100)))) == MOST_SELECTORS


HOSTILE = {
    "one long word": "a" * 50_000,
    "one long chain": "a." * 25_000,
    "a chain to each of many": "a." * 15_000 + "closest(" + " " * 19_000,
    "spaces after a question": "if (!e.target.closest('.a'))" + " " * 49_000,
    "questions without an end": ".closest('" * 5_000,
    "exclamation marks": "! " * 25_000,
    "braces": "{a,b}= " * 7_000,
    "data": "x.dataset." + "a" * 49_000,
}


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_no_source_takes_long_to_read_or_names_anything_long(source: str) -> None:
    began = time.process_time()
    selectors = delegated_selectors(source)
    assert time.process_time() - began < 1  # of tens of seconds, when the time grows with the square of the length
    assert all(len(selector) < 200 for selector in selectors)
