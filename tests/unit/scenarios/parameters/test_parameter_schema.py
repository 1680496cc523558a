"""Forms are made from the parameters of a scenario."""

from __future__ import annotations

from kapture.scenarios.model import Parameter
from kapture.scenarios.parameters.parameter_schema import parameter_schema


def test_a_form_knows_types_limits_defaults_and_what_must_be_given() -> None:
    schema = parameter_schema(
        {
            "street": Parameter(description="Where to.", min_length=3, pattern="[A-Z].*", example="Main Street"),
            "pieces": Parameter(type="integer", minimum=0, maximum=9, default=1),
            "country": Parameter(enum=["France", "Spain"], required=False),
            "notes": Parameter(type="array", items=Parameter(type="string"), max_length=2, required=False),
        }
    )
    assert schema == {
        "type": "object",
        "additionalProperties": False,
        "required": ["street"],
        "properties": {
            "street": {
                "type": "string",
                "description": "Where to.",
                "pattern": "^(?:[A-Z].*)$",
                "minLength": 3,
                "examples": ["Main Street"],
            },
            "pieces": {"type": "integer", "minimum": 0, "maximum": 9, "default": 1},
            "country": {"type": "string", "enum": ["France", "Spain"]},
            "notes": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
        },
    }
