"""Tools of a catalogue that are easily confused."""
