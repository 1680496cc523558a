"""Roles by what the outline makes of them."""

from __future__ import annotations

# Marks inside a line of text: their words belong to the sentence around them.
INLINE = frozenset(
    {
        "abbr",
        "code",
        "deletion",
        "emphasis",
        "insertion",
        "mark",
        "none",
        "ruby",
        "strong",
        "subscript",
        "superscript",
        "time",
        "generic",
    }
)


# Groups that no one would miss: what is in them stands in their place.
WRAPPERS = frozenset({"rowgroup", "document"})


# A line of its own, but not worth a word.
BARE = frozenset({"paragraph", "LabelText", "label", "legend", "caption", "figcaption"})


INTERACTIVE = frozenset(
    {
        "button",
        "checkbox",
        "colorpicker",
        "combobox",
        "datepicker",
        "datetimepicker",
        "link",
        "listbox",
        "menuitem",
        "menuitemcheckbox",
        "menuitemradio",
        "monthpicker",
        "option",
        "radio",
        "scrollbar",
        "searchbox",
        "slider",
        "spinbutton",
        "switch",
        "tab",
        "textbox",
        "timepicker",
        "treeitem",
        "weekpicker",
    }
)


# Their name is made of what is in them.
NAMED_BY_CONTENT = frozenset(
    {
        "button",
        "checkbox",
        "heading",
        "link",
        "menuitem",
        "menuitemcheckbox",
        "menuitemradio",
        "option",
        "radio",
        "switch",
        "tab",
        "tooltip",
        "treeitem",
        "image",
    }
)


# Items and lines that are no more than what is in them, as long as that fits on one line.
SLIM = BARE | {"listitem"}


# Parts of a page that one asks for by themselves, and drawings that are clicked by coordinates.
ADDRESSED = frozenset(
    {
        "alertdialog",
        "application",
        "audio",
        "banner",
        "canvas",
        "complementary",
        "contentinfo",
        "dialog",
        "embed",
        "form",
        "grid",
        "iframe",
        "main",
        "menu",
        "menubar",
        "navigation",
        "object",
        "radiogroup",
        "region",
        "search",
        "table",
        "tablist",
        "tabpanel",
        "toolbar",
        "tree",
        "treegrid",
        "video",
    }
)


# Parts that need no list in between when a list is all there is in them.
LIST_HOLDERS = frozenset({"banner", "complementary", "contentinfo", "form", "main", "navigation", "region", "search"})


CELLS = frozenset({"cell", "gridcell", "columnheader", "rowheader"})


LABELLED = INTERACTIVE | {"meter", "progressbar", "group", "radiogroup", "image", "table", "figure", "list"}
