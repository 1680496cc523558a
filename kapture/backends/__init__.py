"""How a command reaches a tab: through the extension, a browser we start, or a tab that executes by itself."""
