"""How commands reach a tab: through the extension, over CDP to a browser, or to a tab that executes them itself."""
