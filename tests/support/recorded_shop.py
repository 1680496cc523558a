"""A shop of three pages: sign-in, products and cart, checkout."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.site import Site, serving

LOGIN = """<!doctype html><title>Sign in</title><h1>Sign in to the shop</h1>
<form aria-label="Sign in" onsubmit="event.preventDefault(); if (e.value && p.value === 'hunter2-secret') location = '/products'">
<label>Email <input id=e type=email autocomplete=username></label>
<label>Password <input id=p type=password autocomplete=current-password></label><button>Sign in</button></form>"""

PRODUCTS = """<!doctype html><title>Products</title><h1>Products</h1>
<form role=search onsubmit="event.preventDefault(); for (const row of document.querySelectorAll('li'))
row.hidden = !row.textContent.toLowerCase().includes(q.value.toLowerCase())">
<input id=q type=search aria-label="Search products"></form>
<ul><li>Green tea <button>Add to cart</button><li>Black tea <button>Add to cart</button><li>Coffee <button>Add to cart</button></ul>
<p id=cart role=status>Cart: empty</p><a href="/checkout">Check out</a>
<script>for (const button of document.querySelectorAll('li button')) button.onclick = () => {
const item = button.parentElement.firstChild.data.trim(); sessionStorage.item = item; cart.textContent = 'Cart: ' + item }</script>"""

CHECKOUT = """<!doctype html><title>Checkout</title><h1>Checkout</h1><p id=what></p>
<form aria-label="Order" onsubmit="event.preventDefault(); location = '/done'">
<label>Street <input id=street></label><label>Phone <input id=phone type=tel></label>
<button id=o type=button role=combobox aria-haspopup=listbox aria-expanded=false aria-controls=l aria-label=Country>Choose</button>
<ul id=l role=listbox hidden><li role=option id=fr>France</li><li role=option id=es>Spain</li></ul>
<label><input id=terms type=checkbox> I accept the terms</label><button id=order>Place order</button></form>
<script>what.textContent = 'You buy: ' + sessionStorage.item
o.onclick = () => { l.hidden = false; o.ariaExpanded = 'true' }
for (const option of [fr, es]) option.onclick = () => { o.textContent = option.textContent; l.hidden = true; o.ariaExpanded = 'false' }
</script>"""

DONE = """<!doctype html><title>Thank you</title><h1>Thank you</h1><p id=what></p>
<script>what.textContent = 'Ordered: ' + sessionStorage.item</script>"""


@contextmanager
def shop() -> Iterator[Site]:
    """The shop, served until the block ends."""
    with serving({"/login": LOGIN, "/products": PRODUCTS, "/checkout": CHECKOUT, "/done": DONE}) as site:
        yield site
