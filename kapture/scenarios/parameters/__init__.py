"""The parameters of scenarios: their values, patterns and schema, and the placeholders that refer to them."""
