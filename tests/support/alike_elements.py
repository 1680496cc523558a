"""Pages with elements that resemble one another; which one it is stands in its `data-is`."""

from __future__ import annotations


def invoices(*names: str, label: str = "Pay") -> str:
    """Each with a button whose id is its place."""
    return "".join(
        f'<li><b>{name}</b> <span>20 €</span> <button id="pay-{number}" data-is="{name}">{label}</button>'
        for number, name in enumerate(names)
    )


def people(*names: str) -> str:
    return f"<table><tr><th>Name<th>Action{''.join(_row(name) for name in names)}</table>"


def _row(name: str) -> str:
    return f'<tr><td>{name}<td><button data-is="{name}">Edit</button>'


def users(*names: str) -> str:
    """Each button has the same test id."""
    return "<ul>" + "".join(
        f'<li><b>{name}</b> <span>Editor</span> <button data-testid="edit" data-is="{name}">Edit</button>'
        for name in names
    )


def addresses(*groups: str) -> str:
    return "".join(
        f"<fieldset><legend>{group}</legend><label>Street <input data-is={group}></label></fieldset>"
        for group in groups
    )


def sections(*names: str) -> str:
    """Fields with the same labels, in sections that have a heading and no name."""
    return "".join(
        f"<section><h2>{name}</h2><label>Street <input data-is={name}></label> <label>City <input></label></section>"
        for name in names
    )


def cards(*names: str, sold_out: str = "") -> str:
    return "".join(
        f"<div><h3>{name}</h3>{'<b>Sold out</b>' if name == sold_out else f'<button data-is={name}>Buy</button>'}</div>"
        for name in names
    )


def posts(*texts: str, label: str = "Reject") -> str:
    """Each with its buttons in a box of their own, the same in all."""
    return "".join(
        f"<article><h3>Ada</h3><p>{text}</p><footer><form><button type=button>Accept</button></form>"
        f'<button data-is="{text}">{label}</button><button><div>Ban</div></button>'
        '<a href="#">Reply</a></footer></article>'
        for text in texts
    )


def menu(*items: str) -> str:
    entries = "".join(f"<div role=menuitem data-is={item}>{item}</div>" for item in items)
    return f"<p>Ada</p><div role=menu>{entries}</div>"


def button(label: str, attributes: str = 'id="it"') -> str:
    return f'<h1>Settings</h1><button {attributes} data-is="{label}">{label}</button>'


def files(*names: str) -> str:
    """Each is named by a link that a script listens to."""
    return "<table>" + "".join(
        f'<tr><td><a href="#">{name}</a><td>+1 −2<td><button data-is="{name}">Hide</button>' for name in names
    )


def question(text: str, *answers: str) -> str:
    buttons = "".join(f'<button data-is="{answer}: {text}">{answer}</button>' for answer in answers)
    return f"<h1>Loans</h1><div role=dialog aria-label=Loans><p>{text}</p>{buttons}</div>"


def rooms(free: str, *others: str) -> str:
    """One has a button, the others a link of the same name."""
    links = "".join(f'<li><b>{name}</b> <a href="#" data-is="{name}">Book</a>' for name in others)
    return f'<ul>{links}<li><b>{free}</b> <button data-is="{free}">Book</button>'


def slots(*doctors: str, full: str = "") -> str:
    """Each has the same rows: what tells them apart stands above these."""
    rows = "<ul><li>09:00 <button data-is='{name}'>Book</button><li>10:00 <button>Book</button></ul>"
    return "".join(
        f"<article><h3>{name}</h3>{'Full' if name == full else rows.format(name=name)}</article>" for name in doctors
    )


def timetable(*doctors: str) -> str:
    rows = "".join(f"<tr><td>{name}<td>09:00<td><button data-is='{name}'>Book</button>" for name in doctors)
    return f"<table><tr><th>Doctor<th>Time<th>{rows}</table>"


def sheets(*names: str) -> str:
    """Each is named by what opens it."""
    return "".join(
        f"<details open><summary>{name}</summary><p>12 lines</p><button data-is='{name}'>Comment</button></details>"
        for name in names
    )


def dishes(*names: str) -> str:
    """They have no role and no name."""
    return "".join(f'<div onclick="1" data-is="{name}">{name} <b>♡</b></div>' for name in names)


def seats(*numbers: int) -> str:
    return "<ul>" + "".join(
        f"<li><b>Seat {number}</b> <i>Row A</i> <span>Upper deck</span> <button data-is={number}>Choose</button>"
        for number in numbers
    )


def claims(*sums: str) -> str:
    """Each person has one."""
    return "<table>" + "".join(
        f"<tr><td>{name}<td>Travel<td>{claimed}<td><button data-is={name}>Approve</button>"
        for name, claimed in zip(("Ada", "Bob"), sums, strict=True)
    )
