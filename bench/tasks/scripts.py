"""The tasks. Each begins by opening its page, and is done when the page sets `window.done`."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from bench.tasks.agent import Agent

CV = "cv.txt"
"""The file that is uploaded, in the folder for uploads."""

Task: TypeAlias = Callable[[Agent, Path], Awaitable[None]]
TASKS: dict[str, Task] = {}


def task(run: Task) -> Task:
    """Register a script under the name of its page."""
    TASKS[getattr(run, "__name__")] = run  # noqa: B009  a Callable need not have a name
    return run


def field(target: Mapping[str, Any], value: Any, **more: Any) -> dict[str, Any]:
    """One of the fields of `fill_form`."""
    return {"target": dict(target), "value": value, **more}


@task
async def sign_in(agent: Agent, files: Path) -> None:
    """Sign in, at the second attempt."""
    name, password = agent.ref('textbox "E-mail'), agent.ref('textbox "Password')
    fields = [field(name, "ada@example.com"), field(password, "wrong"), field(agent.ref('checkbox "Keep'), True)]
    assert "not the password" in await agent.call("fill_form", fields=fields, submit=True)
    assert "NW-40718" in await agent.call("fill_form", fields=[field(password, "correct horse")], submit=True)


@task
async def shop(agent: Agent, files: Path) -> None:
    """Put the cheapest teapot into the basket."""
    sort, tea = agent.ref('combobox "Sort'), agent.ref('checkbox "Tea"')
    sorted_by_price = await agent.call("fill_form", fields=[field(tea, True), field(sort, "Price, low to high")])
    cheapest = re.search(r'now first: article "(\w+ \w+)', sorted_by_price)
    assert cheapest
    await agent.call("click", target=agent.ref(rf'(?s)link "{cheapest[1]}".*?button'))


@task
async def checkout(agent: Agent, files: Path) -> None:
    """Order: address, delivery, payment in a frame."""
    given = {"Full name": "Ada Byron", "Street": "Am Hof 1", "Postcode": "53113", "City": "Bonn"}
    fields = [field(agent.ref(f'textbox "{name}'), value) for name, value in given.items()]
    fields.append(field(agent.ref('combobox "Country'), "Germany"))
    await agent.call("fill_form", fields=fields, submit=True)
    await agent.call("fill_form", fields=[field(agent.ref('radio "Express'), True)], submit=True)
    card, until = agent.ref('textbox "Card number'), agent.ref('textbox "Expires')
    fields = [field(card, "4111111111111111"), field(until, "12/29"), field(agent.ref('checkbox "I accept'), True)]
    order = agent.ref('button "Place order')
    assert "2026-1187" in await agent.call("fill_form", fields=fields, submit_target=order)


@task
async def mail(agent: Agent, files: Path) -> None:
    """Find a mail, answer with the number that it names."""
    await agent.call("click", target={"text": "Gia Conti", "nth": 1})
    text = await agent.call("click", target=agent.ref('button "Reply'))
    number = re.search(r"reference is (\d+)", "\n".join(agent.log))
    assert number, text
    reply, send = agent.ref('textbox "Your reply'), agent.ref('button "Send')
    await agent.call("fill_form", fields=[field(reply, f"Fine: {number[1]}")], submit_target=send)


@task
async def settings(agent: Agent, files: Path) -> None:
    """Change a setting on each of three tabs, and save."""
    notifications, privacy = agent.ref('tab "Notifications'), agent.ref('tab "Privacy')
    zone = agent.ref('combobox "Time zone')
    await agent.call("fill_form", fields=[field(zone, "Europe/Berlin")], submit_target=notifications)
    digest, volume = agent.ref('switch "Weekly digest'), agent.ref('slider "Volume')
    await agent.call("fill_form", fields=[field(digest, False), field(volume, 30)], submit_target=privacy)
    save = agent.ref('button "Save changes')
    await agent.call("fill_form", fields=[field(agent.ref('radio "My team'), True)], submit_target=save)


@task
async def invoices(agent: Agent, files: Path) -> None:
    """Remind of the largest overdue invoice of one customer, in a table of 300 rows."""
    await agent.call("fill", target=agent.ref('textbox "Filter'), value="Ginkgo")
    shown = await agent.call("read_as_markdown", target=agent.ref('table "Invoices'), refs=True)
    rows = [line.split("|") for line in shown.splitlines() if "overdue" in line]
    largest = max(rows, key=lambda row: int(re.sub(r"\D", "", row[4])))
    await agent.call("click", target=agent.ref(rf"{largest[1].strip()} .*Remind\s*{{(e\d+)}}"))


@task
async def upload(agent: Agent, files: Path) -> None:
    """Apply with a file."""
    fields = [field(agent.ref('textbox "Your name'), "Ada Byron"), field(agent.ref('combobox "Position'), "Editor")]
    send = agent.ref('button "Send application')
    await agent.call("upload", target=agent.ref(r'ref=(e\d+): "Drop your CV'), paths=[str(files / CV)])
    assert "AP-221" in await agent.call("fill_form", fields=fields, submit_target=send)


@task
async def calendar(agent: Agent, files: Path) -> None:
    """Book a room on a day two months ahead, from a date picker."""
    fields = [field(agent.ref('textbox "Title'), "Review"), field(agent.ref('"From'), "14:30")]
    fields.append(field(agent.ref('combobox "Room'), "Clover"))
    await agent.call("fill_form", fields=fields, submit_target=agent.ref('textbox "Date'))
    await agent.call("click", target=agent.ref('button "›'), count=2)
    await agent.call("click", target={"text": "17", "exact": True})
    assert "Clover" in await agent.call("click", target=agent.ref('button "Book'))


@task
async def menus(agent: Agent, files: Path) -> None:
    """Choose from a submenu that opens under the pointer."""
    await agent.call("click", target=agent.ref('menuitem "File'))
    await agent.call("hover", target=agent.ref('menuitem "Export'))
    await agent.call("click", target=agent.ref('menuitem "CSV'))
    assert "Exported as CSV" in await agent.call("wait_for", text="Exported as")


@task
async def article(agent: Agent, files: Path) -> None:
    """Read, and answer from what was read."""
    days = re.search(r"took (\d+) days", await agent.call("read_as_markdown"))
    assert days
    await agent.call("fill_form", fields=[field({"label": "Your answer"}, f"{days[1]} days")], submit=True)


@task
async def todo(agent: Agent, files: Path) -> None:
    """Add two, finish one, delete one, look at what is open."""
    new = agent.ref("What needs to be done")
    await agent.call("type", target=new, text="Buy salt", press_enter=True)
    await agent.call("type", target=new, text="Post the letter", press_enter=True)
    await agent.call("click", target=agent.ref('checkbox "Water the plants'))
    await agent.call("click", target=agent.ref(r'(?s)checkbox "Call the bank".*?icon trash\)'))
    await agent.call("click", target={"text": "Open", "exact": True})


@task
async def members(agent: Agent, files: Path) -> None:
    """Remove somebody, through a menu and a question."""
    await agent.call("click", target=agent.ref('Ed Frank"[^\n]*button "Actions'))
    await agent.call("click", target=agent.ref('menuitem "Remove'))
    assert "was removed" in await agent.call("handle_dialog", accept=True)


@task
async def results(agent: Agent, files: Path) -> None:
    """Find an article on the third page of results."""
    await agent.call("click", target=agent.ref('link "3"'))
    await agent.call("click", target=agent.ref('link "Garden lamp 408'))
    await agent.call("click", target=agent.ref('button "Save for later'))


@task
async def register(agent: Agent, files: Path) -> None:
    """Register, put right what is refused, and confirm with a code."""
    user, password = agent.ref('textbox "User name'), agent.ref('textbox "Password')
    fields = [field(user, "ada"), field(agent.ref('textbox "E-mail'), "ada@example.com"), field(password, "short")]
    born = {"Day": "10", "Month": "December", "Year": "1985"}
    fields += [field(agent.ref(f'combobox "{name}'), value) for name, value in born.items()]
    assert "ada1815" in await agent.call("fill_form", fields=fields, submit=True)
    await agent.call("fill_form", fields=[field(user, "ada1815"), field(password, "correct horse")], submit=True)
    await agent.call("fill_form", fields=[field(agent.ref('textbox "Code'), "8241")], submit=True)


@task
async def trip(agent: Agent, files: Path) -> None:
    """Search for a train with suggestions, a date and a stepper, and choose the cheapest."""
    more, search = agent.ref(r'button "\+"'), agent.ref('(?s)button "\\+".*?button "Search"')
    start, end, day = agent.ref('textbox "From'), agent.ref('textbox "To'), agent.ref('"Day')
    await agent.call("click", target=more, count=2)
    fields = [field(start, "Hamburg", choose=True), field(end, "Bonn", choose=True), field(day, "2026-06-12")]
    await agent.call("fill_form", fields=fields, submit_target=search)
    await agent.call("wait_for", text="€ 87", snapshot="diff")
    await agent.call("click", target=agent.ref(r'€ 87"? button "Select'))
