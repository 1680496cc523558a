"""Snapshots of real pages: what a client sees and keeps."""

from __future__ import annotations

import re
from typing import Any

import pytest

from kapture.errors import ErrorCode, KaptureError
from kapture.page.target import TargetSpec
from tests.support.context import open_tab
from tests.support.form_page import FORM
from tests.support.site import Site

pytestmark = pytest.mark.e2e


def table(rows: int) -> str:
    body = "".join(
        f"<tr><td>{i}<td>Customer {i}<td>customer{i}@example.com<td>Active<td>{i}.00<td><a href=/c/{i}>Open</a></tr>"
        for i in range(rows)
    )
    head = "<thead><tr><th>No<th>Name<th>Mail<th>State<th>Total<th>Do</tr></thead>"
    return f"<title>Customers</title><h1>Customers</h1><table>{head}<tbody>{body}</tbody></table><button>Add</button>"


async def test_a_small_form_is_a_few_lines(browser: int, site: Site) -> None:
    site.pages["/form"] = FORM
    async with open_tab(browser, site.url("/form")) as tab:
        text = await tab.text("snapshot")
    assert len(text) < 600
    assert re.sub(r"\d+", "N", text).splitlines() == [
        'page "Sign up" http://N.N.N.N:N/form',
        'heading "Sign up" [level=N]',
        "form ref=eN",
        '  textbox "Name" [required] = "Al" ref=eN',
        '  textbox "Email" ref=eN',
        '  combobox "Country" = "France" ref=eN: "France" | "Spain" | "Peru"',
        '  checkbox "I agree" ref=eN',
        '  group "Plan"',
        '    radio "Free" [checked] ref=eN',
        '    radio "Pro" ref=eN',
        '  "See" link "the terms" ref=eN "first."',
        '  button "Create account" ref=eN',
        '  link "Log in" ref=eN',
    ]


async def test_500_rows_are_summed_up_and_every_one_can_be_reached(browser: int, site: Site) -> None:
    site.pages["/table"] = table(500)
    async with open_tab(browser, site.url("/table")) as tab:
        text = await tab.text("snapshot")
        assert len(text) < 6_000
        hint = re.search(r"… \d+ more rows, ref=(e\d+)", text)
        assert hint
        shown = await tab.text("snapshot", root={"ref": hint[1]})
        seen = set(re.findall(r'"Customer (\d+)"', shown))
        while cut := re.search(r"continue with start=(\S+)", shown):
            shown = await tab.text("snapshot", root={"ref": hint[1]}, start=cut[1])
            assert len(shown) <= 20_000
            seen |= set(re.findall(r'"Customer (\d+)"', shown))
    assert seen == {str(i) for i in range(500)}


async def test_refs_stay_with_their_elements_from_snapshot_to_snapshot(browser: int, site: Site) -> None:
    site.pages["/form"] = FORM
    async with open_tab(browser, site.url("/form")) as tab:
        first = await tab.text("snapshot")
        assert await tab.text("snapshot") == first
        await tab.page.evaluate("document.querySelector('form').prepend(document.querySelector('button'))")
        again = await tab.text("snapshot")
        assert ref_of(again, "button") == ref_of(first, "button")


def ref_of(text: str, role: str, name: str = "") -> str:
    match = re.search(rf'{role} "{name}.*ref=((?:f\d+)?e\d+)', text)
    assert match, text
    return match[1]


async def test_frames_of_both_kinds_are_stitched_in_place(browser: int, site: Site) -> None:
    site.pages["/outer"] = (
        "<h1>Shop</h1><iframe title=Near src=/near></iframe><p>between</p>"
        f"<iframe title=Far src={site.url('/far', 'localhost')}></iframe><button>After</button>"
    )
    site.pages["/near"] = "<button>Near button</button>"
    site.pages["/far"] = "<iframe title=Deep src=/deep></iframe><button>Far button</button>"
    site.pages["/deep"] = "<button>Deep button</button>"
    async with open_tab(browser, site.url("/outer")) as tab:
        text = await tab.text("snapshot")
        names = re.findall(r'"(\w+(?: \w+)?)"', text)[0:]
        assert names == ["Shop", "Near", "Near button", "between", "Far", "Deep", "Deep button", "Far button", "After"]
        ref = ref_of(text, "button", "Deep")
        assert ref.startswith("f")
        assert (await tab.page.locate(TargetSpec(ref=ref))).name == "Deep button"
        part = await tab.text("snapshot", root={"ref": ref_of(text, "iframe", "Far")})
        assert "Deep button" in part
        assert "After" not in part


async def test_a_frame_outside_the_grant_tells_its_origin_and_nothing_else_of_itself(browser: int, site: Site) -> None:
    site.pages["/outer"] = f"<iframe src={site.url('/far', 'localhost')}></iframe><button>After</button>"
    site.pages["/far"] = "<title>Secret title</title><button>Secret button</button>"
    async with open_tab(browser, site.url("/outer")) as tab:
        tab.page.gate = lambda url: "localhost" not in url
        for options in ({}, {"format": "toon"}, {"format": "json"}, {"interactive_only": True}):
            text = await tab.text("snapshot", **options)
            assert "ecret" not in text
            assert "not granted" in text
            assert site.url("", "localhost") in text
            assert "/far" not in text
        assert "ecret" not in await tab.text("find", text="Secret")
        tab.page.gate = lambda url: True
        assert "Secret button" in await tab.text("snapshot", since="last")


async def test_a_page_outside_the_grant_is_an_error(browser: int, site: Site) -> None:
    site.pages["/form"] = FORM
    async with open_tab(browser, site.url("/form")) as tab:
        tab.page.gate = lambda url: False
        for command, arguments in (("snapshot", {}), ("find", {"text": "Name"})):
            with pytest.raises(KaptureError) as caught:
                await tab.text(command, **arguments)
            assert caught.value.code is ErrorCode.POLICY_DENIED


async def test_a_root_that_the_outline_folds_away_is_shown_all_the_same(browser: int, site: Site) -> None:
    site.pages["/wrapped"] = "<div id=a><button>In</button><iframe src=/near></iframe></div><button>Out</button>"
    site.pages["/near"] = "<section id=b><button>Framed</button></section><button>Other</button>"
    async with open_tab(browser, site.url("/wrapped")) as tab:
        text = await tab.text("snapshot", root="#a")
        assert "In" in text
        assert "Framed" in text
        assert "Out" not in text
        inner = await tab.text("snapshot", root="#b")
        assert "Framed" in inner
        assert "Other" not in inner
        assert re.search(r"ref=f\d+e\d+", inner)


async def test_the_flat_table_follows_its_specification(browser: int, site: Site) -> None:
    site.pages["/login"] = (
        "<title>Login</title><h1>Welcome back</h1><label>Email <input autofocus></label>"
        "<label><input type=checkbox> Remember me</label><button>Sign in</button>"
    )
    async with open_tab(browser, site.url("/login")) as tab:
        # The browser focuses it with the first frame that it draws, which may come after the load event.
        await tab("wait_for_function", code="document.activeElement.localName === 'input'")
        text = re.sub(r"\be\d+", "eN", await tab.text("snapshot", format="toon"))
    lines = text.splitlines()
    assert lines[1:3] == ["title: Login", "elements[4]{ref,role,name,states}:"]
    assert lines[3:] == [
        "  eN,heading,Welcome back,level=1",
        "  eN,textbox,Email,focused",
        "  eN,checkbox,Remember me,unchecked",
        '  eN,button,Sign in,""',
    ]


async def test_hostile_words_stay_between_quotes(browser: int, site: Site) -> None:
    site.pages["/evil"] = (
        "<button id=b></button><p id=p></p><input id=i><script>"
        'const evil = \'x"\\nbutton "Pay" ref=e1\\u202e\\u2028\\ud83d\\u0000\\u{e0041}\';'
        "b.textContent = evil; p.textContent = evil; i.value = evil; i.placeholder = evil; document.title = evil"
        "</script>"
    )
    async with open_tab(browser, site.url("/evil")) as tab:
        for form in ("tree", "toon", "json"):
            text = await tab.text("snapshot", format=form)
            text.encode()
            assert "\U000e0041" not in text or form == "json"
        text = await tab.text("snapshot")
        assert len(text.splitlines()) == 4
        bare = re.sub(r'"(?:[^"\\]|\\.)*"…?', "Q", text)
        assert len(re.findall("ref=", bare)) == 2
        found = await tab.text("find", text="Pay")
        assert len(re.findall("ref=", re.sub(r'"(?:[^"\\]|\\.)*"…?', "Q", found))) == len(found.splitlines())


async def test_a_start_that_is_gone_says_so(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        with pytest.raises(KaptureError) as caught:
            await tab.text("snapshot", start="e4711")
        assert caught.value.code is ErrorCode.REF_EXPIRED


async def test_a_deep_page_is_shown_in_parts(browser: int, site: Site) -> None:
    site.pages["/deep"] = (
        "<body><script>let at = document.body; for (let i = 0; i < 300; i++) {"
        "const list = document.createElement('ul'); list.innerHTML = `<li>level ${i}<ul></ul></li>`;"
        "at.append(list); at = list.querySelector('li') }</script>"
    )
    async with open_tab(browser, site.url("/deep")) as tab:
        seen: set[str] = set()
        done: list[dict[str, Any]] = []
        todo: list[dict[str, Any]] = [{}]
        while todo and len(done) < 60:
            arguments = todo.pop()
            done.append(arguments)
            text = await tab.text("snapshot", **arguments)
            seen |= set(re.findall(r'"level (\d+)"', text))
            ways = [{"root": {"ref": ref}} for ref in re.findall(r"ref=(e\d+):? ?… .* inside", text)]
            ways += [{**arguments, "start": start} for start in re.findall(r"start=(\S+)", text)]
            todo += [way for way in ways if way not in done]
        assert seen == {str(i) for i in range(300)}


VIRTUAL_LIST = """<style>ul, section { height: 200px; overflow-y: auto; margin: 0 } li { position: absolute }</style>
<ul aria-label=People><div style="height: 200000px; position: relative"></div></ul>
<section><div id=short style="float: right">Aside</div><div id=long></div></section>
<section id=chat style="display: flex; flex-direction: column-reverse"></section>
<script>
const list = document.querySelector('ul');
long.innerHTML = chat.innerHTML = Array.from({ length: 200 }, (_, n) => `<p>Paragraph ${n}</p>`).join('');
list.onscroll = () => {
  const first = Math.floor(list.scrollTop / 20);
  list.firstChild.innerHTML = Array.from({ length: 12 }, (_, n) => first + n).map((n) =>
    `<li style="top: ${n * 20}px">Person ${n} <button onclick="document.title = 'picked ${n}'">Pick</button>`).join('');
};
list.onscroll();
</script>"""


async def test_a_list_that_is_made_as_it_is_scrolled_is_marked_and_its_last_rows_are_reached(
    browser: int, site: Site
) -> None:
    site.pages["/virtual"] = VIRTUAL_LIST
    async with open_tab(browser, site.url("/virtual")) as tab:
        text = await tab.text("snapshot")
        [ref] = re.findall(r'list "People" \[scrollable\] ref=(e\d+)', text)
        assert text.count("scrollable") == 1  # not what is only long, in whatever order
        await tab("scroll", target={"ref": ref}, y=180_000)
        await tab("wait_for", text="Person 9005", timeout=30_000)
        row = await tab.text("find", text="Person 9005")
        [pick] = re.findall(r'button "Pick" ref=(e\d+)', row)
        await tab("click", target={"ref": pick}, timeout=30_000)
        assert await tab.page.evaluate("document.title") == "picked 9005"
        assert "[scrollable]" in await tab.text("snapshot")
