"""A person's actions on a page: one module per action, each a program of input and of calls of the agent."""
