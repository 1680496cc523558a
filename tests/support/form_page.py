"""A typical form: fields of each kind, choices, links and a button."""

from __future__ import annotations

FORM = """<title>Sign up</title><h1>Sign up</h1>
<form><label>Name <input name=n required value="Al"></label><label>Email <input type=email></label>
<label>Country <select><option>France<option>Spain<option>Peru</select></label>
<label><input type=checkbox> I agree</label>
<fieldset><legend>Plan</legend><label><input type=radio name=p checked>Free</label>
<label><input type=radio name=p>Pro</label></fieldset>
<p>See <a href="/terms">the <b>terms</b></a> first.</p><button>Create account</button>
<a href="/login">Log in</a></form>"""
