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
  middle(element) {
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
    """The button, tab or option with this text or name that can be pressed; undefined while there is none."""
    return f"""(() => {{ {_DEEP}
      const called = (one) => [deep.words(one), one.getAttribute('aria-label')].includes({json.dumps(label)});
      return deep.all('button, [role=option]').find((one) => called(one) && !one.disabled && deep.middle(one));
    }})()"""


def element_script(selector: str) -> str:
    """The first element that is shown and matches; undefined while there is none."""
    return f"""(() => {{ {_DEEP}
      return deep.all({json.dumps(selector)}).find((one) => deep.middle(one));
    }})()"""


def middle_script(element: str) -> str:
    """The middle of an element, scrolled into view; null while there is none."""
    return f"(() => {{ {_DEEP} return deep.middle({element}); }})()"


def guard_script(element: str) -> str:
    """The middle of an element, like `middle_script`. The next press counts only if it falls on this element, which
    `PRESS_HIT` then says; any other is kept from the page. `CLICK_HIT` says whether a click of it followed: none does
    where the page has moved it away before the button is released.
    """
    return f"""(() => {{ {_DEEP}
      const element = {element};
      const middle = deep.middle(element);
      if (!middle) return null;
      globalThis.guard?.abort();
      const {{ signal }} = (globalThis.guard = new AbortController());
      globalThis.pressHit = globalThis.clickHit = false;
      const swallow = (event) => {{ event.preventDefault(); event.stopImmediatePropagation(); }};
      addEventListener('pointerdown', (event) => {{
        globalThis.pressHit = event.composedPath().includes(element);
        if (globalThis.pressHit) return;
        swallow(event);
        for (const type of ['mousedown', 'pointerup', 'mouseup', 'click'])
          addEventListener(type, swallow, {{ capture: true, signal }});
      }}, {{ capture: true, once: true, signal }});
      addEventListener('click', (event) => {{
        globalThis.clickHit ||= event.composedPath().includes(element);
      }}, {{ capture: true, signal }});
      return middle;
    }})()"""


PRESS_HIT = "globalThis.pressHit"
CLICK_HIT = "globalThis.clickHit"
"""Undefined if the click has led to another document."""
