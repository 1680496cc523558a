"""The views of scenarios in every state, wide and narrow, light and dark: nothing scrolls sideways, no violation of
WCAG AA, a picture each.

The views are the real ones; what the hub would answer is put into their model.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kapture.cdp import CdpConnection
from tests.e2e.test_pictures_of_the_extension import opened, picture
from tests.support.patience import evaluate, until
from tests.support.person import person_at_browser

pytestmark = pytest.mark.e2e

_VIEW = """
(async () => {
  const [{ ScenarioModel }] = await Promise.all([
    import(chrome.runtime.getURL('ui/scenarios/model/model.js')),
    import(chrome.runtime.getURL('ui/scenarios/scenarios_view.js')),
    import(chrome.runtime.getURL('ui/components/tabs.js')),
  ]);
  const sheets = ['tokens', 'controls', 'panel'].map((name) => {
    const link = document.createElement('link');
    Object.assign(link, { rel: 'stylesheet', href: chrome.runtime.getURL(`ui/${name}.css`) });
    return new Promise((loaded) => (link.onload = () => loaded(link), document.head.append(link)));
  });
  for (const old of document.querySelectorAll('link[rel=stylesheet]')) if (!old.onload) old.remove();
  await Promise.all(sheets);
  const main = document.createElement('main');
  const heading = Object.assign(document.createElement('h1'), { textContent: 'Kapture', className: 'unseen' });
  const view = document.createElement('k-scenarios');
  globalThis.model = view.model = new ScenarioModel(async (command) => ({ data: globalThis.answers?.[command] ?? {} }));
  globalThis.view = view;
  main.append(heading, view);
  document.body.replaceChildren(main);
  return true;
})()
"""

STEPS = [
    {"id": "a1", "title": "navigate https://shop.example/login", "value": "https://shop.example/login"},
    {"id": "a2", "title": 'fill textbox "Email"', "secret": "email"},
    {"id": "a3", "title": 'fill textbox "Password"', "secret": "password"},
    {"id": "a4", "title": 'click button "Sign in"'},
    {"id": "a5", "title": 'fill searchbox "Search products"', "value": "green tea with a very long name of its own"},
]
ORDER = {
    "version": 1,
    "name": "order",
    "description": "Order one article and have it sent.",
    "metadata": {"title": "Order an article"},
    "secrets": ["card"],
    "parameters": {
        "street": {"description": "Where it is sent to.", "min_length": 3},
        "pieces": {"type": "integer", "minimum": 1, "maximum": 9, "default": 1},
    },
    "dependencies": [
        {"scenario": "sign_in", "condition": {"check": "is_authenticated"}},
        {"scenario": "a_scenario_with_a_very_long_name_of_its_own", "optional": True, "capture_output": "cart"},
    ],
    "chain": [
        {"command": "navigate", "title": "open the checkout", "arguments": {"url": "https://shop.example/checkout"}},
        {"command": "fill", "title": 'fill textbox "Card"', "arguments": {"value": "{{card}}"}, "secret": True},
        {"check": {"kind": "text", "expected": "Thank you"}},
    ],
}
SHOWN = {
    "scenario": ORDER,
    "parameters": {
        "type": "object",
        "required": ["street"],
        "properties": {
            "street": {"type": "string", "description": "Where it is sent to.", "minLength": 3},
            "country": {"type": "string", "enum": ["France", "Spain"], "default": "Spain"},
            "pieces": {"type": "integer", "minimum": 1, "maximum": 9, "default": 1},
            "gift": {"type": "boolean"},
        },
    },
    "secrets": [
        {"scenario": "order", "name": "card", "stored": True},
        {"scenario": "sign_in", "name": "password", "stored": False},
    ],
}
ROWS = [
    {
        "name": name,
        "title": title,
        "description": "Order one article and have it sent." if title else "",
        "tags": ["shop"],
        "parameters": {"street": "string"},
        "secrets": ["card"],
        "dependencies": [],
        "steps": 3,
        "problem": problem,
    }
    for name, title, problem in (
        ("order", "Order an article", None),
        ("sign_in", "", None),
        ("broken", "", "broken.json: it is not JSON"),
    )
]


def _done(scenario: str, step: str, **more: Any) -> dict[str, Any]:
    return {"scenario": scenario, "number": 1, "step": step, "status": "done", "duration_ms": 1_200, **more}


FAILED = {
    "scenario": "order",
    "status": "failed",
    "duration_ms": 6_210,
    "plan": [],
    "steps": [
        _done("sign_in", "click", used="its role and name"),
        _done("order", "open the checkout", hints=["navigated to /checkout"]),
        {
            "scenario": "order",
            "number": 3,
            "step": "check text Thank you",
            "status": "failed",
            "duration_ms": 5_000,
            "error": {"code": "SCENARIO_FAILED", "message": "The check does not hold."},
            "expected": "text 'Thank you'",
            "found": "the text 'Thank you' is not shown",
        },
    ],
    "warnings": ["news was skipped: is_authenticated is true"],
    "healed": ["sign_in, step 1: button 'Sign in'"],
    "captured": {"total": "12.50"},
}
_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

STATES = {
    "empty": "model.library.loaded = true; model.library.changed()",
    "list": f"Object.assign(model.library, {{ loaded: true, rows: {json.dumps(ROWS)} }}); model.library.changed()",
    "recording": f"model.recording.show({{ going: true, steps: {json.dumps(STEPS)} }})",
    "checking": "recorder = view.renderRoot.querySelector('k-recording'); "
    "view.pickers = [{ id: 'page', label: 'Pick' }, { id: 'selected', label: '$0' }]; "
    "recorder.checking = { kind: 'text' }",
    "saving": "recorder.checking = null; model.recording.show({ ...model.recording.state, going: false }); "
    "view.renderRoot.querySelector('k-recording').saving = true",
    "open": "view.renderRoot.querySelector('k-recording').saving = false; model.recording.show(null); "
    f"model.library.shown = {json.dumps(SHOWN)}; model.library.changed()",
    "running": "Object.assign(model.run, { state: 'running', name: 'order', total: 3, "
    "begun: ['order, step 1: open the checkout', 'order, step 2: fill textbox \"Card\"'] }); model.run.changed()",
    "failed": f"Object.assign(model.run, {{ state: 'failed', result: {json.dumps(FAILED)}, "
    f"parts: [{{ base64: '{_PIXEL}', mimeType: 'image/png', name: 'order-3.png' }}] }}); model.run.changed()",
    "steps": "view.view = 'steps'; view.updateComplete.then(() => "
    "{ view.renderRoot.querySelector('k-scenario-steps').editing = 0 })",
    "parameter": "steps = view.renderRoot.querySelector('k-scenario-steps'); steps.editing = null; "
    "lists = steps.renderRoot.querySelectorAll('k-scenario-parts'); lists[0].editing = 1; "
    "row = lists[0].rows[1]; "
    "lists[0].onRows(lists[0].rows.with(1, { ...row, value: { ...row.value, default: 12 } }))",
    "dependency": "lists[0].editing = null; lists[1].editing = 0; steps.refused = { part: 'dependencies', at: 0, "
    "problem: { path: ['scenario'], message: \"There is no scenario 'sign_in'.\" } }",
}
_DRAWN = """
(async () => {
  const pending = (root) => [...root.querySelectorAll('*')].flatMap((one) =>
    [...(one.isUpdatePending ? [one.updateComplete] : []), ...(one.shadowRoot ? pending(one.shadowRoot) : [])]);
  for (let some = [1]; some.length; some = pending(document)) await Promise.all(some);
  return true;
})()
"""


async def _overflow(connection: CdpConnection) -> list[str]:
    """Elements wider than their room."""
    return list(
        await evaluate(
            connection,
            """
            (() => {
              const found = [];
              const look = (root) => {
                for (const one of root.querySelectorAll('*')) {
                  const scrolls = ['auto', 'scroll'].includes(getComputedStyle(one).overflowX);
                  if (scrolls && one.clientWidth && one.scrollWidth > one.clientWidth + 1) {
                    found.push(`${one.localName}.${one.className}: ${one.scrollWidth} > ${one.clientWidth}`);
                  }
                  if (one.shadowRoot) look(one.shadowRoot);
                }
              };
              look(document);
              if (document.documentElement.scrollWidth > innerWidth) found.push('the page');
              return found;
            })()
            """,
        )
    )


@pytest.mark.long
@pytest.mark.parametrize("width", [900, 280])
async def test_no_state_of_the_scenarios_scrolls_sideways_or_violates_wcag_aa(tmp_path: Path, width: int) -> None:
    async with (
        person_at_browser(tmp_path / "home", tmp_path / "profile") as person,
        opened(person, "options.html", (width, 640)) as page,
    ):
        await until(lambda: evaluate(page, _VIEW), "the views")
        for name, change in STATES.items():
            await evaluate(page, f"{change}; 1")
            await evaluate(page, _DRAWN)
            overflow = await _overflow(page)
            assert [one for one in overflow if not one.startswith("div.list")] == [], name
            await picture(page, f"scenarios/{name}-{width}")
