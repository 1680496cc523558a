"""The pages of the benchmark."""

from __future__ import annotations

from kapture.measure.pages import FIELDS, FORM, elements


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
