"""Roles, grouped by how the outline shows them."""

from __future__ import annotations

# Inline markup: its text belongs to the sentence around it.
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


# Groups without meaning of their own: replaced by their content.
WRAPPERS = frozenset({"rowgroup", "document"})


# Starts a new line, but is not named.
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


# Named by their content.
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


# Items and lines that consist of their content, if it fits on one line.
SLIM = BARE | {"listitem"}


# Parts of a page that can be shown by themselves, and drawings that are clicked by coordinates.
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


# Parts that need no list around their items if a list is all they contain.
LIST_HOLDERS = frozenset({"banner", "complementary", "contentinfo", "form", "main", "navigation", "region", "search"})


CELLS = frozenset({"cell", "gridcell", "columnheader", "rowheader"})


# In the names of elements that are named by their content, these count by their values.
VALUED = frozenset({"textbox", "searchbox", "combobox", "listbox", "slider", "spinbutton"})


LABELLED = INTERACTIVE | {"meter", "progressbar", "group", "radiogroup", "image", "table", "figure", "list"}
