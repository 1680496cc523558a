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
from playwright.sync_api import Error, expect, sync_playwright


class Run:
    """What a run has done: the dependencies that passed, with what each captured, and the errors of the console; and
    what its pages are loading."""

    def __init__(self, page):
        self.finished = []
        self.errors = []
        self.begun = 0
        self.loading = set()
        page.context.on("request", self.begin)
        page.context.on("requestfinished", lambda request: self.loading.discard(request))
        page.context.on("requestfailed", lambda request: self.loading.discard(request))
        page.on("console", lambda message: message.type == "error" and self.errors.append(message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def begin(self, request):
        self.begun += 1
        if request.resource_type not in ("eventsource", "media", "ping", "websocket"):
            self.loading.add(request)

    def has_finished(self, call):
        return any(one == call for one, _ in self.finished)

    def captured(self, call):
        return next((found or {{}} for one, found in self.finished if one == call), {{}})


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
    "settle": '''\
def settle(page, run):
    """Before something is read: wait until the page neither loads anything nor changes, for 10 s at most."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        begun, waiting = run.begun, len(run.loading)
        try:
            page.wait_for_load_state(timeout=10_000)
            still = page.evaluate(UNCHANGED)
        except Error:  # it navigates
            if page.is_closed():
                raise
            still = False
        if still and not waiting and begun == run.begun:
            return


UNCHANGED = """() => new Promise(resolve => {
  const settled = still => { observer.disconnect(); resolve(still); };
  const observer = new MutationObserver(() => settled(false));
  const attributes = { attributeFilter: ["class", "hidden", "open"] };
  observer.observe(document, { subtree: true, childList: true, characterData: true, ...attributes });
  setTimeout(settled, 500, true);
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
