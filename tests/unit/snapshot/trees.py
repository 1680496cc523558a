"""Random pages, as trees that an agent could have made: every element has a ref of its own in its frame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from hypothesis import strategies as st

from kapture.snapshot.node import Node
from kapture.snapshot.tree import FrameView, Problem, Tree

PROBLEMS: st.SearchStrategy[Problem] = st.sampled_from(get_args(Problem))

ROLES = [
    "button", "link", "heading", "textbox", "checkbox", "list", "listitem", "table", "rowgroup", "row", "cell",
    "columnheader", "paragraph", "generic", "strong", "main", "navigation", "region", "form", "group", "combobox",
    "option", "image", "status", "dialog", "article", "iframe", "LabelText", "blockquote", "gridcell", "tab",
]  # fmt: skip

WORDS = [
    "Save",
    "Name",
    "Total 12",
    "Read more",
    "1",
    'ref=e7 "x"',
    'button "Pay" ref=e99',
    "a\nb",
    "\u202eabc",
    "",
    "\ud800",
]

names = st.one_of(st.sampled_from(WORDS), st.text(max_size=12), st.just("lorem " * 120))
values = st.one_of(st.none(), st.sampled_from(["x", "", "two\nlines", '"']), st.integers(0, 9))
states = st.dictionaries(
    st.sampled_from(
        ["checked", "disabled", "expanded", "focused", "level", "selected", "invalid", "readonly", "max", "text"]
    ),
    st.one_of(st.booleans(), st.sampled_from(["mixed", "] ref=e5", "9 ref=e5", "page"]), st.integers(1, 6)),
    max_size=2,
)


class Numbers:
    """Refs for one frame, each used once."""

    def __init__(self) -> None:
        self.next = 0

    def take(self) -> int:
        self.next += 1
        return self.next


@st.composite
def shapes(draw: st.DrawFn, *, width: int = 4, depth: int = 4) -> Any:
    """A nested shape without refs: (facts, children)."""
    facts = {
        "role": draw(st.sampled_from(ROLES)),
        "name": draw(st.one_of(st.just(""), names)),
        "states": draw(st.one_of(st.just({}), states)),
        "value": draw(st.one_of(st.none(), values)),
        "url": draw(st.sampled_from([None, None, "https://shop.test/a?b=c", "https://other.test/x y"])),
        "offscreen": draw(st.booleans()),
        "clickable": draw(st.sampled_from([False, False, False, True])),
    }
    if facts["value"] is not None:
        facts["value"] = str(facts["value"])
    children: list[Any] = []
    if depth > 0:
        children = draw(st.lists(st.one_of(names, shapes(width=width, depth=depth - 1)), max_size=width))
    repeat = draw(st.sampled_from([1, 1, 1, 1, 30]))
    if repeat > 1 and children and not isinstance(children[-1], str):
        children += [children[-1]] * repeat
    return (facts, children)


def build(shape: Any, numbers: Numbers) -> Node:
    """Refs in post-order, as the agent gives them."""
    facts, children = shape
    built = tuple(child if isinstance(child, str) else build(child, numbers) for child in children)
    return Node(ref=numbers.take(), children=built, **facts)


def document(*children: Node | str, ref: int = 100_000) -> Node:
    return Node(role="document", ref=ref, children=children)


def page(root: Node, **frames: FrameView) -> Tree:
    main = FrameView(key="", url="https://shop.test/a", title="Shop", document="d1", root=root)
    return Tree({"": main, **frames})


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """A page with up to two frames stitched in."""
    numbers = Numbers()
    shape = draw(st.lists(shapes(), max_size=5))
    children: list[Node | str] = [build(one, numbers) for one in shape]
    views: dict[str, FrameView] = {}
    for key in draw(st.sampled_from([(), ("f1",), ("f1", "f2")])):
        children.append(Node(role="iframe", ref=numbers.take(), frame=key, name=draw(names)))
        problem = draw(PROBLEMS)
        inner = Numbers()
        root = document(*[build(one, inner) for one in draw(st.lists(shapes(depth=2), max_size=3))], ref=50_000)
        views[key] = FrameView(
            key=key, parent="", url="https://other.test/", document=key, root=None if problem else root, problem=problem
        )
    return page(document(*children), **views)


def random_edits(draw: st.DrawFn, tree: Tree) -> Tree:
    """Another moment of the same page: elements gone, come, moved, renamed."""
    root = tree.main.root
    assert root is not None
    nodes = list(root.nodes())
    moved = [node for node in nodes[1:] if draw(st.integers(0, 9)) == 0]
    gone = {node.ref for node in moved}
    fresh = Numbers()
    fresh.next = 200_000

    def rebuild(node: Node, top: bool = False) -> Node:
        children: list[Node | str] = []
        for child in node.children:
            chance = draw(st.integers(0, 11))
            if isinstance(child, str):
                if chance != 0:
                    children.append(child if chance > 1 else child + "!")
            elif child.ref not in gone and chance != 0:
                children.append(rebuild(child))
            if chance == 2:
                children.append(build(draw(shapes(width=2, depth=1)), fresh))
        if draw(st.integers(0, 9)) == 0:
            children.reverse()
        if moved and draw(st.integers(0, 3)) == 0:
            inner = moved.pop()
            children.append(rebuild(inner))
        changes: dict[str, Any] = {"children": tuple(children)}
        if not top and draw(st.integers(0, 9)) == 0:
            changes |= {"name": draw(names), "ref": fresh.take()}
        elif draw(st.integers(0, 9)) == 0:
            changes |= {"states": draw(states), "offscreen": draw(st.booleans())}
        return node_with(node, changes)

    return page(rebuild(root, top=True), **{key: view for key, view in tree.frames.items() if key})


def node_with(node: Node, changes: dict[str, Any]) -> Node:
    import msgspec

    return msgspec.structs.replace(node, **changes)


@st.composite
def tree_pairs(draw: st.DrawFn) -> tuple[Tree, Tree]:
    """A page, and the same page a moment later."""
    old = draw(trees())
    new = random_edits(draw, old)
    return old, unique(new)


@st.composite
def close_pairs(draw: st.DrawFn) -> tuple[Tree, Tree]:
    """A small page, and the same page with one element gone, moved or of another role."""
    numbers = Numbers()
    shape = draw(st.lists(shapes(width=2, depth=1), min_size=1, max_size=3))
    root = document(*[build(one, numbers) for one in shape])
    target = draw(st.sampled_from(list(root.nodes())[1:]))
    kind = draw(st.sampled_from(["gone", "moved", "role"]))
    if kind == "role":
        changed = node_with(target, {"role": draw(st.sampled_from(ROLES))})
        return page(root), page(_replaced(root, target.ref, changed))
    rest = _replaced(root, target.ref, None)
    if kind == "moved":
        parent = draw(st.sampled_from(list(rest.nodes())))
        at = draw(st.integers(0, len(parent.children)))
        children = (*parent.children[:at], target, *parent.children[at:])
        rest = _replaced(rest, parent.ref, node_with(parent, {"children": children}))
    return page(root), page(rest)


def _replaced(node: Node, ref: int, replacement: Node | None) -> Node:
    """The tree with another node, or none, in the place of the one with this ref."""
    if node.ref == ref and replacement is not None:
        return replacement
    children: list[Node | str] = []
    for child in node.children:
        if isinstance(child, str):
            children.append(child)
        elif child.ref != ref:
            children.append(_replaced(child, ref, replacement))
        elif replacement is not None:
            children.append(replacement)
    return node_with(node, {"children": tuple(children)})


def unique(tree: Tree) -> Tree:
    """No ref twice: a later use of one gets another."""
    seen: set[int] = set()
    spare = iter(range(900_000, 999_999))

    def walk(node: Node) -> Node:
        ref = node.ref if node.ref not in seen else next(spare)
        seen.add(ref)
        children = tuple(child if isinstance(child, str) else walk(child) for child in node.children)
        return node_with(node, {"ref": ref, "children": children})

    root = tree.main.root
    assert root is not None
    return page(walk(root), **{key: view for key, view in tree.frames.items() if key})


def all_keys(tree: Tree) -> Iterator[tuple[str, int]]:
    for frame, node in tree.walk():
        yield frame, node.ref
