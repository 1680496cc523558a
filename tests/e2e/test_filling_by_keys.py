"""Fields that a text inserted at once does not fill: they take it key by key, or pass it on."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import pytest

from tests.support.context import open_tab
from tests.support.site import Site

pytestmark = pytest.mark.e2e

# The page sets the value itself at each key, and refuses all other input.
MASK = """<input id=f aria-label=Card><script>
f.onkeydown = (event) => {
  if (event.key.length > 1) return;
  event.preventDefault();
  if (/\\d/.test(event.key)) f.value = (f.value.replaceAll(" ", "") + event.key).replace(/(.{4})(?=.)/g, "$1 ");
};
f.addEventListener("beforeinput", (event) => event.preventDefault());
f.onchange = () => (document.title = f.value);
</script>"""

CODE = """<div id=d></div><script>
for (let i = 0; i < 6; i++) {
  const box = document.createElement("input");
  box.maxLength = 1;
  box.ariaLabel = `Digit ${i + 1}`;
  box.oninput = () => { box.nextElementSibling?.focus(); document.title = [...d.children].map((one) => one.value).join("") };
  d.append(box);
}
</script>"""


async def test_a_field_that_takes_only_keys_is_filled_by_keys(browser: int, site: Site) -> None:
    site.pages["/keys"] = MASK
    async with open_tab(browser, site.url("/keys")) as tab:
        text = await tab.text("fill", selector="#f", value="42424242")
        assert 'the page made it "4242 4242"' in text
        assert await tab.page.evaluate("f.value") == "4242 4242"


async def test_a_field_that_refuses_keys_too_is_told(browser: int, site: Site) -> None:
    site.pages["/keys"] = MASK
    async with open_tab(browser, site.url("/keys")) as tab:
        error = await tab.fails("fill", selector="#f", value="abc")
        assert "did not take the value" in error.message


@pytest.mark.parametrize("code", ["123456", "12"])
async def test_a_code_goes_on_into_the_fields_after_the_first(browser: int, site: Site, code: str) -> None:
    site.pages["/code"] = CODE
    async with open_tab(browser, site.url("/code")) as tab:
        text = await tab.text("fill", target={"role": "textbox", "name": "Digit 1"}, value=code)
        assert "the page passed the rest on to the fields after it" in text
        assert await tab.page.evaluate("document.title") == code


async def test_a_text_that_is_cut_goes_on_nowhere_else(browser: int, site: Site) -> None:
    site.pages["/cut"] = "<input id=f maxlength=1 oninput='g.focus()'><input id=g>"
    async with open_tab(browser, site.url("/cut")) as tab:
        assert 'the page made it "1"' in await tab.text("fill", selector="#f", value="123456")
        assert await tab.page.evaluate("g.value") == ""


async def test_a_text_with_a_tab_is_not_keyed_into_the_next_field(browser: int, site: Site) -> None:
    site.pages["/keys"] = MASK + "<input id=g>"
    async with open_tab(browser, site.url("/keys")) as tab:
        await tab.fails("fill", selector="#f", value="\t42")
        assert await tab.page.evaluate("[f.value, g.value]") == ["", ""]


EDITOR = """<iframe id=e title="Message text"></iframe><script>
const edited = e.contentDocument;
edited.write("<p>Kind regards</p>");
edited.close();
edited.designMode = "on";
</script>"""


async def test_a_document_in_design_mode_is_a_text_field(browser: int, site: Site) -> None:
    site.pages["/editor"] = EDITOR
    async with open_tab(browser, site.url("/editor")) as tab:
        assert 'textbox "Message text"' in await tab.text("snapshot")
        for number, target in enumerate(({"css": "#e"}, {"label": "Message text"}, {"role": "textbox"})):
            await tab.text("fill", target=target, value=f"Dear {number}")
            assert await tab.page.evaluate("edited.body.innerText.trim()") == f"Dear {number}"
