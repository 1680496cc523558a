"""The pages on which operations are measured."""

from __future__ import annotations

FORM = """<!doctype html><title>Sign up</title><h1>Sign up</h1>
<form onsubmit="return false">
<label>Name <input id=name required></label><label>Email <input id=mail type=email></label>
<label>Country <select id=country><option>France<option>Spain<option>Peru</select></label>
<label><input id=agree type=checkbox> I agree</label>
<fieldset><legend>Plan</legend><label><input type=radio name=plan checked>Free</label>
<label><input type=radio name=plan>Pro</label></fieldset>
<p>See <a href=/terms>the terms</a> first.</p>
<button id=go type=button>Create account</button> <a href=/login>Log in</a></form>
<script>
var clicks = 0, over = '';
document.querySelector('#go').onclick = () => { clicks += 1 };
addEventListener('mousemove', event => { over = event.target.id });
</script>"""

FIELDS = "<!doctype html><title>Fields</title><form>" + "".join(
    f"<label>Field {i} <input id=f{i}></label>" for i in range(10)
)


def elements(count: int) -> str:
    """A long page of sections with texts, links and buttons, with about this many elements."""
    cards = "".join(
        f"<div><p>Text {i}</p><a href=/{i}>Go {i}</a><button>Do {i}</button></div>" for i in range(count // 4)
    )
    return f"<!doctype html><title>Long</title><main><h1>Long</h1>{cards}</main>"


def table(rows: int) -> str:
    """A table of customers, six columns, the last with a link and a button."""
    body = "".join(
        f"<tr><td>{i}<td>Customer {i}<td>customer{i}@example.com<td>Active<td>{i * 37 % 1000}.00"
        f"<td><a href=/c/{i}>Open</a> <button>Delete</button></tr>"
        for i in range(rows)
    )
    head = "<thead><tr><th>No<th>Name<th>Mail<th>State<th>Total<th>Do</tr></thead>"
    return f"<!doctype html><title>Customers</title><h1>Customers</h1><table>{head}<tbody>{body}</tbody></table>"


LOGS = """<!doctype html><title>Logs</title><script>
for (let i = 0; i < 1000; i++) console.log('entry', i, {of: 1000})</script>"""

PAGES = {
    "/form": FORM,
    "/fields": FIELDS,
    "/table": table(500),
    "/elements": elements(5_000),
    "/logs": LOGS,
}
