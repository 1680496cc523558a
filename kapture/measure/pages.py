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
