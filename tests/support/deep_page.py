"""A page as a person meets it, shadow roots included: what it says, and where its buttons and fields are."""

from __future__ import annotations

import json

_DEEP = """
const deep = {
  children: (node) => node.shadowRoot ? [...node.shadowRoot.childNodes]
    : node.localName === 'slot' && node.assignedNodes().length > 0 ? node.assignedNodes() : [...node.childNodes],
  text(node) {
    if (node.nodeType === 3) return node.data.replace(/\\s+/g, ' ');
    if (node.nodeType !== 1 || ['script', 'style', 'template'].includes(node.localName)) return '';
    const { display, visibility } = getComputedStyle(node);
    if (display === 'none' || visibility === 'hidden') return '';
    const inner = deep.children(node).map(deep.text).join('');
    return display === 'contents' || display === 'inline' ? inner : `\\n${inner}\\n`;
  },
  words: (node) => deep.text(node).replace(/ *\\n\\s*/g, '\\n').trim(),
  *elements(root) {
    for (const element of root.querySelectorAll('*')) {
      yield element;
      if (element.shadowRoot) yield* deep.elements(element.shadowRoot);
    }
  },
  all: (selector) => [...deep.elements(document)].filter((element) => element.matches(selector)),
  place(element) {
    if (!element?.checkVisibility()) return null;
    element.scrollIntoView({ block: 'nearest' });
    const { x, y, width, height } = element.getBoundingClientRect();
    return width && height ? [x + width / 2, y + height / 2] : null;
  },
};
"""


def text_script() -> str:
    """Everything that the page shows; nothing before it has a body."""
    return f"(() => {{ {_DEEP} return document.body ? deep.words(document.body) : ''; }})()"


def button_script(label: str) -> str:
    """The middle of the button, tab or option with this text or name, in view; null while it cannot be pressed."""
    return f"""(() => {{ {_DEEP}
      const called = (one) => [deep.words(one), one.getAttribute('aria-label')].includes({json.dumps(label)});
      return deep.place(deep.all('button, [role=option]')
        .find((one) => called(one) && !one.disabled && deep.place(one)));
    }})()"""


def element_script(selector: str) -> str:
    """The middle of the first element that is shown and matches, in view; null while there is none."""
    return f"""(() => {{ {_DEEP}
      return deep.place(deep.all({json.dumps(selector)}).find((one) => deep.place(one)));
    }})()"""
