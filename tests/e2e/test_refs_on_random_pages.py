"""Refs are exact: on random pages in a real Chromium, before and after random changes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kapture.page import Page
from kapture.page.target import TargetSpec
from kapture.snapshot import Tree, take
from kapture.snapshot.diff import compare
from tests.support.context import open_tab

pytestmark = pytest.mark.e2e

TAGS = ["button", "a", "h2", "li", "td", "span", "div", "p", "label", "input", "section", "ul", "table", "b", "option"]

shapes: st.SearchStrategy[Any] = st.recursive(
    st.tuples(st.sampled_from(TAGS), st.just([])),
    lambda inner: st.tuples(st.sampled_from(TAGS), st.lists(inner, max_size=4)),
    max_leaves=14,
)
changes = st.lists(
    st.tuples(
        st.sampled_from(["remove", "rename", "move", "clone", "disable"]), st.integers(0, 40), st.integers(0, 40)
    ),
    max_size=6,
)

BUILD = """(shapes) => {
  let n = 0;
  const make = ([tag, children]) => {
    const element = document.createElement(tag);
    element.dataset.n = n;
    if (tag === 'a') element.href = '/' + n;
    element.setAttribute('aria-label', tag + n);
    n += 1;
    element.append('t' + element.dataset.n, ...children.map(make));
    return element;
  };
  document.body.replaceChildren(...shapes.map(make));
}"""

CHANGE = """(changes) => {
  const all = () => [...document.body.querySelectorAll('*')];
  for (const [what, a, b] of changes) {
    const elements = all();
    if (elements.length === 0) return;
    const one = elements[a % elements.length], other = elements[b % elements.length];
    if (what === 'remove') one.remove();
    else if (what === 'rename') one.setAttribute('aria-label', 'renamed' + a);
    else if (what === 'move' && !one.contains(other)) other.append(one);
    else if (what === 'clone') { const copy = one.cloneNode(false); copy.dataset.n += 'c'; other.before(copy); }
    else if (what === 'disable') one.setAttribute('aria-disabled', 'true');
  }
}"""

TELL = """(refs) => refs.map((ref) => {
  const element = kapture.element(ref);
  return element ? [element.dataset.n ?? '', element.getAttribute('aria-label') ?? '', element.isConnected] : null;
})"""


async def apply(page: Page, function: str, value: Any, world: Any = "main") -> Any:
    return await page.evaluate(f"({function})({json.dumps(value)})", world=world)


def named(tree: Tree) -> dict[int, tuple[str, str]]:
    """Ref → role and name, of all elements but the document."""
    return {node.ref: (node.role, node.name) for _, node in tree.walk() if node.role != "document"}


@given(st.lists(st.tuples(st.lists(shapes, max_size=3), changes), min_size=8, max_size=8))
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
async def test_a_ref_names_its_element_and_never_another_one(browser: int, pages: list[tuple[Any, Any]]) -> None:
    async with open_tab(browser) as tab:
        page = tab.page
        elements: dict[int, str] = {}
        for shape, change in pages:
            await apply(page, BUILD, shape)
            old = await take(page)
            before = named(old)
            described = await apply(page, TELL, list(before), "kapture")
            for (ref, (_, name)), found in zip(before.items(), described, strict=True):
                assert found is not None
                assert found[1] == name
                assert ref not in elements, "a ref was given to a second element"
                elements[ref] = found[0]

            await apply(page, CHANGE, change)
            new = await take(page)
            after = named(new)
            described = await apply(page, TELL, list(after), "kapture")
            for (ref, (role, name)), found in zip(after.items(), described, strict=True):
                assert found is not None
                assert found[1] == name
                if ref in before:
                    assert before[ref] == (role, name)
                    assert elements[ref] == found[0]
                elements[ref] = found[0]

            assert compare(old, new).apply(old) == new
            assert compare(new, old).apply(new) == old


async def test_every_ref_of_a_snapshot_can_be_acted_on_as_a_target(browser: int) -> None:
    async with open_tab(browser) as tab:
        await apply(tab.page, BUILD, [["ul", [["li", [["button", []]]]]], ["a", []], ["section", [["input", []]]]])
        for _, node in (await take(tab.page)).walk():
            element = await tab.page.locate(TargetSpec(ref=f"e{node.ref}"))
            assert (element.role, element.name) == (node.role, node.name)
