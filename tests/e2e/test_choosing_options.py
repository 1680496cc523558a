"""Choosing options: of selects, of lists that pages build themselves, and of those that make their options late."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import pytest

from kapture.errors import ErrorCode
from tests.support.context import open_tab
from tests.support.field_log import LOG
from tests.support.site import Site

pytestmark = pytest.mark.e2e


SELECTS = (
    LOG
    + """<select id=one><option value=a>Apple<option value=b>Banana<option value=c disabled>Cherry</select>
<select id=many multiple><option value=a>Apple<option value=b>Banana<option value=c>Cherry</select>"""
)


async def test_select_chooses_by_value_label_and_index(browser: int, site: Site) -> None:
    site.pages["/selects"] = SELECTS
    async with open_tab(browser, site.url("/selects")) as tab:
        assert 'selected "Banana"' in await tab.text("select", selector="#one", value="b")
        assert await tab.page.evaluate("one.value") == "b"
        assert (await tab.data("select", selector="#one", value="apple"))["selected"] == ["Apple"]
        assert (await tab.data("select", selector="#one", label="Banana"))["selected"] == ["Banana"]
        assert (await tab.data("select", selector="#one", index=0))["selected"] == ["Apple"]
        assert [one[0] for one in await tab.page.evaluate("logged.filter((x) => x[1] == 'one').slice(-2)")] == [
            "input",
            "change",
        ]
        assert (await tab.data("select", selector="#many", value=["a", "Cherry"]))["selected"] == ["Apple", "Cherry"]
        assert (await tab.data("select", selector="#many", value=["b"]))["selected"] == ["Banana"]
        assert (await tab.data("select", selector="#many", value=[]))["selected"] == []
        await tab("fill", selector="#one", value="Banana")
        assert await tab.page.evaluate("one.value") == "b"


# A combobox as libraries build it: a button, a list put at the end of the body when it opens, options made late.
COMBOBOX = """<div id=box role=combobox tabindex=0 aria-expanded=false aria-haspopup=listbox aria-label=Fruit>Choose…</div>
<script>
const names = ['Apple', 'Banana', 'Cherry'];
function close() { document.getElementById('list')?.remove(); box.setAttribute('aria-expanded', 'false'); box.removeAttribute('aria-controls'); }
box.addEventListener('mousedown', () => {
  if (box.getAttribute('aria-expanded') === 'true') return close();
  const list = document.createElement('ul'); list.id = 'list'; list.setAttribute('role', 'listbox');
  list.style.cssText = 'position:absolute;top:60px;left:0;margin:0;background:#eee';
  document.body.append(list); box.setAttribute('aria-expanded', 'true'); box.setAttribute('aria-controls', 'list');
  setTimeout(() => { for (const name of names) { const option = document.createElement('li'); option.setAttribute('role', 'option');
    option.textContent = name; option.addEventListener('click', (e) => { box.textContent = name; window.trusted = e.isTrusted; close(); }); list.append(option); } }, 80);
});
document.addEventListener('keydown', (e) => { if (e.key === 'Escape') close(); });
</script>"""


async def test_a_custom_combobox_is_opened_and_its_option_clicked(browser: int, site: Site) -> None:
    site.pages["/combobox"] = COMBOBOX
    async with open_tab(browser, site.url("/combobox")) as tab:
        assert 'selected "Banana"' in await tab.text("select", selector="#box", value="Banana")
        assert await tab.page.evaluate("[box.textContent, trusted]") == ["Banana", True]
        assert (await tab.data("select", selector="#box", index=2))["selected"] == ["Cherry"]
        await tab("fill", selector="#box", value="apple")
        assert await tab.page.evaluate("box.textContent") == "Apple"
        error = await tab.fails("select", selector="#box", value="Durian")
        assert error.code is ErrorCode.ELEMENT_NOT_FOUND
        assert '"Apple", "Banana", "Cherry"' in error.message
        assert await tab.page.evaluate("box.ariaExpanded") == "false"


AUTOCOMPLETE = """<input id=box role=combobox aria-expanded=false aria-controls=list aria-autocomplete=list aria-label=City>
<ul id=list role=listbox hidden></ul><script>
const all = Array.from({length: 300}, (_, i) => `City ${i}`);
box.addEventListener('input', () => setTimeout(() => {
  list.replaceChildren(...all.filter((name) => name.toLowerCase().includes(box.value.toLowerCase())).slice(0, 5).map((name) => {
    const li = document.createElement('li'); li.role = 'option'; li.textContent = name;
    li.onmousedown = (e) => { e.preventDefault(); box.value = name; list.hidden = true; box.ariaExpanded = 'false'; window.chosen = name; }; return li; }));
  list.hidden = false; box.ariaExpanded = 'true';
}, 60));
</script>"""


async def test_an_autocomplete_is_typed_into_until_the_option_shows(browser: int, site: Site) -> None:
    site.pages["/autocomplete"] = AUTOCOMPLETE
    async with open_tab(browser, site.url("/autocomplete")) as tab:
        await tab("select", selector="#box", value="City 217")
        assert await tab.page.evaluate("[box.value, chosen]") == ["City 217", "City 217"]


VIRTUAL = """<div id=list role=listbox aria-label=Rows tabindex=0 style="height:100px;overflow:auto;position:relative">
<div id=pad style="height:20000px;position:relative"></div></div><script>
function draw() { const first = Math.floor(list.scrollTop / 20);
  pad.replaceChildren(...Array.from({length: 6}, (_, i) => { const n = first + i; const o = document.createElement('div');
    o.role = 'option'; o.textContent = `Row ${n}`; o.ariaSelected = String(window.row === n); o.style.cssText = `position:absolute;top:${n * 20}px;height:20px`;
    o.onclick = () => { window.row = n; draw(); }; return o; })); }
list.onscroll = draw; draw();
</script>"""


async def test_a_list_that_makes_its_options_on_scrolling_is_scrolled_through(browser: int, site: Site) -> None:
    site.pages["/virtual"] = VIRTUAL
    async with open_tab(browser, site.url("/virtual")) as tab:
        await tab("select", selector="#list", value="Row 57")
        assert await tab.page.evaluate("row") == 57


# Lists as component libraries draw them: options in the slot of another element's shadow tree; and rows beside a list
# without an area that is there for assistive technology only. A tree that was there before is not the list.
LIBRARY_LISTS = """<div role=tree><div role=treeitem>Root</div></div>
<x-select><div role=option>Dog</div><div role=option>Cat</div></x-select>
<div role=listbox><div role=option>Small</div></div>
<div id=size onclick="sizes.hidden = !sizes.hidden">Size</div><div id=sizes hidden>
<ul role=listbox><li role=option onclick="size.textContent = 'small it is'">Small</ul></div>
<div id=pick role=combobox tabindex=0 aria-controls=list aria-expanded=false aria-label=Category>Pick</div>
<script>
customElements.define('x-select', class extends HTMLElement {
  constructor() {
    super().attachShadow({ mode: 'open' }).innerHTML = '<div id=open role=combobox tabindex=0 aria-label=Kind ' +
      'aria-controls=list aria-expanded=false>Kind</div><div id=list role=listbox hidden><slot></slot></div>';
    const [open, list] = ['open', 'list'].map((id) => this.shadowRoot.getElementById(id));
    open.onclick = () => { open.setAttribute('aria-expanded', 'true'); list.hidden = false };
    this.onclick = ({ target }) => { if (target !== this) { open.textContent = target.textContent; list.hidden = true } };
  }
});
pick.onclick = () => {
  pick.setAttribute('aria-expanded', 'true');
  setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<div id=popup><div id=list role=listbox ' +
    'style="width:0;height:0;overflow:hidden"><div role=option>books</div></div><div><p>Books<p>Toys</div></div>'), 50);
};
addEventListener('click', ({ target }) => {
  if (target.localName === 'p') { pick.textContent = target.textContent; popup.remove() }
});
</script>"""


async def test_options_are_found_in_slots_and_where_they_are_drawn_beside_their_list(browser: int, site: Site) -> None:
    site.pages["/library"] = LIBRARY_LISTS
    async with open_tab(browser, site.url("/library")) as tab:
        await tab("select", target={"role": "combobox", "name": "Kind"}, value="Cat")
        assert await tab.page.evaluate("document.querySelector('x-select').shadowRoot.firstChild.textContent") == "Cat"
        await tab("select", selector="#size", value="Small")
        assert await tab.page.evaluate("size.textContent") == "small it is"
        error = await tab.fails("select", selector="#pick", value="Games")
        assert '"Books", "Toys"' in error.message
        await tab.page.evaluate("popup.remove()")
        assert 'selected "Toys"' in await tab.text("select", selector="#pick", value="Toys")
        assert await tab.page.evaluate("pick.textContent") == "Toys"


READ_ONLY = """<input id=size role=combobox readonly aria-controls=sizes aria-expanded=false aria-label=Size>
<ul id=sizes role=listbox hidden><li role=option>Small<li role=option>Large</ul><script>
size.onclick = () => { sizes.hidden = false; size.ariaExpanded = 'true' };
sizes.onclick = ({ target }) => { size.value = target.textContent; sizes.hidden = true; size.ariaExpanded = 'false' };
</script>"""


async def test_a_read_only_field_with_a_list_is_filled_by_choosing(browser: int, site: Site) -> None:
    site.pages["/read-only"] = READ_ONLY
    async with open_tab(browser, site.url("/read-only")) as tab:
        assert "filled 1 of 1" in await tab.text(
            "fill_form", fields=[{"target": {"label": "Size"}, "value": "Large"}], snapshot="none"
        )
        assert await tab.page.evaluate("size.value") == "Large"
        error = await tab.fails("type", selector="#size", text="x")
        assert "read-only" in error.message


COVERED = """<style>#box { position: relative; width: 200px; height: 30px } #shown { position: absolute; inset: 0 } #zone { width: 100% }</style>
<div id=box><div><input id=zone role=combobox readonly aria-controls=zones aria-expanded=false aria-label=Zone></div><div id=shown>Pick a zone</div><select hidden></select></div>
<ul id=zones role=listbox hidden><li role=option>North<li role=option>South</ul><script>
box.addEventListener('click', () => { zones.hidden = false; zone.ariaExpanded = 'true' });
zones.onclick = ({ target }) => { shown.textContent = target.textContent; zones.hidden = true; zone.ariaExpanded = 'false' };
</script>"""


async def test_overlay_of_other_part_covers_combobox(browser: int, site: Site) -> None:
    site.pages["/veiled"] = COVERED + "<div style='position: fixed; inset: 0'>Wait</div>"
    async with open_tab(browser, site.url("/veiled")) as tab:
        await tab.text("snapshot")
        error = await tab.gives_up("click", target={"label": "Zone"})
        assert error.code is ErrorCode.ELEMENT_NOT_ACTIONABLE
        assert "covers it" in error.message


DIALOG_OF_CHOICES = """<button id=fruit aria-haspopup=dialog>Fruit</button><button id=many aria-haspopup=dialog>Snacks</button>
<div role=dialog aria-label=Other><div role=radio aria-checked=false>Pear</div></div><script>
const open = (role, done) => () => {
  const dialog = document.createElement('div'); dialog.role = 'alertdialog';
  dialog.innerHTML = ['Apple', 'Pear', 'Plum'].map((name) => `<div role=${role} aria-checked=false>${name}</div>`).join('') + '<button>OK</button>';
  dialog.onclick = ({ target }) => {
    if (target.localName === 'button') { done([...dialog.querySelectorAll('[aria-checked=true]')].map((one) => one.textContent)); dialog.remove(); return }
    if (role === 'radio') for (const one of dialog.children) one.ariaChecked = 'false';
    target.ariaChecked = target.ariaChecked === 'true' ? 'false' : 'true';
  };
  dialog.onkeydown = ({ key }) => { if (key === 'Escape') dialog.remove() };
  document.body.append(dialog);
};
fruit.onclick = open('radio', (names) => fruit.value = names);
many.onclick = open('checkbox', (names) => many.value = names);
</script>"""


async def test_choices_in_a_dialog_are_made_and_the_dialog_stays_open_to_confirm_them(browser: int, site: Site) -> None:
    site.pages["/dialog"] = DIALOG_OF_CHOICES
    async with open_tab(browser, site.url("/dialog")) as tab:
        assert 'selected "Pear"' in await tab.text("select", selector="#fruit", value="Pear")
        await tab("click", target={"text": "OK"})
        assert await tab.page.evaluate("fruit.value") == "Pear"
        assert 'selected "Apple", "Plum"' in await tab.text("select", selector="#many", value=["Apple", "Plum"])
        await tab("click", target={"text": "OK"})
        assert await tab.page.evaluate("many.value") == "Apple,Plum"
        assert await tab.page.evaluate("document.querySelectorAll('[role=dialog] [aria-checked=true]').length") == 0
