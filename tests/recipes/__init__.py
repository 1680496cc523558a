"""The recipes of docs/REACH.md, each run with the page's own commands: `./dev recipes`."""
