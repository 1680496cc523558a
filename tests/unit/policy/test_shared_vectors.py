"""Sites and owners of documents, by the examples that the extension's tests run too (tests/policy)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kapture.cdp import CdpConnection, PendingReply
from kapture.commands.core.registry import Access
from kapture.page.agent_calls import AgentCalls
from kapture.page.documents.frame import Renderer
from kapture.page.documents.frames import FrameTree
from kapture.policy.grant import Grant, is_blank, parse
from tests.support.cdp_transports import SilentTransport

FOLDER = Path(__file__).parents[2] / "policy"


def vectors(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return found


def origin_of(owner: str) -> str:
    address = parse(owner)
    if is_blank(owner):
        return ""
    return owner.rstrip("/") if address is None else address.origin


@pytest.mark.parametrize("vector", vectors("sites"), ids=lambda vector: f"{vector['site']} {vector['url'][:60]!a}")
def test_hub_and_extension_agree_on_what_a_site_covers(vector: dict[str, Any]) -> None:
    assert Grant((vector["site"],), Access.READ).covers(vector["url"]) == vector["covered"]


@pytest.mark.parametrize("vector", vectors("narrower"), ids=str)
def test_hub_and_extension_agree_on_which_grant_is_a_part_of_another(vector: dict[str, Any]) -> None:
    left, granted = (Grant.make(vector[part]["sites"], vector[part]["level"]) for part in ("left", "granted"))
    assert left.within(granted) == vector["within"]


@pytest.mark.parametrize("vector", vectors("documents"), ids=lambda vector: str(vector["name"]))
def test_hub_and_extension_agree_on_whose_document_it_is(vector: dict[str, Any]) -> None:
    connection = CdpConnection(SilentTransport())
    tree = FrameTree(lambda url: url.startswith(vector.get("granted", "")), AgentCalls(Renderer(lambda: None)))
    tree.observe(connection.root)
    first, *later = [{"loaderId": "L", **frame} for frame in vector["frames"]]
    tree.take(connection.root, {"frame": first})
    answer = PendingReply()
    answer.resolve({"targetInfo": {"openerId": "T"} if vector.get("opener") else {}})
    tree.take_target(answer)
    sessions: dict[str, str] = {}
    for number, frame in enumerate(later):
        session = sessions.get(frame["id"])
        if "context" in frame:
            known = {"id": number, "uniqueId": f"u{number}", "name": "", "origin": frame["context"]}
            about = {"frameId": frame["id"], "isDefault": True}
            connection.deliver("Runtime.executionContextCreated", {"context": {**known, "auxData": about}}, session)
            continue
        if "opened" in frame:
            tree.opened({"frameId": frame["id"], "loaderId": frame["opened"]})
            continue
        if "target" in frame:
            sessions[frame["id"]] = f"session of {frame['id']}"
            child = connection.session(sessions[frame["id"]])
            tree.observe(child)
            target = {"targetId": frame["id"], "url": frame["target"], "parentFrameId": frame["parentId"]}
            tree.announce(child, target)
            continue
        if tree.by_id(frame["id"]) is None:
            attached = {"frameId": frame["id"], "parentFrameId": frame["parentId"]}
            connection.deliver("Page.frameAttached", attached, session)
        connection.deliver("Page.frameNavigated", {"frame": frame, "type": "Navigation"}, session)
    for frame_id, owner in vector["owners"].items():
        found = tree.by_id(frame_id)
        assert found is not None
        assert origin_of(found.policy_url) == owner, frame_id
