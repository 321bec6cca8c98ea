"""Floor 2: the door for agents, an MCP server over the tool table of `graph`."""
