"""What each tool call returned and what became of it."""
