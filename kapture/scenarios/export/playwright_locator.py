"""A target of a scenario as a locator of Playwright for Python."""

from __future__ import annotations

from collections.abc import Mapping

from kapture.scenarios.export.python_text import has_placeholder, text_expression
from kapture.scenarios.model import StepTarget


class NoLocatorError(Exception):
    """There is no locator for this target; the message says why."""


def locator(target: StepTarget, secrets: Mapping[str, str], page: str = "page") -> str:
    """The expression, on the page in this variable. `secrets`: environment variable by name."""
    if target.frame is not None:
        raise NoLocatorError("its target is in a frame.")
    exact = ["exact=True"] if target.exact else []
    if target.role is not None:
        if has_placeholder(target.role):
            raise NoLocatorError("the role of its target has a placeholder.")
        named = [f"name={text_expression(target.name, secrets)}", *exact] if target.name is not None else []
        found = f"get_by_role({', '.join([text_expression(target.role, secrets), *named])})"
    elif target.label is not None:
        found = f"get_by_label({', '.join([text_expression(target.label, secrets), *exact])})"
    elif target.text is not None:
        found = f"get_by_text({', '.join([text_expression(target.text, secrets), *exact])})"
    elif target.testId is not None:
        found = f"get_by_test_id({text_expression(target.testId, secrets)})"
    elif target.css is not None:
        found = f"locator({text_expression('css=' + target.css, secrets)})"
    elif target.xpath is not None:
        found = f"locator({text_expression('xpath=' + target.xpath, secrets)})"
    else:
        raise NoLocatorError("its target names no element.")
    return f"{page}.{found}" if target.nth is None else f"{page}.{found}.nth({target.nth})"
