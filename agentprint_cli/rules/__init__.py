"""Pure functions over plain values: the analyses' rules, with no view, no facts and no I/O."""
