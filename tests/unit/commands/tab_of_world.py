"""A tab whose browser is fed by hand, as commands get it once they are admitted."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from kapture.commands.core.context import TabContext
from kapture.commands.core.params import decode_arguments
from kapture.commands.core.registry import get_command
from tests.unit.page.frame_world import World


def tab_of(world: World, **page: Any) -> TabContext:
    """`page`: more parts of its page."""

    async def rest(frame: object) -> None:
        """No action has left anything."""

    gate = world.tree.main.gate
    parts = {"frames": world.tree, "url": world.tree.main.url, "title": "A", "connection": world.connection}
    arguments = decode_arguments(get_command("get_text"), {"tabId": "abcdefgh"})
    return cast(
        "TabContext",
        SimpleNamespace(arguments=arguments, page=SimpleNamespace(**{**parts, "gate": gate, "rest": rest, **page})),
    )
