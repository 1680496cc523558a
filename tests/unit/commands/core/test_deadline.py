"""Commands give up before the hub does."""

from __future__ import annotations

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock

from kapture.commands.core.deadline import before_timeout, remaining_ms, timeout_to_wait
from kapture.commands.core.destination import destination
from kapture.errors import ErrorCode, KaptureError


@pytest.mark.parametrize("timeout_s", [0.01, 0.3, 1.0, 30.0, 600.0])
async def test_a_command_gives_up_before_its_timeout_but_not_long_before(
    autojump_clock: MockClock, timeout_s: float
) -> None:
    began = trio.current_time()
    with trio.fail_after(timeout_s):
        with before_timeout() as patience:
            await trio.sleep_forever()
        assert patience.ran_out
        waited = trio.current_time() - began
        assert timeout_s / 2 <= waited < timeout_s
        assert timeout_s - waited <= 0.25 + 1e-6
        assert remaining_ms() > 0


@pytest.mark.parametrize("wait_s", [0.01, 0.3, 0.5, 1.0, 3.0, 30.0, 500.0])
async def test_a_timeout_made_for_a_wait_leaves_the_whole_wait(autojump_clock: MockClock, wait_s: float) -> None:
    began = trio.current_time()
    with trio.fail_after(timeout_to_wait(wait_s * 1000) / 1000), before_timeout():
        await trio.sleep_forever()
    assert trio.current_time() - began == pytest.approx(wait_s)


async def test_a_command_answers_itself_when_both_deadlines_pass_at_once(mock_clock: MockClock) -> None:
    async def work() -> str:
        with before_timeout() as patience:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(trio.sleep_forever)
                mock_clock.jump(2)  # the event loop was busy over both
        return "gave up" if patience.ran_out else "finished"

    with trio.move_on_after(1):
        assert await work() == "gave up"
        return
    pytest.fail("the outer deadline took the answer")


# What a client writes as an address.


def everywhere(_: str) -> bool:
    return True


def to(given_url: str, base: str = "https://shop.example/list?page=2") -> str:
    return destination(given_url, base=base, may_open=everywhere).url


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("https://example.com/a?b#c", "https://example.com/a?b#c"),
        ("  http://example.com  ", "http://example.com"),
        ("example.com", "https://example.com"),
        ("example.com:8443/x", "https://example.com:8443/x"),
        ("localhost", "http://localhost"),
        ("localhost:8000/x", "http://localhost:8000/x"),
        ("app.localhost:3000", "http://app.localhost:3000"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("[::1]:8000/x", "http://[::1]:8000/x"),
        ("//cdn.example/x", "https://cdn.example/x"),
        ("/other", "https://shop.example/other"),
        ("?page=3", "https://shop.example/list?page=3"),
        ("#top", "https://shop.example/list?page=2#top"),
        ("../up", "https://shop.example/up"),
        ("about:blank", "about:blank"),
        ("About:Blank", "about:blank"),
        ("data:text/html,<p>x", "data:text/html,<p>x"),
    ],
)
def test_an_address_means_what_a_person_would_mean(written: str, meant: str) -> None:
    assert to(written) == meant


@pytest.mark.parametrize(
    "written",
    [
        "",
        "   ",
        "two words",
        "not a url",
        "http://",
        "http:///x",
        "nodots",
        "http://a b/",
        "http://%zz/",
        "http://a<b/",
    ],
)
def test_invalid_address_is_refused(written: str) -> None:
    with pytest.raises(KaptureError) as raised:
        to(written)
    assert raised.value.code is ErrorCode.INVALID_PARAMS


@pytest.mark.parametrize(
    "written",
    [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        " javascript:alert(1)",
        "chrome://settings",
        "chrome-extension://abc/x.html",
        "devtools://x",
        "view-source:https://example.com",
        "about:config",
        "about:srcdoc",
        "about:blank#a",
        "about:blank?a",
        "view-source:about:blank",
        "mailto:a@example.com",
        "ftp://example.com",
        "foo:bar",
    ],
)
def test_other_schemes_are_refused_with_a_reason(written: str) -> None:
    with pytest.raises(KaptureError) as raised:
        to(written)
    assert raised.value.code is ErrorCode.NAVIGATION_FAILED
    assert raised.value.data["reason"] == "scheme"
    assert raised.value.hint


@pytest.mark.parametrize("written", ["java\nscript:alert(1)", "java\tscript:alert(1)", "\x01javascript:alert(1)"])
def test_control_characters_hide_no_scheme(written: str) -> None:
    with pytest.raises(KaptureError):
        to(written)


@pytest.mark.parametrize(
    "written", ["https://evil.example/", "evil.example", "file:///etc/passwd", "blob:https://evil.example/1"]
)
def test_address_outside_grant_is_not_opened(written: str) -> None:
    with pytest.raises(KaptureError) as raised:
        destination(written, base="https://shop.example/", may_open=lambda url: url.startswith("https://shop.example/"))
    assert raised.value.code is ErrorCode.POLICY_DENIED


@given(st.text(max_size=80))
def test_every_text_gives_an_openable_url_or_a_known_error(written: str) -> None:
    try:
        url = to(written)
    except KaptureError as error:
        refused = error.code
    else:
        assert url.partition(":")[0].lower() in ("http", "https", "about", "data", "blob", "file")
        return
    assert refused in (ErrorCode.INVALID_PARAMS, ErrorCode.NAVIGATION_FAILED)
