"""What no script in the agent's world can see and the browser is asked for: listeners, closed roots, internals."""
