"""A page of orders, and the elements that a snapshot marks as clickable."""

from __future__ import annotations

from typing import Any

from tests.support.agent_page import nodes_of, text_of

ORDERS = """<!doctype html><title>Orders</title><main><h1>Orders</h1>
<table><tr><th>Item<th>Do<tr><td>Green tea<td><button>Edit</button><tr><td>Coffee<td><button>Edit</button></table>
<h2>Delivery</h2><label for="mail">Email address</label><input id="mail" placeholder="you@example.com">
<p>Hello <b>big</b> world</p><p hidden>Secret text</p><div role="status" id="status"></div></main>"""


def clickables(tree: dict[str, Any]) -> list[tuple[str, str]]:
    """Role and text of everything that is marked as clickable."""
    return [
        (node["role"], node["name"] or text_of(node, frozenset())) for node in nodes_of(tree) if node.get("clickable")
    ]
