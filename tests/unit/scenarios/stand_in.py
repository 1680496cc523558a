"""A stand-in for the hub that a run calls: an answer for each command, and a record of the calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from kapture.commands.core.answer import Answer, Blob, CallResult
from kapture.commands.core.context import HubContext, ScenarioWish, TabWish
from kapture.commands.scenarios import ScenarioRun
from kapture.errors import KaptureError
from kapture.scenarios.library import Library
from kapture.scenarios.model import Scenario, Step
from kapture.scenarios.replay.page_hints import OPEN_DIALOGS
from kapture.scenarios.secrets.secret_key import FileKeys
from kapture.scenarios.secrets.secret_store import SecretStore, StoredSecret
from tests.support.context import ProgressLog, View


@attrs.define
class Page:
    """Answers by command; an error is raised, a `CallResult` given as it is.

    `dialogs` are what the page has open after each action. `made` are the calls: name, arguments, and what is shown of
    them.
    """

    answers: dict[str, Any] = attrs.field(factory=dict)
    dialogs: list[list[dict[str, Any]]] = attrs.field(factory=list)
    made: list[tuple[str, Mapping[str, Any], Mapping[str, Any] | None]] = attrs.field(factory=list)

    async def __call__(
        self, name: str, arguments: Mapping[str, Any], *, shown: Mapping[str, Any] | None = None
    ) -> CallResult:
        if arguments.get("target") == {"css": OPEN_DIALOGS}:  # asked after every action
            return CallResult(answer=Answer(), text="", data={"elements": self.dialogs.pop(0) if self.dialogs else []})
        self.made.append((name, arguments, shown))
        answer = self.answers.get(name, {})
        if callable(answer):
            answer = answer(arguments)
        if isinstance(answer, KaptureError):
            raise answer
        if isinstance(answer, CallResult):
            return answer
        parts = (Blob.of(b"picture", "image/png"),) if name == "screenshot" else ()
        return CallResult(answer=Answer(), text="", data=answer, parts=parts)

    def names(self) -> list[str]:
        return [name for name, _, _ in self.made]


SHOP = "https://shop.example"


def visible(ref: str, origin: str = SHOP, box: Sequence[float] = (0, 0, 9, 9)) -> dict[str, Any]:
    facts = {
        "role": "textbox",
        "name": "N",
        "text": "",
        "tag": "input",
        "visible": True,
        "origin": origin,
        "box": list(box),
    }
    return {"elements": [{"ref": ref, **facts, "surroundings": {"neighbours": [], "within": []}}]}


def stored(value: str, *origins: str) -> StoredSecret:
    return StoredSecret(value, origins or (SHOP,))


def library(home: Path, *scenarios: Scenario) -> Library:
    made = Library(home, SecretStore(home, FileKeys(home)))
    for scenario in scenarios:
        made.folder.save(scenario)
    return made


async def run(
    made: Library,
    page: Page,
    name: str = "main",
    progress: ProgressLog | None = None,
    view: View | None = None,
    **wish: Any,
) -> ScenarioRun:
    async def nobody(wanted: TabWish) -> Mapping[str, Any]:
        raise NotImplementedError

    asked: dict[str, Any] = {
        "parameters": {},
        "override_secrets": {},
        "tab_id": "tab22222",
        "dry_run": False,
        "heal": False,
        "screenshots": "failure",
        **wish,
    }
    context = HubContext(
        hub=view or View(), client_id="test", progress=progress or ProgressLog(), request_tab=nobody, call=page
    )
    return await made.run(ScenarioWish(name=name, **asked), context)


def scenario(name: str, *chain: Step, **fields: Any) -> Scenario:
    return Scenario(**{"version": 1, "name": name, "chain": list(chain) or [Step(command="go_back")], **fields})
