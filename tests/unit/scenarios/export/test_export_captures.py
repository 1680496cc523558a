"""What scenarios capture, in their exports."""

from __future__ import annotations

from typing import Any

from tests.unit.scenarios.export.exported import playwright, scenario


class Clock:
    """A second passes with each look at the clock."""

    now = 0

    def monotonic(self) -> int:
        self.now += 1
        return self.now


def test_what_is_captured_reaches_later_steps_and_what_depends_on_it() -> None:
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


def test_what_was_waited_for_in_vain_is_not_waited_for_again() -> None:
    made: dict[str, Any] = {}
    reading = {"command": "get_text", "capture": {"page": "content"}}
    exec(compile(playwright(scenario(reading)), "test_shop.py", "exec"), made)
    looks = 0

    class Page:
        """A page at rest."""

        def __getattr__(self, name: str) -> Any:
            return self

        def __call__(self, *_: Any, **__: Any) -> Any:
            return self

        def evaluate(self, *_: Any) -> bool:
            nonlocal looks
            looks += 1
            return True

    class Request:
        resource_type, method = "fetch", "GET"

        def __init__(self, number: int) -> None:
            self.url = f"https://shop.example/events?{number}"

    made["time"] = Clock()
    run = made["Run"](Page())
    for number in range(2):  # none is ever answered
        run.begin(Request(number))
        assert made["settled"](Page(), run, lambda: "20 €") == "20 €"
    assert looks == 10
