"""What Kapture costs, beside what the browser itself costs: `python -m bench`."""
