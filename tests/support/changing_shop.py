"""A shop of three pages: sign-in, cart and checkout; and versions of it in which something has changed or is gone."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from tests.support.site import Page

SIGN_IN = """<!doctype html><title>Sign in</title><main><h1>Welcome</h1>
<form aria-label="Sign in" action="/articles"><label for="email">Email</label><input id="email" name="email">
<label for="password">Password</label><input id="password" type="password">
<button id="sign-in" class="primary">Sign in</button></form><a href="/help">Help</a></main>"""

ARTICLES = """<!doctype html><title>Articles</title><main><h1>Articles</h1><ul>
<li><h3>Lamp</h3><p>12 €</p><button id="add-lamp" class="buy">Add to cart</button></li>
<li><h3>Teapot</h3><p>12 €</p><button id="add-teapot" class="buy">Add to cart</button></li>
<li><h3>Clock</h3><p>30 €</p><button id="add-clock" class="buy">Add to cart</button></li></ul>
<p id="cart">In the cart: nothing</p><button id="go" onclick="location.href='/checkout'">Go to checkout</button>
<script>document.querySelectorAll("li :is(button, [role=button])").forEach(one => one.onclick = () => {
  sessionStorage.cart = one.closest("li").querySelector("h3").textContent;
  document.querySelector("[id$=cart]").textContent = "In the cart: " + sessionStorage.cart; })</script></main>"""

CHECKOUT = """<!doctype html><title>Checkout</title><main><h1>Checkout</h1>
<form aria-label="Address"><label for="street">Street</label><input id="street" name="street">
<label for="zip">Zip</label><input id="zip" name="zip">
<button id="place" class="primary" type="button" data-do="place">Place order</button>
<button class="plain" type="button">Cancel order</button></form><p role="status"></p>
<script>document.querySelector("form").addEventListener("click", event => {
  const pressed = event.target.closest("[data-do]"), street = document.querySelector("[name=street]");
  if (pressed) document.querySelector("[role=status]").textContent =
    `Thank you for the ${sessionStorage.cart} to ${street.value}`; })</script></main>"""

Change = Callable[[dict[str, str]], None]


def _in(path: str, *pairs: tuple[str, str]) -> Change:
    def change(pages: dict[str, str]) -> None:
        for old, new in pairs:
            assert old in pages[path], old
            pages[path] = pages[path].replace(old, new)

    return change


def _renamed(pages: dict[str, str]) -> None:
    for path, page in pages.items():
        page = re.sub(r'\b(id|for)="([\w-]+)"', r'\1="new-\2"', page)
        pages[path] = re.sub(r'class="\w+"', 'class="x9f3"', page)


def _reordered(pages: dict[str, str]) -> None:
    rows = re.findall(r"<li>.*?</li>\n?", pages["/articles"])
    for row in rows:
        pages["/articles"] = pages["/articles"].replace(row, "")
    pages["/articles"] = pages["/articles"].replace("<ul>", "<ul>" + "".join(reversed(rows)))


def _reordered_and_renamed(pages: dict[str, str]) -> None:
    _reordered(pages)
    _renamed(pages)


CHANGED: Mapping[str, Change] = {
    "classes and ids renamed": _renamed,
    "articles in another order": _reordered,
    "articles in another order, ids renamed": _reordered_and_renamed,
    "a label reworded": _in("/checkout", (">Street<", ">Street and number<")),
    "a field moved into a dialog": _in(
        "/checkout",
        ('<label for="street">Street</label><input id="street" name="street">', ""),
        (
            '<p role="status">',
            '<dialog open aria-label="Where to"><label for="s2">Street</label><input id="s2" name="street"></dialog>'
            '<p role="status">',
        ),
    ),
    "a new article first": _in(
        "/articles", ("<ul>", '<ul><li><h3>Cup</h3><p>12 €</p><button class="buy">Add to cart</button></li>')
    ),
}

_GONE: Mapping[str, tuple[int, Change]] = {
    "a button reworded": (11, _in("/checkout", (">Place order<", ">Place your order<"))),
    "another word on a button": (4, _in("/sign-in", ('"primary">Sign in<', '"primary">Continue<'))),
    "a button become a link": (
        7,
        _in(
            "/articles",
            ('<button id="go" onclick="location.href=\'/checkout\'">Go to checkout</button>', ""),
            ("</main>", '<a href="/checkout" class="next">Go to checkout</a></main>'),
        ),
    ),
    "the password field is gone": (
        3,
        _in("/sign-in", ('<label for="password">Password</label><input id="password" type="password">', "")),
    ),
    "signing up in place of signing in": (
        4,
        _in("/sign-in", ('<button id="sign-in" class="primary">Sign in<', '<button class="primary">Sign up<')),
    ),
    "the article is gone": (
        6,
        lambda pages: pages.update({"/articles": re.sub(r"<li><h3>Lamp.*?</li>", "", pages["/articles"])}),
    ),
    "the article is sold out": (
        6,
        _in("/articles", ('<button id="add-lamp" class="buy">Add to cart</button>', "<b>Sold out</b>")),
    ),
    "only another article is left": (
        6,
        lambda pages: pages.update({"/articles": re.sub(r"<li><h3>(Lamp|Clock).*?</li>", "", pages["/articles"])}),
    ),
    "the way to the checkout is gone": (
        7,
        _in("/articles", ('<button id="go" onclick="location.href=\'/checkout\'">Go to checkout</button>', "")),
    ),
    "the street is gone": (
        9,
        _in("/checkout", ('<label for="street">Street</label><input id="street" name="street">', "")),
    ),
    "a city in place of the zip": (
        10,
        _in("/checkout", ('<label for="zip">Zip</label><input id="zip" name="zip">', "<label>City <input></label>")),
    ),
    "the order button is gone": (
        11,
        _in("/checkout", ('<button id="place" class="primary" type="button" data-do="place">Place order</button>', "")),
    ),
    "the order button deletes": (11, _in("/checkout", (">Place order<", ">Delete order<"))),
    "the order button saves, under another id": (
        11,
        _in("/checkout", ('id="place"', 'id="later"'), (">Place order<", ">Save for later<")),
    ),
}

GONE: Mapping[str, int] = {name: step for name, (step, _) in _GONE.items()}
"""The removed element, and the step that must be refused for it, of navigate, fill, fill, click, wait_for, click,
click, wait_for, fill, fill, click."""


def shop_pages(change: str = "") -> dict[str, Page | str | Callable[[str], Page]]:
    """The pages by path, with one change made."""
    pages = {"/sign-in": SIGN_IN, "/articles": ARTICLES, "/checkout": CHECKOUT}
    if change in CHANGED:
        CHANGED[change](pages)
    elif change:
        _GONE[change][1](pages)
    return dict(pages)
