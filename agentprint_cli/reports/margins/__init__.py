"""How close each choice of tool was."""
