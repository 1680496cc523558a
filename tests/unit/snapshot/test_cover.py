"""What dialogs and other modal layers cover is neither gone nor sent again."""

from __future__ import annotations

import attrs

from kapture.snapshot.node import Node
from kapture.snapshot.options import Options
from kapture.snapshot.take import remembering
from kapture.snapshot.tree import Tree
from kapture.snapshot.view import changes_since
from tests.unit.snapshot.trees import document, page


def covered(*, dialog: bool, ref: int = 50) -> Tree:
    if dialog:
        confirm = Node(role="button", ref=ref + 1, name="Confirm")
        return page(document(Node(role="dialog", ref=ref, name="Sure?", states={"modal": True}, children=(confirm,))))
    return page(document(*(Node(role="button", ref=at, name=f"b{at}") for at in range(1, 9))))


def test_what_a_dialog_covers_is_not_gone_and_is_not_sent_again() -> None:
    before, during = covered(dialog=False), remembering(covered(dialog=False), covered(dialog=True))
    opened = changes_since(before, during, Options())
    assert opened.text.splitlines() == [
        '+ dialog "Sure?" ref=e50: button "Confirm" ref=e51',
        '(behind dialog "Sure?" ref=e50: the rest of the page, as it was)',
    ]
    after = covered(dialog=False)
    assert changes_since(during, after, Options()).text == '- dialog "Sure?"'
    assert remembering(during, after).covered is None


def modal_menu(*, behind: int, back: bool = False) -> Tree:
    """A page with an open menu, from which the page behind has been hidden or removed."""
    copy = Node(role="menuitem", ref=52, name="Copy")
    layer = Node(role="generic", ref=50, clickable=True, children=(Node(role="menu", ref=51, children=(copy,)),))
    shown = page(document(*(covered(dialog=False).main.root.children if back else ()), layer))  # type: ignore[union-attr]
    return attrs.evolve(shown, frames={"": attrs.evolve(shown.main, behind=behind)})


def test_what_a_modal_menu_hides_from_assistive_technology_is_not_gone_and_is_not_sent_again() -> None:
    before = covered(dialog=False)
    during = remembering(before, modal_menu(behind=8))
    assert "(behind menu ref=e51: the rest of the page, as it was)" in changes_since(before, during, Options()).text
    assert changes_since(during, before, Options()).text == "- menu"
    fading = modal_menu(behind=0, back=True)
    assert changes_since(during, fading, Options()).text == "- menu"
    assert remembering(during, fading).covered is None


def test_a_dialog_over_a_dialog_leads_back_to_both_pages() -> None:
    before = covered(dialog=False)
    first = remembering(before, covered(dialog=True))
    nested = covered(dialog=True, ref=60)
    nested = attrs.evolve(nested, frames={"": attrs.evolve(nested.main, behind=10)})
    opened = changes_since(first, nested, Options()).text
    assert "- dialog" not in opened
    second = remembering(first, nested)
    outer = covered(dialog=True)
    outer = attrs.evolve(outer, frames={"": attrs.evolve(outer.main, behind=10)})
    closed = changes_since(second, outer, Options()).text
    assert closed == '- dialog "Sure?"'
    back = remembering(second, outer)
    assert changes_since(back, before, Options()).text == '- dialog "Sure?"'
    assert remembering(back, before).covered is None


def test_a_dialog_that_covers_the_page_only_after_it_has_opened_leaves_it_behind() -> None:
    before = covered(dialog=False)
    dialog = covered(dialog=True)
    beside = page(document(*before.main.root.children, *dialog.main.root.children))  # type: ignore[union-attr]
    opened = remembering(before, beside)
    assert opened.covered is None
    hiding = attrs.evolve(dialog, frames={"": attrs.evolve(dialog.main, behind=8)})
    assert changes_since(opened, hiding, Options()).text.splitlines() == [
        '(behind dialog "Sure?" ref=e50: the rest of the page, as it was)'
    ]
    assert changes_since(remembering(opened, hiding), before, Options()).text == '- dialog "Sure?"'
