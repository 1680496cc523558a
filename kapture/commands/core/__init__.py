"""The core of commands: registry, parameters, answer, context, and running one. No command is declared here."""
