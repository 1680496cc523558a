"""What a person does to a page: one module an action, each a program of input and of calls of the agent."""
