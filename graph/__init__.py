"""Floor 1: the code graph. Facts, store, queries, search and the tool table; imports no sibling package."""
