"""Each condition, as it holds and as it does not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from kapture.commands.core.answer import Answer, CallResult
from kapture.scenarios.model import Condition, StepTarget
from kapture.scenarios.replay.conditions import condition_holds

CART = StepTarget(role="link", name="{{what}}")


def page(*links: str, url: str = "https://shop.example/", found: tuple[bool, ...] = (), text: str = "") -> Any:
    """A page with these links; `found` says of each match of a target whether it is visible."""

    async def call(name: str, arguments: Mapping[str, Any], *, shown: Mapping[str, Any] | None = None) -> CallResult:
        tree = {"role": "main", "children": [{"role": "link", "ref": f"e{i}", "name": n} for i, n in enumerate(links)]}
        if name == "elements":
            assert arguments["target"] == {"role": "link", "name": "Cart"}
        answers: dict[str, dict[str, Any]] = {
            "snapshot": {"tree": {"tree": tree}},
            "tab_info": {"url": url},
            "elements": {"elements": [{"visible": one, "ref": "e1"} for one in found]},
            "get_text": {"content": text},
        }
        return CallResult(answer=Answer(), text="", data=answers[name], parts=())

    return call


CASES = [
    (Condition(check="is_authenticated"), page("Home", "Sign out"), True),
    (Condition(check="is_authenticated"), page("Home", "Abmelden"), True),
    (Condition(check="is_authenticated"), page("Home", "Sign in"), False),
    (Condition(check="is_authenticated", target=CART), page("Sign in", found=(False, True)), True),
    (Condition(check="is_authenticated", target=CART), page("Sign out", found=()), False),
    (Condition(check="element_present", target=CART), page(found=(True,)), True),
    (Condition(check="element_present", target=CART), page(found=(False,)), False),
    (Condition(check="element_count", target=CART, minimum=2), page(found=(True, False, True)), True),
    (Condition(check="element_count", target=CART, minimum=2), page(found=(True, False)), False),
    (Condition(check="element_number", target=CART), page(found=(True,), text="Cart (12)"), True),
    (Condition(check="element_number", target=CART), page(found=(True,), text="Cart (0)"), False),
    (Condition(check="element_number", target=CART, minimum=0), page(found=(True,), text="Cart"), False),
    (Condition(check="element_number", target=CART, minimum=0), page(found=()), False),
    (Condition(check="url_matches", url="*/{{what}}*"), page(url="https://shop.example/Cart?x=1"), True),
    (Condition(check="url_matches", url="*/{{what}}*"), page(), False),
    (Condition(check="expression", expression="cart.items > 0 and what == 'Cart'"), page(), True),
    (Condition(check="expression", expression="cart.items > 3"), page(), False),
]


@pytest.mark.parametrize(("condition", "shows", "holds"), CASES)
async def test_a_condition_is_asked_of_the_page_or_of_what_was_captured(
    condition: Condition, shows: Any, holds: bool
) -> None:
    variables = {"what": "Cart", "cart": {"items": 2}}
    assert await condition_holds(condition, variables, shows, "tab22222") is holds
