"""The parts of an exported test file that are the same for every scenario."""

from __future__ import annotations

import re
from collections.abc import Iterator

HEAD = '''\
"""The scenario {name}, exported by Kapture as a test with pytest and Playwright.

    pip install pytest playwright && playwright install chromium && pytest {file}
{variables}"""

import json
import os
import re
import time
import warnings
from urllib.parse import quote

import pytest
from playwright.sync_api import Error, TimeoutError, expect, sync_playwright


class Run:
    """The results of a run: the dependencies that passed, with what each captured, and the errors of the console; and
    what its pages have asked for, are loading, and ask for again and again."""

    def __init__(self, page):
        self.finished = []
        self.errors = []
        self.begun = []
        self.loading = set()
        self.polled = set()
        page.context.on("request", self.begin)
        page.context.on("requestfinished", lambda request: self.loading.discard(request))
        page.context.on("requestfailed", lambda request: self.loading.discard(request))
        page.on("console", lambda message: message.type == "error" and self.errors.append(message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def begin(self, request):
        if request.resource_type not in ("eventsource", "media", "ping", "websocket"):
            self.begun.append(address_of(request))
            self.loading.add(request)

    def awaited(self):
        return {{address_of(request) for request in self.loading}} - self.polled

    def has_finished(self, call):
        return any(one == call for one, _ in self.finished)

    def captured(self, call):
        return next((found or {{}} for one, found in self.finished if one == call), {{}})


def address_of(request):
    return request.method, request.url.partition("?")[0]


@pytest.fixture
def page():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch()
        yield browser.new_page()
        browser.close()
'''

_HELPERS = {
    "parameter": '''\
def parameter(variable, kind, *default):
    """A value from the environment: text as it is, all else as JSON."""
    given = os.environ.get(variable)
    if given is not None:
        return given if kind == "string" else json.loads(given)
    if not default:
        pytest.fail(f"Set the environment variable {variable}.")
    return default[0]
''',
    "secret": '''\
def secret(variable):
    """A secret, from the environment only."""
    if variable not in os.environ:
        pytest.fail(f"Set the environment variable {variable}.")
    return os.environ[variable]
''',
    "secret_step": '''\
def secret_step(step, run_step):
    """Errors of Playwright show what is typed, and so would the locals of a traceback: none of that is left."""
    try:
        run_step()
        return
    except Exception:
        pass
    raise AssertionError(f"{step} failed; what it types is secret, so the error is not shown.")
''',
    "closing_step": '''\
def closing_step(page, run_step):
    """Run a step after which the page is closed: it may close itself while the step runs."""
    try:
        run_step()
    except Error:
        if not page.is_closed():
            raise
''',
    "text": """\
def text(value):
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
""",
    "url_part": """\
def url_part(value):
    return quote(value, safe="!'()*~")
""",
    "look_up": """\
def look_up(value, path):
    for part in path.split("."):
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value
""",
    "item_of": '''\
def item_of(value, key):
    """A field of an object or an item of a list; None if it does not exist."""
    if isinstance(value, dict):
        return value.get(key)
    if isinstance(value, list) and isinstance(key, int) and -len(value) <= key < len(value):
        return value[key]
    return None
''',
    "settled": '''\
def settled(page, run, read):
    """Read a value once it stays the same while the page neither loads anything nor changes, or after SETTLE_S.

    Nothing waits for what is polled or was waited for in vain, nor for what changes all the time elsewhere.
    """
    start, end = len(run.begun), time.monotonic() + SETTLE_S
    while (left_ms := 1_000 * (end - time.monotonic())) > 0:
        before = len(run.begun)
        try:
            page.wait_for_load_state("domcontentloaded", timeout=left_ms)
        except TimeoutError:  # its document does not end
            break
        try:
            value = read()
            still = page.evaluate(UNCHANGED, left_ms) and value == read()
        except TimeoutError:  # there is nothing to read
            raise
        except Error:  # it navigates
            if page.is_closed():
                raise
            still = False
        run.polled |= {one for one in run.begun[start:] if run.begun[start:].count(one) >= 3}
        if still and not run.awaited() and run.polled.issuperset(run.begun[before:]):
            return value
    run.polled |= run.awaited()
    return read()


SETTLE_S = 10

UNCHANGED = """left => new Promise(resolve => {
  const changes = new Map();
  const settle = still => { observer.disconnect(); clearTimeout(quiet); clearTimeout(end); resolve(still); };
  const observer = new MutationObserver(records => {
    const changed = [...new Set(records.map(record => record.target))];
    for (const one of changed) changes.set(one, (changes.get(one) ?? 0) + 1);
    if (!changed.some(one => changes.get(one) <= 5)) return;
    clearTimeout(quiet);
    quiet = setTimeout(settle, 500, true);
  });
  const attributes = { attributeFilter: ["class", "hidden", "open"] };
  observer.observe(document, { subtree: true, childList: true, characterData: true, ...attributes });
  let quiet = setTimeout(settle, 500, true);
  const end = setTimeout(settle, left, false);
})"""
''',
    "glob": '''\
def glob(pattern):
    """A whole URL: * is any run of characters, ? one."""
    parts = (".*" if one == "*" else "." if one == "?" else re.escape(one) for one in re.sub("[*]+", "*", pattern))
    return re.compile("^" + "".join(parts) + "$")
''',
    "fill": '''\
def fill(field, value, **options):
    """Set a field of any kind."""
    if isinstance(value, bool):
        field.set_checked(value, **options)
    elif isinstance(value, list) or field.evaluate("element => element.tagName", **options) == "SELECT":
        field.select_option(value if isinstance(value, list) else text(value), **options)
    else:
        field.fill(text(value), **options)
''',
    "choose": '''\
def choose(widget, label, **options):
    """Choose from a list that is made of ARIA roles: the widget itself, or the one that it opens."""
    within = widget
    if widget.get_attribute("role", **options) != "listbox":
        if widget.get_attribute("aria-expanded") != "true":
            widget.click(**options)
        lists = (widget.get_attribute("aria-controls") or widget.get_attribute("aria-owns") or "").split()
        within = widget.page.locator(", ".join(f'[id="{one}"]' for one in lists)) if lists else widget.page
    within.get_by_role("option", name=label, exact=True).click(**options)
''',
    "offers_sign_out": """\
def offers_sign_out(page):
    words = re.compile({sign_out!r}, re.IGNORECASE)
    return any(page.get_by_role(role, name=words).first.is_visible() for role in ("button", "link", "menuitem"))
""",
}
_NEEDS = {"fill": ("text",)}


def helpers(body: str, sign_out: str) -> Iterator[str]:
    """The functions that the body calls, or seems to."""
    wanted = {name for name in _HELPERS if re.search(rf"(?<![\w.]){name}\(", body)}
    wanted |= {needed for name in wanted for needed in _NEEDS.get(name, ())}
    for name, source in _HELPERS.items():
        if name in wanted:
            yield source.replace("{sign_out!r}", repr(sign_out))
