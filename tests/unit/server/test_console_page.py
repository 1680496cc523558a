"""The Console's page, from its template."""

from __future__ import annotations

from pathlib import Path

from kapture.server.console_page import console_page

TEMPLATE = '<link rel="stylesheet" href="page.css"><script type="module" src="main.js"></script>'
FILES = {
    "index.html": TEMPLATE,
    "page.css": "p { color: red }",
    "main.js": 'import "./views/one.js";\nimport { a } from "./two.js";\n/** @typedef {import("./t.js").T} T */\n',
    "views/one.js": 'import {\n  b,\n} from "../two.js";\nexport { c } from "../vendor/three.js";\n',
    "two.js": 'const later = () => import("./later.js");\nimport "./main.js";\n',
    "vendor/three.js": 'import "./not_searched.js";\n',
}


def test_a_page_holds_its_styles_and_names_its_first_modules_and_bundles_once(tmp_path: Path) -> None:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    page = console_page(tmp_path / "index.html", tmp_path.joinpath)
    modules = "".join(
        f'\n<link rel="modulepreload" href="{url}">' for url in ("views/one.js", "two.js", "vendor/three.js")
    )
    assert page.html == f'<style>p {{ color: red }}</style><script type="module" src="main.js"></script>{modules}'
    assert page.style_sources == ("'sha256-ngewhhP73WDIbgwseeu52VAAJgKdGUsu1IUQQsAm8m4='",)
