"""Derivations that several analyzers share. They are not facts yet."""
