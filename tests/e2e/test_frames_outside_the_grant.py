"""Frames outside the grant are neither searched nor acted on, and get no input."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from kapture.errors import CommandTimeout, ElementNotActionable, ErrorCode, KaptureError, PolicyDenied
from kapture.page.documents.read_gate import FrameNotGranted
from kapture.page.input.mouse import InputEvent
from tests.support.context import open_loaded_tab, open_tab
from tests.support.framed_pages import BUTTON, frame_at, until
from tests.support.site import Site, serving

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving({}) as site:
        for name in ("Same", "Other", "Deep"):
            site.pages[f"/{name.lower()}"] = BUTTON.replace("{}", name)
        yield site


async def test_a_frame_outside_the_grant_is_neither_searched_nor_acted_on(browser: int, site: Site) -> None:
    site.pages["/gated"] = f'<p>Main</p><iframe src="{site.url("/other", "localhost")}" width=400 height=200></iframe>'
    async with open_tab(browser, site.url("/gated")) as tab:
        frame = await frame_at(tab, "/other")
        tab.page.gate = lambda url: "127.0.0.1" in url
        error = await tab.gives_up("click", target={"role": "button", "name": "Other"})
        assert error.code is ErrorCode.ELEMENT_NOT_FOUND
        assert "Other" not in error.hint
        error = await tab.fails("click", target={"css": "#x", "frame": frame.key})
        assert error.code is ErrorCode.POLICY_DENIED
        assert (await tab.fails("evaluate", code="1", frame=frame.key)).code is ErrorCode.POLICY_DENIED
        assert (await tab.fails("click", target={"css": "#x", "frame": "/other"})).code is ErrorCode.ELEMENT_NOT_FOUND


async def test_documents_without_an_address_belong_to_where_they_come_from(browser: int, site: Site) -> None:
    site.pages[
        "/blank"
    ] = """<iframe id=a></iframe><iframe id=b srcdoc="<p>Src"></iframe><iframe id=c src="data:text/html,<p>Data"></iframe>
    <script>d = document.createElement('iframe'); d.src = URL.createObjectURL(new Blob(['<p>Blob'], {type:'text/html'})); document.body.append(d)</script>"""
    async with open_tab(browser, site.url("/blank")) as tab:
        await until(
            tab, lambda: len(tab.page.frames.all()) == 5 and any("blob:" in f.url for f in tab.page.frames.all())
        )
        for frame in tab.page.frames.all():
            assert frame.policy_url.startswith(f"http://127.0.0.1:{site.port}/"), frame.url


# What B, a frame outside the grant, hears of trusted input. The browser keeps documents of one host in one process.
HEARD = """<!doctype html><body style="margin:0"><input id=i style="width:90%;height:90%"><script>
  var heard = [];
  for (const kind of ["pointerdown","mousedown","mouseup","click","dblclick","keydown","keyup","beforeinput","input","paste"])
    addEventListener(kind, (event) => event.isTrusted && heard.push(kind), true);
</script>"""


TRAPS: dict[str, tuple[str, list[tuple[str, dict[str, Any]]]]] = {
    "enlarged when the pointer moves": (
        """<button id=x style="position:absolute;left:20px;top:20px">Go</button>
        <iframe id=f src="{frame}" style="position:absolute;left:300px;top:300px;width:20px;height:20px;border:0"></iframe>
        <script>addEventListener("mousemove", () => f.style.cssText = "position:fixed;inset:0;width:100%;height:100%;border:0")</script>""",
        [("click", {"selector": "#x"})],
    ),
    "swapped in between the clicks of a double click": (
        """<button id=x style="position:absolute;left:20px;top:20px;width:80px;height:40px">Go</button>
        <iframe id=f src="{frame}" style="position:fixed;left:300px;top:300px;width:200px;height:100px;border:0"></iframe>
        <script>x.addEventListener("click", () => {{ f.style.left = f.style.top = 0; }})</script>""",
        [("click", {"selector": "#x", "count": 2})],
    ),
    "given the focus when a key goes down": (
        """<input id=x><iframe id=f src="{frame}" style="width:200px;height:100px"></iframe>
        <script>x.addEventListener("keydown", () => f.contentWindow.focus())</script>""",
        [
            ("type", {"selector": "#x", "text": "secret", "key_events": True}),
            ("press", {"target": "#x", "key": "Enter"}),
        ],
    ),
}


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"], ids=["same process", "another process"])
@pytest.mark.parametrize(("html", "calls"), TRAPS.values(), ids=TRAPS)
async def test_a_frame_outside_the_grant_gets_no_input_however_the_page_moves_it(
    browser: int, site: Site, host: str, html: str, calls: list[tuple[str, dict[str, Any]]]
) -> None:
    with serving({"/heard": HEARD}) as other:
        site.pages["/trap"] = "<!doctype html><body>" + html.format(frame=other.url("/heard", host))
        async with open_tab(browser, site.url("/trap")) as tab:
            frame = await frame_at(tab, "/heard")
            tab.page.gate = lambda url: url.startswith(site.url("/"))
            for command, arguments in calls:
                try:
                    await tab(command, **arguments, timeout=5000)
                except (PolicyDenied, ElementNotActionable, CommandTimeout):
                    pass
                except KaptureError as error:
                    if error.code is not ErrorCode.VALUE_REFUSED:  # the text reached neither the field nor the frame
                        raise
            tab.page.gate = lambda _: True
            assert await tab.page.evaluate("heard", frame=frame) == []


@pytest.mark.parametrize(("html", "calls"), TRAPS.values(), ids=TRAPS)
async def test_nor_does_one_that_was_loaded_before_the_agent_came_and_listens_first(
    browser: int, site: Site, html: str, calls: list[tuple[str, dict[str, Any]]]
) -> None:
    with serving({"/heard": HEARD}) as other:
        site.pages["/trap"] = "<!doctype html><body>" + html.format(frame=other.url("/heard"))
        async with open_loaded_tab(browser, site.url("/trap")) as tab:
            frame = await frame_at(tab, "/heard")
            tab.page.gate = lambda url: url.startswith(site.url("/"))
            for command, arguments in calls:
                with suppress(ElementNotActionable, CommandTimeout):
                    assert (await tab.fails(command, **arguments, timeout=5000)).code is ErrorCode.POLICY_DENIED
            tab.page.gate = lambda _: True
            assert await tab.page.evaluate("heard", frame=frame) == []


# B removes its guard as it gets the focus.
OPENED = HEARD.replace("</script>", "addEventListener('focus', () => document.open());</script>")


async def test_nor_does_one_that_removes_its_guard(browser: int, site: Site) -> None:
    html, calls = TRAPS["given the focus when a key goes down"]
    with serving({"/heard": OPENED}) as other:
        site.pages["/trap"] = "<!doctype html><body>" + html.format(frame=other.url("/heard"))
        async with open_tab(browser, site.url("/trap")) as tab:
            frame = await frame_at(tab, "/heard")
            tab.page.gate = lambda url: url.startswith(site.url("/"))
            for command, arguments in calls:
                assert (await tab.fails(command, **arguments)).code is ErrorCode.POLICY_DENIED
            tab.page.gate = lambda _: True
            assert await tab.page.evaluate("heard", frame=frame) == []


DRAGGED: dict[str, Any] = {
    "x": 50,
    "y": 50,
    "data": {"items": [{"mimeType": "text/plain", "data": "secret"}], "dragOperationsMask": 1},
}
TOUCHED = [{"x": 50, "y": 50}]
GESTURES = {
    "drop": ("dragenter", [InputEvent("Input.dispatchDragEvent", {"type": kind, **DRAGGED}) for kind in ("dragEnter", "dragOver", "drop")]),
    "touch": ("mousemove", [
        InputEvent("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": 50, "y": 50}),
        InputEvent("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": TOUCHED}),
        InputEvent("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []}),
    ]),
}  # fmt: skip


@pytest.mark.parametrize(("moves_on", "events"), GESTURES.values(), ids=GESTURES)
async def test_nor_does_one_that_is_moved_under_a_drop_or_a_finger(
    browser: int, site: Site, moves_on: str, events: list[InputEvent]
) -> None:
    heard = HEARD.replace('"pointerdown",', '"dragover","drop","touchstart","touchend","pointerdown",')
    with serving({"/heard": heard}) as other:
        site.pages["/trap"] = f"""<!doctype html><div style="width:200px;height:200px">Zone</div>
            <iframe id=f src="{other.url("/heard")}" style="position:fixed;left:300px;top:300px;width:50px;height:50px;border:0"></iframe>
            <script>addEventListener("{moves_on}", (event) => {{ event.preventDefault(); f.style.cssText = "position:fixed;inset:0;width:100%;height:100%;border:0"; }})</script>"""
        async with open_loaded_tab(browser, site.url("/trap")) as tab:
            frame = await frame_at(tab, "/heard")
            tab.page.gate = lambda url: url.startswith(site.url("/"))
            with pytest.raises(PolicyDenied):
                await tab.page.actions.send_input(events)
            tab.page.gate = lambda _: True
            assert await tab.page.evaluate("heard", frame=frame) == []


TAKES = """<!doctype html><button id=i style="position:fixed;inset:0;width:100%;height:100%">take</button><script>
  var heard = [];
  const moves = name === "requestPointerLock" ? ["pointermove", "mousemove"] : [];  // else it may get some at rest
  for (const kind of ["pointerdown", "mousedown", "click", "keydown", "wheel", ...moves])
    addEventListener(kind, (event) => event.isTrusted && heard.push?.(kind), true);
  i.onclick = async () => { await i[name](); heard = "taken"; };
</script>"""


@pytest.mark.parametrize("way", ["requestPointerLock", "requestFullscreen"])
async def test_a_frame_outside_the_grant_that_has_taken_the_pointer_or_the_screen_gets_no_input(
    browser: int, site: Site, way: str
) -> None:
    with serving({"/takes": TAKES}) as other:
        site.pages["/taken"] = f"""<!doctype html><button id=x>Go</button>
          <iframe name={way} src="{other.url("/takes")}" allow="fullscreen *" style="position:fixed;left:200px;top:200px"></iframe>"""
        async with open_tab(browser, site.url("/taken")) as tab:
            frame = await frame_at(tab, "/takes")
            await tab("click", target={"css": "#i", "frame": frame.key})
            await tab("wait_for_function", code="heard === 'taken' && (heard = [], true)", frame=frame.key)
            tab.page.gate = lambda url: url.startswith(site.url("/"))
            acts: list[tuple[str, dict[str, Any]]] = [("hover", {}), ("click", {}), ("press", {"key": "a"})]
            if way == "requestFullscreen":
                acts.append(("scroll", {"delta_y": 50}))
            for command, arguments in acts:
                with suppress(PolicyDenied, ElementNotActionable, CommandTimeout):
                    await tab(command, selector="#x", **arguments, timeout=1500)
            tab.page.gate = lambda _: True
            assert await tab.page.evaluate("heard", frame=frame) == []


HOLDS = """<!doctype html><div id=edited tabindex=0>nothing</div><textarea id=i></textarea><script>
  const context = edited.editContext = new EditContext();
  const field = new URLSearchParams(location.search).has("context") ? edited : i;
  addEventListener("focus", () => { field.blur(); field.focus(); });
  const held = () => i.value + context.text;
</script>"""


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"], ids=["same process", "another process"])
@pytest.mark.parametrize("field", ["?text", "?context"])
@pytest.mark.parametrize("text", ["aé漢字", "a😀"])
async def test_text_that_no_key_is_pressed_for_does_not_reach_a_frame_that_gets_the_focus_meanwhile(
    browser: int, site: Site, host: str, field: str, text: str
) -> None:
    with serving({"/holds": HOLDS}) as other:
        site.pages[
            "/trap"
        ] = f"""<!doctype html><input id=x><iframe id=f src="{other.url("/holds" + field, host)}"></iframe>
          <script>x.addEventListener("keydown", () => f.contentWindow.focus())</script>"""
        async with open_tab(browser, site.url("/trap")) as tab:
            frame = await frame_at(tab, "/holds")
            with suppress(KaptureError):  # the field itself gets none of it
                await tab("type", selector="#x", text=text)
            if host == "127.0.0.1":  # of another process it is not known when it gets the focus
                assert await tab.page.evaluate("held()", frame=frame) == text[1:], "what comes if it may"
            await tab("navigate", url=site.url("/trap"))
            frame = await frame_at(tab, "/holds")
            tab.page.gate = lambda url: url.startswith(site.url("/"))
            with suppress(KaptureError):
                await tab("type", selector="#x", text=text)
            tab.page.gate = lambda _: True
            assert await tab.page.evaluate("held()", frame=frame) == ""


async def test_a_page_with_a_frame_outside_the_grant_holds_what_was_typed_and_filled(browser: int, site: Site) -> None:
    fields = (
        "<input id=line><textarea id=lines></textarea><div id=rich contenteditable>old</div><input id=n type=number>"
    )
    site.pages["/fields"] = f'{fields}<iframe src="{site.url("/other", "localhost")}"></iframe>'
    async with open_tab(browser, site.url("/fields")) as tab:
        await frame_at(tab, "/other")
        tab.page.gate = lambda url: "127.0.0.1" in url
        text = "é 😀漢字e\u0301👩\u200d👩\u200d👧ñ”–"
        for selector, values in {
            "#line": (text, "short", "wörd " * 60),
            "#lines": (text, f"two\n{text}", "\n".join([text] * 20)),
            "#rich": (text, f"two\n{text}", "neu"),
            "#n": ("12.5", "-3"),
        }.items():
            for value in values:
                for command, arguments in (("fill", {"value": value}), ("type", {"text": value, "clear": True})):
                    await tab(command, selector=selector, **arguments)
                    shown = f"(document.querySelector('{selector}').value ?? {selector[1:]}.innerText)"
                    assert await tab.page.evaluate(shown) == value, (selector, command)


async def test_a_frame_outside_the_grant_takes_the_input_of_a_person_again(browser: int, site: Site) -> None:
    with serving({"/heard": HEARD}) as other:
        site.pages["/beside"] = f"""<button id=x>Go</button><iframe src="{other.url("/heard")}" width=300 height=200>"""
        async with open_tab(browser, site.url("/beside")) as tab:
            frame = await frame_at(tab, "/heard")
            tab.page.gate = lambda url: url.startswith(site.url("/"))
            await tab("click", selector="#x")
            tab.page.gate = lambda _: True
            await tab("click", target={"css": "#i", "frame": frame.key})
            assert "click" in await tab.page.evaluate("heard", frame=frame)


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        (
            "fill_form",
            {"fields": [{"selector": "#own", "value": "a"}, {"target": {"css": "#i", "frame": "f1"}, "value": "b"}]},
        ),
        ("drag", {"source": {"css": "#own"}, "target": {"css": "#x", "frame": "f1"}}),
        ("drag", {"source": {"css": "#x", "frame": "f1"}, "target": {"css": "#own"}}),
    ],
)
async def test_command_needing_frame_outside_grant_is_not_begun(
    browser: int, site: Site, command: str, arguments: dict[str, Any]
) -> None:
    site.pages["/half"] = f'<input id=own><iframe src="{site.url("/other", "localhost")}"></iframe>'
    async with open_tab(browser, site.url("/half")) as tab:
        assert (await frame_at(tab, "/other")).key == "f1"
        tab.page.gate = lambda url: "127.0.0.1" in url
        error = await tab.fails(command, **arguments)
        assert isinstance(error, FrameNotGranted)
        assert error.again, "nothing was done: it can be run anew"
        assert await tab.page.evaluate("own.value") == ""
