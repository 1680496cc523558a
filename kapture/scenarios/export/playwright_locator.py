"""A target of a scenario as a locator of Playwright for Python."""

from __future__ import annotations

from collections.abc import Mapping

from kapture.scenarios.export.python_text import has_placeholder, text_expression
from kapture.scenarios.model import StepTarget

_ROLES = (
    "alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox "
    "complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid "
    "gridcell group heading img insertion link list listbox listitem log main marquee math menu menubar menuitem "
    "menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio "
    "radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong "
    "subscript superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid "
    "treeitem"
)
ROLES = frozenset(_ROLES.split())
"""Those that Playwright looks for. It knows nothing of a `datepicker`, and finds no element by it."""

_IN_PLAYWRIGHT = {"image": "img"}


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
        role = _IN_PLAYWRIGHT.get(target.role, target.role)
        if role not in ROLES:
            raise NoLocatorError(f"Playwright finds nothing by the role {target.role!r}.")
        named = [f"name={text_expression(target.name, secrets)}", *exact] if target.name is not None else []
        found = f"get_by_role({', '.join([text_expression(role, secrets), *named])})"
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
