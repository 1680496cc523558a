"""Taking snapshots of the page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Annotated, Any, Literal

import attrs
from msgspec import Meta

from kapture.commands.core.answer import Answer
from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import Access, command
from kapture.commands.page_tool_arguments import page_tool_count
from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.page.documents.frame import Key, parse_ref
from kapture.page.target import Target
from kapture.snapshot.as_json import as_json
from kapture.snapshot.diff import compare
from kapture.snapshot.options import MAX_DEPTH, Options, Position
from kapture.snapshot.render import Rendering, outline
from kapture.snapshot.take import remembering, take, take_part
from kapture.snapshot.toon import toon
from kapture.snapshot.tree import Tree
from kapture.snapshot.view import FIRST_SNAPSHOT, Kind, changes_since


@attrs.frozen(kw_only=True)
class SnapshotAnswer(Answer):
    """The page. `snapshot` is the outline, table or list of changes; `tree` is the same as JSON, with format json.

    `page_tools`: how many tools the page declares for agents; None if it declares none. `left_out`: how many
    controls are drawn in what aria-hidden or inert hides from assistive technology, and therefore here.
    """

    url: str
    title: str
    kind: Kind
    snapshot: str | None = None
    tree: dict[str, Any] | None = None
    next: str | None = None
    page_tools: int | None = None
    left_out: int | None = None

    def text(self) -> str:
        """The page, with a note if it is not what was requested."""
        if self.tree is not None:
            return json.dumps(self.tree, ensure_ascii=False, separators=(",", ":"))
        tools = f"the page declares {page_tool_count(self.page_tools)}" if self.page_tools else ""
        hidden = f"{self.left_out} controls are drawn but aria-hidden or inert: see them with screenshot"
        return "\n".join(filter(None, [self.snapshot, hidden if self.left_out else "", tools]))


_LEAST_CHARS = 1_500
_ITEM = re.compile(r"[0-9]{1,15}")


@attrs.frozen(kw_only=True)
class Snapshot:
    """See the page: an outline of its elements with refs (e12). Lines with … say how to see what is left out."""

    root: Annotated[Target | None, Meta(description="Only this element.")] = None
    start: Annotated[str | None, Meta(description="Go on at start= of an earlier snapshot.")] = None
    since: Annotated[Literal["last"] | None, Meta(description="Only changes since the last snapshot.")] = None
    depth: Annotated[Annotated[int, Meta(ge=1, le=MAX_DEPTH)] | None, Meta(description="Levels to show.")] = None
    interactive_only: Annotated[bool, Meta(description="Only what can be acted on.")] = False
    viewport_only: Annotated[bool, Meta(description="Only what is on screen.")] = False
    format: Annotated[Literal["tree", "toon", "json"], Meta(description="Outline, flat table, or JSON.")] = "tree"


@command("snapshot", access=Access.READ, idempotent=True, long=True)
async def snapshot(tab: TabContext, params: Snapshot) -> SnapshotAnswer:
    """Take a snapshot, keep it for later diffs, and show the requested part."""
    start = _position(params.start)
    tree = await take(tab.page)
    last = tab.client.last_snapshot
    shown = tree
    root = None
    if params.root is not None:
        root = await _root(tab, params.root)
        if tree.path(root) is None:
            shown = await take_part(tab.page, root)
    if start is not None and shown.path(start.key) is None:
        raise KaptureError(
            ErrorCode.REF_EXPIRED,
            f"start={start} is no longer on the page.",
            hint=Wording("{Look}."),
            data={"ref": str(start)},
        )
    if last is None or (params.root is None and start is None):
        tab.client.last_snapshot = remembering(last, tree)
    options = Options(
        root=root,
        start=start,
        depth=params.depth,
        interactive_only=params.interactive_only,
        viewport_only=params.viewport_only,
        max_chars=max(_LEAST_CHARS, tab.arguments.limit),
        by_start=params.format == "toon",
    )
    if params.since is None or shown is not tree:
        answer = _show(tab, shown, params, options)
    else:
        answer = _compared(tab, last, tree, params, options)
    return attrs.evolve(answer, page_tools=len(tab.page.tools.known) or None)


def _show(tab: TabContext, tree: Tree, params: Snapshot, options: Options) -> SnapshotAnswer:
    left_out = sum(view.left_out for view in tree.frames.values()) or None
    answer = SnapshotAnswer(url=tree.main.url, title=tree.main.title, kind="full", left_out=left_out)
    if params.format == "json":
        built = as_json(tree, options)
        return attrs.evolve(answer, tree=built.value, next=_text(built.next))
    rendering = _rendering(tab, tree, toon if params.format == "toon" else outline, options)
    return attrs.evolve(answer, snapshot=rendering.text, next=_text(rendering.next))


def _rendering(
    tab: TabContext, tree: Tree, render: Callable[[Tree, Options], Rendering], options: Options
) -> Rendering:
    """Render, reusing the last rendering if tree and options are the same: a long outline is expensive."""
    last = tab.client.rendered
    asked = (render, options)
    if last is not None and last[0] == asked and last[1] == tree:
        return last[2]
    rendering = render(tree, options)
    tab.client.rendered = (asked, tree, rendering)
    return rendering


def _compared(tab: TabContext, last: Tree | None, tree: Tree, params: Snapshot, options: Options) -> SnapshotAnswer:
    if params.format == "json" and last is not None and last.main.document == tree.main.document:
        diff = compare(last, tree)
        changes = diff.as_json()
        if len(json.dumps(changes, ensure_ascii=False)) <= options.max_chars:
            kind: Kind = "diff" if diff else "unchanged"
            return SnapshotAnswer(url=tree.main.url, title=tree.main.title, kind=kind, tree=changes)
    if params.format != "tree":
        return _show(tab, tree, params, options)
    why_none = "the last snapshot was given up to save memory" if tab.client.forgot_snapshot else FIRST_SNAPSHOT
    view = changes_since(last, tree, options, options.root, why_none=why_none)
    return SnapshotAnswer(url=tree.main.url, title=tree.main.title, kind=view.kind, snapshot="\n".join(view.lines()))


async def _root(tab: TabContext, target: Target) -> Key:
    element = await tab.page.locate(target)
    return element.frame.key, element.number


def _position(start: str | None) -> Position | None:
    if start is None:
        return None
    ref, _, item = start.strip().removeprefix("start=").removeprefix("ref=").partition(":")
    key = parse_ref(ref)
    if key is None or (item and _ITEM.fullmatch(item) is None):
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"{start[:40]!r} is not a valid start.",
            hint="Give what follows start= in an earlier snapshot: e640 or e12:3.",
            data={"parameter": "start"},
        )
    return Position(key, int(item) if item else None)


def _text(place: Position | None) -> str | None:
    return None if place is None else str(place)
