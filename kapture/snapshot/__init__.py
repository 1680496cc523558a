"""The agent's trees of a page's frames → text for models: outline, TOON, JSON; and what changed since the last one."""
