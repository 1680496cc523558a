"""Prompts: six tasks that a person can start from a client's menu."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import attrs
import mcp_types as types
from mcp.shared.exceptions import MCPError

from kapture.mcp.profiles import Profile


@attrs.frozen(kw_only=True)
class Argument:
    """An argument that a person fills in."""

    name: str
    description: str
    required: bool = True


@attrs.frozen(kw_only=True)
class Prompt:
    """One prompt; `{name}` in `text` is replaced by the argument."""

    name: str
    description: str
    arguments: tuple[Argument, ...]
    text: str


_TAB = Argument(name="tabId", description="Id of a connected tab")

_PROMPTS = (
    Prompt(
        name="connect_tab",
        description="Get a browser tab connected",
        arguments=(),
        text=(
            "List the connected tabs. If the one I mean is among them, tell me its tabId, title and address. If there "
            "is none, explain in three short steps how I connect one: open the page in Chrome, press Kapture's toolbar "
            "button (or open DevTools, panel Kapture), choose which sites and what level you may have, press Connect. "
            "Then wait for me to say that it is done, and list the tabs again."
        ),
    ),
    Prompt(
        name="explore_page",
        description="Say what a page is and what can be done on it",
        arguments=(_TAB, Argument(name="goal", description="What to look for", required=False)),
        text=(
            "Explore the page in tab {tabId}. Take a snapshot, scroll or expand only where it says that something was "
            "left out, and read the console for errors. Then tell me what the page is for, its main parts, what a "
            "visitor can do on it, and anything broken. Look in particular for: {goal}. Do not submit anything."
        ),
    ),
    Prompt(
        name="fill_form",
        description="Fill in a form from data",
        arguments=(
            _TAB,
            Argument(name="data", description="The data, as JSON or as lines of `field: value`"),
            Argument(name="submit", description="yes to submit it at the end", required=False),
        ),
        text=(
            "Fill in the form in tab {tabId} with this data:\n\n{data}\n\nTake a snapshot, match each datum to a field "
            "by its label, fill all of them in one call if there is a tool for that, and check the result. Name every "
            "field that you could not match and every datum without a field; guess nothing. Submit: {submit} (anything "
            "but yes means: stop before submitting and tell me)."
        ),
    ),
    Prompt(
        name="debug_page",
        description="Find out from console and network what is wrong with a page",
        arguments=(_TAB, Argument(name="symptom", description="What goes wrong", required=False)),
        text=(
            "Debug the page in tab {tabId}. Symptom: {symptom}. Read console errors with their stacks and the failed "
            "requests with their statuses and bodies; reload once if there is nothing to see. Tell me the most "
            "likely cause with the evidence for it, what else it could be, and the smallest change that would fix it."
        ),
    ),
    Prompt(
        name="record_scenario",
        description="Record steps on a page as a scenario that can be replayed",
        arguments=(
            _TAB,
            Argument(name="name", description="Name of the scenario"),
            Argument(name="steps", description="What it should do"),
        ),
        text=(
            "Record a scenario named {name} in tab {tabId}: start the recorder, do these steps, stop and save it.\n\n"
            "{steps}\n\nUse parameters for what should change from run to run, and never save a password as plain "
            "text. Then replay it once and tell me whether it did the same."
        ),
    ),
    Prompt(
        name="run_scenario",
        description="Run a recorded scenario on a page",
        arguments=(
            _TAB,
            Argument(name="name", description="Name of the scenario"),
            Argument(name="parameters", description="Its parameters, as `name=value`", required=False),
        ),
        text=(
            "Run the scenario {name} in tab {tabId} with these parameters: {parameters}. Show me first what would run. "
            "If a parameter or a secret is missing, ask me; invent none. Then tell me whether it passed, what it "
            "captured, and of a step that failed what was expected and found."
        ),
    ),
)

_DEFAULTS = {"parameters": "none", "goal": "nothing in particular", "submit": "no", "symptom": "not given"}


def listing() -> list[dict[str, Any]]:
    """The prompts as `prompts/list` answers them."""
    return [
        {
            "name": prompt.name,
            "description": prompt.description,
            "arguments": [attrs.asdict(argument) for argument in prompt.arguments],
        }
        for prompt in _PROMPTS
    ]


def get(name: str, arguments: Mapping[str, str], profile: Profile) -> dict[str, Any]:
    """The messages of one prompt; MCP's error for an unknown prompt or argument."""
    prompt = next((prompt for prompt in _PROMPTS if prompt.name == name), None)
    if prompt is None:
        raise MCPError(code=types.INVALID_PARAMS, message=f"There is no prompt {name!r}.")
    known = {argument.name for argument in prompt.arguments}
    unknown = sorted(set(arguments) - known)
    missing = [a.name for a in prompt.arguments if a.required and not arguments.get(a.name)]
    if unknown or missing:
        problem = f"has no argument {unknown[0]!r}" if unknown else f"needs {missing[0]!r}"
        raise MCPError(code=types.INVALID_PARAMS, message=f"The prompt {name!r} {problem}.")
    values = {key: arguments.get(key) or _DEFAULTS.get(key, "") for key in known}
    template = prompt.text.replace("in tab {tabId}", "in the connected tab") if profile.fixed_tab else prompt.text
    text = re.sub(r"\{(\w+)\}", lambda placeholder: values[placeholder[1]], template)
    return {
        "description": prompt.description,
        "messages": [{"role": "user", "content": {"type": "text", "text": text}}],
    }
