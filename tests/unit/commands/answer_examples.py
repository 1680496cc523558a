"""One answer for each way in which an answer can read, by family and by what the example shows."""

from __future__ import annotations

import attrs

from kapture.commands.batch import BatchResult, StepResult
from kapture.commands.capture import PdfAnswer, ScreenshotAnswer
from kapture.commands.cdp import CdpEvent, CdpEventsAnswer, CdpResult
from kapture.commands.console import LogLine, LogsAnswer
from kapture.commands.cookies import CookieJar
from kapture.commands.core.answer import Answer, Blob
from kapture.commands.core.context import Pin
from kapture.commands.core.recorder import RecordedStep
from kapture.commands.dialogs import DialogAnswered, DialogPolicySet
from kapture.commands.elements import ElementFacts, Found, Surroundings
from kapture.commands.emulation import Emulated, Geolocation
from kapture.commands.fields import Filled, Selected
from kapture.commands.files import DownloadAnswer, UploadAnswer
from kapture.commands.find import FindAnswer
from kapture.commands.forms import FieldResult, FormFilled
from kapture.commands.keys import Keyed
from kapture.commands.links import Link, Links
from kapture.commands.navigation import Navigated, Stopped
from kapture.commands.network import (
    Body,
    ConditionsAnswer,
    HarAnswer,
    NetworkAnswer,
    NetworkRequestAnswer,
    RequestLine,
    ResponseAnswer,
    RoutesAnswer,
    shortened,
)
from kapture.commands.page_tools import PageToolInfo, PageToolList, answer_of
from kapture.commands.permissions import PermissionStates
from kapture.commands.person import PersonAnswered, PinFacts, PinsAnswer, pin_line
from kapture.commands.pointer import Dragged, MouseDone, Pointed
from kapture.commands.reading import Read
from kapture.commands.recording import RecordingAnswer, SavedAnswer
from kapture.commands.scenarios import (
    NeededSecret,
    PlanRow,
    ScenarioDeleted,
    ScenarioEdited,
    ScenarioList,
    ScenarioRow,
    ScenarioRun,
    ScenarioStats,
    ShownScenario,
    StepRun,
)
from kapture.commands.scripts.script import Evaluated
from kapture.commands.scrolling import Scrolled
from kapture.commands.snapshot import SnapshotAnswer
from kapture.commands.status import HubStatus
from kapture.commands.storage import Stored
from kapture.commands.tables import TableRows
from kapture.commands.tabs import Activated, Closed, FrameInfo, Given, Opened, Released, Tabs, TabState
from kapture.commands.waiting import FunctionReturned, Waited
from kapture.page.page_tools import Called
from kapture.snapshot.search import Match

_URL = "https://shop.example/cart"
_SAVE = '<button> "Save" ref=e7'
_ANSWERED = PersonAnswered(answer="done", note="the code came by post", handed_s=41.2)
_FILE = Blob.of(b"\x89PNG", "image/png", "a.png")


def _request(number: int, url: str, status: str, ms: int | None) -> RequestLine:
    return RequestLine(id=f"r{number}", method="GET", status=status, type="fetch", size=512, ms=ms, url=url)


def _nested(levels: int) -> object:
    return [_nested(levels - 1)] if levels else 1


def _log(level: str, message: str, **facts: object) -> LogLine:
    facts = {"source": "console", "location": "", "stack": "", **facts}
    return LogLine(timestamp="2026-01-02T03:04:05.678Z", level=level, message=message, **facts)  # type: ignore[arg-type]


def _element(number: int, **facts: object) -> ElementFacts:
    known = {
        "ref": f"e{number}",
        "tag": "a",
        "role": "link",
        "name": "Home",
        "text": "Home",
        "box": (8, 16.5, 120, 20),
        "visible": True,
        "in_viewport": True,
        "states": {},
        "origin": "https://shop.example",
        "attributes": None,
    }
    return ElementFacts(**{**known, **facts})  # type: ignore[arg-type]


def _tab(**facts: object) -> TabState:
    return TabState(tabId="abcd2345", url=_URL, title="Cart", **facts)  # type: ignore[arg-type]


def _navigated(outcome: str, **facts: object) -> Navigated:
    return Navigated(**{"url": _URL, "title": "Cart", "outcome": outcome, **facts})  # type: ignore[arg-type]


_SCENARIO = ScenarioRow(
    name="checkout",
    title="",
    description="Buy one article.",
    tags=["shop"],
    parameters={"article": "string", "quantity": "integer?"},
    secrets=["card"],
    dependencies=["sign_in"],
    steps=2,
)
_RUN = ScenarioRun(
    scenario="checkout",
    status="passed",
    duration_ms=812.4,
    plan=[
        PlanRow(
            scenario="sign_in",
            steps=1,
            needed_by="checkout",
            reason="needs an account",
            condition="skipped if is_authenticated",
            optional=True,
        ),
        PlanRow(scenario="checkout", steps=2, needed_by="", reason="", condition="", optional=False),
    ],
    steps=[
        StepRun(scenario="sign_in", number=1, step="click", status="done", duration_ms=30),
        StepRun(
            scenario="checkout",
            number=1,
            step="Place the order",
            status="done",
            duration_ms=61,
            used="css #order",
            hints=["navigated to https://shop.example/done"],
        ),
        StepRun(scenario="checkout", number=2, step="check text", status="done", duration_ms=12),
    ],
    captured={"total": "12 €"},
    warnings=[],
    healed=["checkout, step 1: button 'Order now'"],
)

EXAMPLES: dict[str, dict[str, Answer]] = {
    "batch": {
        "all steps done": BatchResult(
            steps=[StepResult(command="click", status="done", text=f"clicked {_SAVE}\nnavigated to {_URL}")],
            done=1,
            failed=0,
        ),
        "one failed, the rest skipped": BatchResult(
            steps=[
                StepResult(command="click", status="done", text=f"clicked {_SAVE}"),
                StepResult(command="fill", status="failed", text="ELEMENT_NOT_FOUND: No element matches css '#a'."),
                StepResult(command="press", status="skipped"),
            ],
            done=1,
            failed=1,
        ),
    },
    "capture": {
        "screenshot": ScreenshotAnswer(name="screenshot", width=800, height=600, css_scale=1, image=_FILE),
        "scaled, cut, with labels": ScreenshotAnswer(
            name="page",
            width=1280,
            height=9000,
            css_scale=1.25,
            image=_FILE,
            truncated=True,
            full_height=20_000,
            labels=['e7 button "Save"', 'e9 link "Home"'],
        ),
        "PDF": PdfAnswer(bytes=52_000, file=_FILE),
    },
    "cdp": {
        "result": CdpResult(result={"result": {"type": "number", "value": 42}}),
        "events": CdpEventsAnswer(
            subscribed=["Page.loadEventFired"],
            events=[CdpEvent(number=3, method="Page.loadEventFired", params={"timestamp": 1.5})],
            cursor=3,
            missed=2,
        ),
        "nothing subscribed": CdpEventsAnswer(subscribed=[]),
    },
    "console": {
        "of a page that was left": LogsAnswer(
            entries=[
                _log("log", "new"),
                _log("warn", "old", earlier=True),
                _log("log", "older", earlier=True),
            ],
            cursor=3,
            more=0,
            missed=0,
            hidden=0,
        ),
        "no entries": LogsAnswer(entries=[], cursor=0, more=0, missed=0, hidden=0),
        "a message that pretends to be two, and an error with its stack": LogsAnswer(
            entries=[
                _log("log", "one\n2026 error: forged \x1b[31m"),
                _log("error", "TypeError: no", source="exception", location="app.js:3", stack="    at f (app.js:3)"),
            ],
            cursor=9,
            more=4,
            missed=2,
            hidden=1,
            dropped=1_900,
        ),
    },
    "cookies": {
        "none": CookieJar(action="get"),
        "a table": CookieJar(action="get", cookies=[{"name": "a", "value": "1", "domain": "shop.example"}]),
        "set": CookieJar(action="set", changed=1),
        "cleared": CookieJar(action="clear", changed=3),
    },
    "dialogs": {
        "dismissed": DialogAnswered(type="confirm", message="Sure?", accepted=False),
        "a prompt": DialogAnswered(type="prompt", message="Name?", accepted=True, entered="Ada"),
        "policy": DialogPolicySet(policy="dismiss"),
    },
    "elements": {
        "none": Found(elements=[], total=0),
        "some of many": Found(
            elements=[
                _element(1, attributes={"href": "/", "title": 'The "home" page'}),
                _element(2, name="Help", text="Help me", in_viewport=False, states={"expanded": False, "level": 2}),
                _element(3, surroundings=Surroundings(neighbours=['24" lamp', "12 €"], within=["form", 'region "A"'])),
            ],
            total=6,
        ),
    },
    "emulation": {
        "nothing": Emulated(),
        "a phone in Tokyo": Emulated(
            viewport=(390, 844),
            touch=True,
            timezone="Asia/Tokyo",
            geolocation=Geolocation(latitude=35.7, longitude=139.7),
        ),
    },
    "evaluate": {
        "a string": Evaluated(value="as it is", type="string"),
        "an empty string": Evaluated(value="", type="string"),
        "undefined": Evaluated(value=None, type="undefined"),
        "null": Evaluated(value=None, type="object"),
        "an object": Evaluated(value={"a": [1, "ä"]}, type="object"),
        "cut": Evaluated(value="xxx", type="string", truncated=True),
    },
    "fields": {
        "filled": Filled(element='<input> "Email" ref=e3', ref="e3"),
        "changed by the page": Filled(element='<input> "Phone" ref=e4', ref="e4", note='the page shows "555-01"'),
        "selected": Selected(element='<select> "Size" ref=e5', ref="e5", selected=["S", 'M "tall"']),
        "nothing selected": Selected(element='<select> "Size" ref=e5', ref="e5", selected=[]),
    },
    "files": {
        "uploaded": UploadAnswer(files=["a.pdf", "b.pdf"], to='<input> "Files" ref=e3', how="uploaded"),
        "downloaded": DownloadAnswer(path="/d/a.zip", bytes=300, type="", url="https://shop.example/a.zip"),
    },
    "find": {
        "nothing": FindAnswer(matches=[], total=0, partial=0, suggestions=[]),
        "nothing, but something similar": FindAnswer(matches=[], total=0, partial=0, suggestions=['button "Save"']),
        "some of many": FindAnswer(
            matches=[Match(ref="e7", role="button", name="Save", line='button "Save" ref=e7, in form')],
            total=12,
            partial=4,
            suggestions=[],
        ),
    },
    "forms": {
        "filled and submitted": FormFilled(
            results=[FieldResult(field='<input> "Name" ref=e3', filled=True)], submitted=f"submitted with {_SAVE}"
        ),
        "one field failed": FormFilled(
            results=[
                FieldResult(field='<input> "Phone" ref=e4', filled=True, note='the page shows "555-01"'),
                FieldResult(
                    field="css '#a'", filled=False, error={"code": "ELEMENT_NOT_FOUND", "message": "No match."}
                ),
            ],
            submitted="not submitted, because some fields were not filled",
        ),
    },
    "keys": {
        "typed": Keyed(done="typed 3 characters into", element='<input> "Name" ref=e3'),
        "changed by the page": Keyed(
            done="typed 8 characters into", element='<input> "Born" ref=e4', note="the field now holds '2024-12-31'"
        ),
        "pressed": Keyed(done="pressed Control+a"),
    },
    "links": {
        "none": Links(links=[], total=0),
        "some of many": Links(links=[Link(href="https://shop.example/", text="Home", ref="e1")], total=5),
    },
    "navigation": {
        "navigated": _navigated("navigated", status=404, redirects=2),
        "navigated, with a download and a note": _navigated("navigated", download="a.zip", note=f"assumed {_URL}"),
        "outside the grant": _navigated("navigated", url="https://pay.example", title=None, note="This site is …"),
        "same document": _navigated("same_document"),
        "restored": _navigated("restored", redirects=1),
        "download": _navigated("download", download="a.zip"),
        "download outside the grant": _navigated("download", url="https://pay.example", title=None),
        "no content": _navigated("no_content", status=204),
        "stayed": _navigated("stayed"),
        "stopped": Stopped(),
    },
    "network": {
        "no requests": NetworkAnswer(requests=[], cursor=0, more=0, hidden=0),
        "requests": NetworkAnswer(
            requests=[
                _request(2, shortened("data:image/png;base64," + "A" * 90), "200", 1),
                _request(1, f"https://shop.example/{'x' * 300}", "pending", None),
            ],
            cursor=2,
            more=3,
            hidden=1,
        ),
        "one request": NetworkRequestAnswer(
            request=_request(1, "https://shop.example/api", "201", 35),
            redirects=["301 https://shop.example/old"],
            failure="",
            request_headers={"Accept": "*/*", "Cookie": "(redacted)"},
            request_body=Body(bytes=7, text='{"a":1}'),
            response_headers={"Content-Type": "application/json"},
            response_body=Body(bytes=90, text='{"b":', truncated=True),
            messages=[],
            body_error="",
        ),
        "a request that failed": NetworkRequestAnswer(
            request=_request(1, "https://shop.example/api", "failed", None),
            redirects=[],
            failure="net::ERR_FAILED",
            request_headers={},
            request_body=Body(bytes=4, base64="AAAA"),
            response_headers={},
            response_body=Body(bytes=0),
            messages=["→ hello"],
            body_error="The browser no longer has the body.",
        ),
        "waited for": ResponseAnswer(request=_request(4, "https://shop.example/api", "200", 35), cursor=9),
        "conditions": ConditionsAnswer(conditions="offline, 20 ms latency"),
        "routes": RoutesAnswer(done="removed 1", routes=["m1 block *://ads.example/* hits=3"]),
        "HAR": HarAnswer(entries=12, bytes=9_000, file=_FILE),
    },
    "page_tools": {
        "none": PageToolList.of([]),
        "some": PageToolList.of(
            [
                PageToolInfo(
                    name="add_to_cart",
                    description="Adds an article.\n\nTwice, if asked.",
                    schema={"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
                ),
                PageToolInfo(name="stock", description="", frame="f2", read_only=True, untrusted=True),
                PageToolInfo(name="subscribe", description="By mail", form=True),
                PageToolInfo(name="search", description="Searches", form=True, submits=True),
                PageToolInfo(name="huge", description="x" * 500, problem="it has 30000 characters, more than 20000"),
            ]
        ),
        "more than fit": PageToolList.of(
            [
                PageToolInfo(name=f"tool{number}", description="", schema={"description": "long " * 2_400})
                for number in range(3)
            ]
        ),
        "answered in words": answer_of("add", Called("answered", {"content": [{"type": "text", "text": "3 left"}]})),
        "answered with JSON": answer_of("add", Called("answered", {"left": 3})),
        "answered with a picture": answer_of(
            "chart",
            Called("answered", {"content": [{"type": "image", "mimeType": "image/png", "data": _FILE.base64}]}),
        ),
        "answered with nothing": answer_of("add", Called("answered", "undefined")),
        "answered too deeply": answer_of("add", Called("answered", _nested(100))),
        "filled in": answer_of("subscribe", Called("filled in")),
        "left": answer_of("leave", Called("left")),
        "dialog": answer_of("ask", Called("dialog")),
    },
    "permissions": {
        "states": PermissionStates(origin="https://shop.example", states={"camera": "prompt", "geolocation": "denied"}),
        "changed": PermissionStates(origin="https://shop.example", states={"camera": "granted"}, changed="camera"),
    },
    "pointer": {
        "clicked": Pointed(done="double-clicked", element=_SAVE, ref="e7"),
        "mouse": MouseDone(action="move", x=10.5, y=20),
        "dragged": Dragged(source=_SAVE, target='onto <li> "B" ref=e9'),
    },
    "reading": {
        "all": Read(url=_URL, title="Cart", content="Two apples", start=0, length=10),
        "a part": Read(url=_URL, title="Cart", content="apples", start=4, length=40),
        "the end": Read(url=_URL, title="Cart", content="apples", start=4, length=10),
    },
    "scrolling": {
        "scrolled": Scrolled(what="the page", x=0, y=600, max_x=0, max_y=4000, moved=True),
        "not at all": Scrolled(what="the list", x=5, y=0, max_x=90, max_y=40, moved=False),
    },
    "snapshot": {
        "outline": SnapshotAnswer(url=_URL, title="Cart", kind="full", snapshot=f'page "Cart" {_URL}'),
        "with page tools": SnapshotAnswer(
            url=_URL, title="Cart", kind="full", snapshot=f'page "Cart" {_URL}', page_tools=1
        ),
        "JSON": SnapshotAnswer(url=_URL, title="Cart", kind="full", tree={"url": _URL, "tree": None}),
    },
    "recording": {
        "started": RecordingAnswer(tabId="abcd2345", recording=True, steps=[]),
        "stopped": RecordingAnswer(
            tabId="abcd2345",
            recording=False,
            steps=[
                RecordedStep(id="a1", title='fill textbox "Password"', secret="password"),
                RecordedStep(id="a2", title='click button "Sign in"'),
            ],
            left_out=3,
            full="it has 2,000 steps, the most that a recording may have",
        ),
        "saved": SavedAnswer(
            name="sign_in",
            path="/home/ada/.local/share/kapture/scenarios/sign_in.json",
            steps=['fill textbox "Password"', 'click button "Sign in"'],
            parameters=["query"],
            secrets=["password"],
            stored_secrets=False,
        ),
        "saved with its secrets": SavedAnswer(
            name="sign_in",
            path="/home/ada/.local/share/kapture/scenarios/sign_in.json",
            steps=['fill textbox "Password"'],
            parameters=[],
            secrets=["password"],
            stored_secrets=True,
        ),
    },
    "status": {
        "nested": HubStatus(
            status={
                "version": "1",
                "tabs": [{"tabId": "a", "queue": {"waiting": 0}}, {"tabId": "b"}],
                "errors": [],
                "codes": ["A", "B"],
                "none": None,
            }
        ),
    },
    "storage": {
        "entries": Stored(action="get", origin="https://shop.example", entries={"k": "v"}, cut=120),
        "none": Stored(action="get", origin="https://shop.example", entries={}),
        "cleared": Stored(action="clear", origin="https://shop.example", changed=2),
    },
    "tables": {
        "part of a table": TableRows(
            ref="e1", caption="Stock", columns=["A", "B"], rows=[["x", "1"]], start=2, total=9, stated=500
        ),
        "as JSON": TableRows(ref="e1", caption="", columns=["A"], rows=[["x"]], start=0, total=1, format="json"),
        "without rows": TableRows(ref="e1", caption="", columns=["A", "B"], rows=[], start=0, total=0),
    },
    "tabs": {
        "none": Tabs(
            tabs=[],
            none={
                "state": "extension_never_seen",
                "message": "No tab is connected. No browser with the Kapture extension has ever connected.",
                "hint": "Ask the person to run `kapture setup`.",
            },
        ),
        "one with page tools": Tabs(
            tabs=[
                {"tabId": "abcd2345", "title": "Shop", "url": _URL, "grant": None, "pageTools": 3},
                {"tabId": "efgh2345", "title": "Bank", "url": "https://bank.example/", "grant": None, "pageTools": 0},
            ]
        ),
        "one paused": Tabs(
            tabs=[
                {
                    "tabId": "abcd2345",
                    "title": "Settings",
                    "url": "chrome://settings/",
                    "grant": {"sites": ["shop.example"], "level": "read"},
                    "paused": "Chrome lets no extension debug this page.",
                }
            ]
        ),
        "given by the person": Given(
            tab={"tabId": "abcd2345", "url": _URL, "grant": {"sites": ["shop.example"], "level": "read"}}
        ),
        "some": Tabs(
            tabs=[
                {
                    "tabId": "abcd2345",
                    "title": 'A "title", with\nlines',
                    "url": _URL,
                    "grant": {"sites": ["shop.example"], "level": "interact"},
                },
                {"tabId": "efgh2345", "title": None, "url": None, "grant": {"sites": [], "level": "read"}},
            ]
        ),
        "opened": Opened(tabId="efgh2345", url=_URL, active=False, note=f"assumed {_URL}"),
        "closed": Closed(tabId="efgh2345"),
        "activated": Activated(tabId="efgh2345"),
        "released": Released(tabId="efgh2345"),
        "a tab's state": _tab(
            ready_state="complete",
            viewport=(800, 600),
            scroll=(0, 120),
            page_size=(800, 4000),
            device_scale=1.5,
            frames=[
                FrameInfo(frame="f1", url="https://shop.example/ad", granted=True),
                FrameInfo(frame="f2", url="https://pay.example", granted=False),
            ],
        ),
        "recorded": _tab(recording=True),
        "with a dialog": _tab(dialog={"type": "alert", "message": "Sold out"}),
    },
    "scenarios": {
        "some": ScenarioList(
            scenarios=[
                _SCENARIO,
                attrs.evolve(_SCENARIO, name="broken", problem="broken.json: it is not JSON: Input data was truncated"),
            ],
            stats=ScenarioStats(scenarios=1, secrets=1, last_recorded="2026-01-15T10:30:00Z"),
        ),
        "none": ScenarioList(scenarios=[], stats=ScenarioStats(scenarios=0, secrets=0)),
        "deleted": ScenarioDeleted(deleted="checkout"),
        "shown": ShownScenario(
            scenario={"version": 1, "name": "checkout", "chain": [{"command": "go_back"}]},
            parameters={"type": "object", "properties": {}},
            secrets=[
                NeededSecret(scenario="checkout", name="card", stored=True),
                NeededSecret(scenario="sign_in", name="password", stored=False),
            ],
        ),
        "shown, but not what it depends on": ShownScenario(
            scenario={"version": 1, "name": "checkout", "chain": [{"command": "go_back"}]},
            parameters={"type": "object", "properties": {}},
            secrets=[],
            problem="There is no scenario 'sign_in'.",
        ),
        "edited": ScenarioEdited(edited="checkout", forgotten=[]),
        "edited, its secrets forgotten": ScenarioEdited(edited="checkout", forgotten=["card"]),
        "planned": attrs.evolve(_RUN, status="planned", steps=[], captured={}, healed=[]),
        "passed": _RUN,
        "a check failed": attrs.evolve(
            _RUN,
            status="failed",
            steps=[
                *_RUN.steps[:2],
                StepRun(
                    scenario="checkout",
                    number=2,
                    step="check text",
                    status="failed",
                    duration_ms=5000,
                    expected="text 'Thank you'",
                    found="the text 'Thank you' is not shown",
                    error={"code": "SCENARIO_FAILED", "message": "The check does not hold."},
                ),
            ],
            captured={},
            healed=[],
            warnings=["news is optional and failed: news, step 1: ELEMENT_NOT_FOUND: The page shows no such element."],
        ),
    },
    "person": {
        "asked": PersonAnswered(answer="asked"),
        "done": _ANSWERED,
        "pins": PinsAnswer(
            pins=[PinFacts(pin=1, ref="e12", what='button "Save"', note="this one is too small")],
            lines=(pin_line(Pin(pin=1, tab_id="abcd2345", ref="e12", what='button "Save"', note="this is too small")),),
        ),
        "no pins": PinsAnswer(pins=[]),
        "cannot": PersonAnswered(answer="cannot", handed_s=3.5),
    },
    "waiting": {
        "met": Waited(seen=["the text 'Done' is shown", f"the URL is {_URL}"], waited_ms=120),
        "answered": Waited(seen=["the person has answered"], waited_ms=0, person=_ANSWERED),
        "a function": FunctionReturned(value={"ready": True}, waited_ms=35),
    },
}
