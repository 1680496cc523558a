"""Exports: what is in the files, and that nothing from a page gets out of its literal."""

from __future__ import annotations

import ast
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapture.commands.core.params import parameters_of
from kapture.commands.core.registry import get_command
from kapture.errors import KaptureError
from kapture.scenarios.export.playwright_commands import _COMMANDS
from kapture.scenarios.files.decode import decode
from kapture.scenarios.model import Scenario
from kapture.scenarios.parameters.placeholders import escape
from tests.unit.scenarios.export.exported import batch, playwright, scenario

EXAMPLES = Path(__file__).parent / "exports"


def test_the_stored_example_is_what_is_exported() -> None:
    root = decode((EXAMPLES / "checkout.json").read_bytes())
    needed = decode((EXAMPLES / "sign_in.json").read_bytes())
    exported = playwright(root, needed, street="Main Street 1")
    compile(exported, "test_checkout.py", "exec")
    assert exported == (EXAMPLES / "test_checkout.py.txt").read_text("utf-8")


TEXTS = st.text(max_size=30) | st.sampled_from(
    [
        "'",
        '"""',
        "\\",
        "\n",
        "\r",
        "\\'\n",
        "{{",
        "{{{{x}}",
        "\N{LINE SEPARATOR}",
        "# ",
        "\\N{",
        "'''\nimport os\n'''",
        "\0",
    ]
)


@given(title=TEXTS, name=TEXTS, css=TEXTS, value=TEXTS, expected=TEXTS, url=TEXTS)
def test_no_text_leaves_its_literal(title: str, name: str, css: str, value: str, expected: str, url: str) -> None:
    def exported(*texts: str) -> str:
        title, name, css, value, expected, url = map(escape, texts)
        return playwright(
            scenario(
                {"command": "navigate", "arguments": {"url": url}, "title": title},
                {"command": "click", "targets": [{"role": "button", "name": name}], "title": title},
                {"command": "fill", "targets": [{"css": css}], "arguments": {"value": [value]}},
                {"command": "press", "targets": [{"xpath": css}], "arguments": {"key": f"x{value}"}},
                {"command": "handle_dialog", "arguments": {"text": value}, "title": title},
                {"command": "select", "targets": [{"testId": name}], "arguments": {"label": value}},
                {"check": {"kind": "text", "expected": expected}, "targets": [{"text": name}]},
                {"check": {"kind": "url", "expected": expected}, "title": title},
            )
        )

    found = ast.parse(exported(title, name, css, value, expected, url))
    plain = ast.parse(exported("t", "n", "c", "v", "e", "u"))
    shapes = [[type(node) for node in ast.walk(tree)] for tree in (found, plain)]
    assert shapes[0] == shapes[1]
    literals = [node.value for node in ast.walk(found) if isinstance(node, ast.Constant)]
    assert {url, name, f"css={css}", value, f"x{value}", expected} <= {one for one in literals if isinstance(one, str)}


CODE = "x(); stranger() #"


@pytest.mark.parametrize("command", sorted(_COMMANDS))
def test_no_argument_of_a_command_becomes_code(command: str) -> None:
    known = parameters_of(get_command(command)) - {"tabId", "snapshot"}
    valid: dict[str, Any] = {"url": "/", "key": "a", "text": "", "value": ""}
    for parameter in sorted(known):
        targets = [] if parameter in ("target", "selector", "source") else [{"css": "#x"}]
        for value in (CODE, [CODE], {CODE: CODE}, {"css": CODE}, [{"selector": CODE, "value": CODE}]):
            arguments = {**{name: valid[name] for name in known & valid.keys()}, parameter: value}
            with suppress(KaptureError):
                exported = playwright(scenario({"command": command, "arguments": arguments, "targets": targets}))
                names = {node.id for node in ast.walk(ast.parse(exported)) if isinstance(node, ast.Name)}
                assert "stranger" not in names, parameter


def test_a_secret_is_read_from_the_environment_and_errors_do_not_show_it() -> None:
    typed = {"command": "fill", "targets": [{"label": "Password"}], "arguments": {"value": "{{pin}}"}, "secret": True}
    exported = playwright(scenario(typed, secrets=["pin"]))
    assert "KAPTURE_SECRET_PIN" in exported
    assert (
        "    def secretly():\n"
        "        fill(page.get_by_label('Password'), secret('KAPTURE_SECRET_PIN'))\n"
        "    secret_step('shop, step 1', secretly)\n"
    ) in exported


def test_a_dialog_has_its_answer_before_the_step_that_opens_it() -> None:
    exported = playwright(
        scenario(
            {"command": "click", "targets": [{"text": "Delete"}], "timeout": 900},
            {"command": "handle_dialog", "arguments": {"accept": False}},
        )
    )
    assert (
        "    page.once('dialog', lambda dialog: dialog.dismiss())\n"
        "    with page.expect_event('dialog'):\n"
        "        page.get_by_text('Delete').click(timeout=900.0)\n"
    ) in exported


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"arguments": {"text": "{{pin}}"}, "secret": True}, "types a secret into a dialog"),
        ({"capture": {"x": "text"}}, "cannot be captured"),
    ],
)
def test_a_dialog_whose_answer_cannot_be_written_is_refused(answer: dict[str, Any], reason: str) -> None:
    chain = {"command": "click", "targets": [{"text": "Ask"}]}, {"command": "handle_dialog", **answer}
    with pytest.raises(KaptureError, match=rf"step 2 \(handle_dialog\).*{reason}"):
        playwright(scenario(*chain, secrets=["pin"]))


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        ({"command": "paste", "arguments": {"text": "x"}}, "no Playwright statement"),
        ({"command": "click", "targets": [{"text": "x", "frame": "pay"}]}, "in a frame"),
        ({"command": "click", "targets": [{"role": "timepicker"}]}, "nothing by the role 'timepicker'"),
        ({"command": "click", "arguments": {"target": "e12"}}, "cannot be found again"),
        ({"command": "click"}, "has no target"),
        ({"command": "drag", "targets": [{"css": "canvas"}], "arguments": {"delta_x": 9}}, "by a distance"),
        ({"command": "navigate"}, "its arguments are not those of navigate"),
        ({"command": "wait_for", "arguments": {"download": True}}, "its argument 'download'"),
        ({"command": "handle_dialog"}, "right before it"),
        ({"command": "go_back", "capture": {"x": ""}}, "all that go_back answers"),
        ({"command": "get_text", "capture": {"x": "length"}}, "'length' of what get_text answers"),
        ({"command": "click", "targets": [{"text": "x"}], "capture": {"x": "url"}}, "'url' of what click answers"),
        ({"command": "get_text"}, "captures nothing"),
        (
            {"command": "select", "targets": [{"text": "x"}], "element": {"tag": "ul"}, "arguments": {"index": 1}},
            "otherwise than by one label",
        ),
        (
            {"command": "fill_form", "arguments": {"fields": [{"selector": "#a", "value": "y", "choose": True}]}},
            "not a <select>",
        ),
    ],
)
def test_step_unknown_to_playwright_is_refused_by_number_and_command(step: dict[str, Any], reason: str) -> None:
    with pytest.raises(KaptureError, match=reason) as caught:
        playwright(scenario(step))
    assert f"shop, step 1 ({step['command']}) cannot be exported" in caught.value.message
    assert caught.value.data == {"scenario": "shop", "step": 1, "command": step["command"]}


def test_a_place_in_an_element_is_where_playwright_presses_and_a_batch_refuses_it() -> None:
    click = {"command": "click", "targets": [{"css": "canvas"}], "at": [30, 20]}
    drag = {"command": "drag", "targets": [{"css": "canvas"}], "at": [1, 2], "onto": {"targets": [{"css": "#bin"}]}}
    root = scenario(click, drag, version=5)
    exported = playwright(root)
    assert ".click(position={'x': 30.0, 'y': 20.0})" in exported
    assert ".drag_to(page.locator('css=#bin'), source_position={'x': 1.0, 'y': 2.0})" in exported
    with pytest.raises(KaptureError, match="presses an element in its middle only"):
        batch(root)


@pytest.mark.parametrize(
    ("root", "reason"),
    [
        (
            scenario(
                {"command": "get_text", "capture": {"x": "content"}}, {"check": {"kind": "text", "expected": "{{x}}"}}
            ),
            "uses what it captures as x",
        ),
        (scenario({"command": "go_back"}, secrets=["pin"]), "has secrets"),
        (
            scenario({"command": "go_back"}, dependencies=[{"scenario": "other"}]),
            "other cannot be exported: it has sec",
        ),
        (scenario({"command": "go_back"}, dependencies=[{"scenario": "other", "optional": True}]), "optional"),
        (scenario({"command": "list_tabs"}), r"step 1 \(list_tabs\).* cannot run in a batch"),
        (scenario({"check": {"kind": "no_console_error"}}), r"step 1 \(check no_console_error\)"),
        (scenario(*[{"command": "go_back"}] * 101), "has 101 steps"),
    ],
)
def test_step_unknown_to_batch_is_refused(root: Scenario, reason: str) -> None:
    with pytest.raises(KaptureError, match=reason):
        batch(root, scenario({"command": "go_back"}, name="other", secrets=["pin"]))


IN_TWO_TABS: list[dict[str, Any]] = [
    {"command": "click", "targets": [{"text": "Pay"}], "opens": 2},
    {"command": "fill", "targets": [{"label": "Holder"}], "arguments": {"value": "Ada"}, "tab": 2},
    {"command": "tab_activate"},
    {"check": {"kind": "url", "expected": "*/order"}},
    {"command": "click", "targets": [{"text": "End"}], "tab": 2},
    {"command": "tab_close", "tab": 2},
]


def test_a_tab_that_a_click_opens_is_a_popup_in_playwright() -> None:
    exported = playwright(scenario(*IN_TWO_TABS, version=2))
    compile(exported, "test_shop.py", "exec")
    body = exported[exported.index("def run_shop") :]
    statements = [line.strip() for line in body.splitlines() if line.strip() and "#" not in line]
    assert statements[1:-4] == [
        "with page.expect_popup() as popup_2:",
        "page.get_by_text('Pay').click()",
        "page_2 = popup_2.value",
        "fill(page_2.get_by_label('Holder'), 'Ada')",
        "page.bring_to_front()",
        "expect(page).to_have_url(glob('*/order'))",
        "def closing():",
        "page_2.get_by_text('End').click()",
        "closing_step(page_2, closing)",
        "page_2.close()",
    ]


def test_a_placeholder_in_an_address_is_percent_encoded() -> None:
    opening = {"command": "navigate", "arguments": {"url": "https://shop.example/?q={{q|url}}"}}
    exported = playwright(scenario(opening, version=3, parameters={"q": {"default": "a"}}))
    assert "page.goto('https://shop.example/?q=' + url_part(text(values['q'])))" in exported
    assert "def url_part(value):" in exported
    assert "def text(value):" in exported


# What scenarios capture, in their exports.


class Clock:
    """A second passes with each look at the clock."""

    now = 0

    def monotonic(self) -> int:
        self.now += 1
        return self.now


def test_captured_value_reaches_later_steps_and_dependents() -> None:
    cart = scenario(
        {"command": "get_text", "targets": [{"css": "#total"}], "capture": {"total": "content"}},
        {"command": "elements", "targets": [{"css": "li"}], "capture": {"count": "total"}},
        {"command": "reload", "capture": {"where": "url", "title": "title"}},
        {"check": {"kind": "text", "expected": "{{total}} at {{where}}"}},
        name="cart",
        parameters={"sort": {"default": "price"}},
    )
    root = scenario(
        {"command": "get_text", "capture": {"page": "content"}},
        {"check": {"kind": "text", "expected": "{{cart.total}}"}},
        dependencies=[{"scenario": "cart", "capture_output": "cart", "condition": {"check": "is_authenticated"}}],
    )
    exported = playwright(root, cart)
    ran: list[str] = []

    class Anything:
        """A page, a locator and what is expected of it: each call is noted, and a text is made of the names so far."""

        def __init__(self, path: str = "") -> None:
            self.path = path

        def __getattr__(self, name: str) -> Any:
            return f"{self.path} url" if name == "url" else Anything(f"{self.path} {name}")

        def __call__(self, *given: Any, **_: Any) -> Any:
            last = self.path.split()[-1]
            ran.append(" ".join([last, *map(str, given)]))
            return {"inner_text": f" 20 €{len(ran)} ", "count": 3, "title": "Cart"}.get(last, Anything(self.path))

    made: dict[str, Any] = {}
    exec(compile(exported, "test_shop.py", "exec"), made)
    made["offers_sign_out"] = lambda page: False
    made["expect"] = lambda page: Anything("expect")
    made["time"] = Clock()  # a text that is another with each look is waited for as long as any
    values: dict[str, Any] = {}
    run = made["Run"](Anything())
    assert made["run_shop"](Anything(), values, run) == {"page": f"20 €{len(ran) - 2}"}
    assert run.finished[0][1].keys() == {"total", "count", "where", "title"}
    total = run.finished[0][1]["total"]
    assert [one for one in ran if one.startswith("to_contain_text")] == [
        f"to_contain_text {total} at  url",
        f"to_contain_text {total}",
    ]
    assert values == {}
    assert run.captured(("cart", {"sort": "price"})) == run.finished[0][1]
