"""Writes docs/scenario.schema.json from the model: `python -m kapture.scenarios.files.schema`."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from kapture.scenarios.model import Scenario

FILE = Path(__file__).parents[3] / "docs" / "scenario.schema.json"


def schema_text() -> str:
    """The JSON Schema of a scenario file."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(Scenario)}
    # Python's end of text is `$` in the regular expressions of JSON Schema.
    return json.dumps(schema, indent=2, ensure_ascii=False).replace("\\\\Z", "$") + "\n"


if __name__ == "__main__":
    FILE.write_text(schema_text(), "utf-8")
