"""What the laws are tried on: JavaScript strings and JSON values."""

from __future__ import annotations

from hypothesis import strategies as st

# Halves of characters, white space on which the two languages differ, and what JSON escapes.
AWKWARD = (
    "\ud83d", "\ude00", "😀", "é", "日", "\x85", "\x1c", "\ufeff", "\u2028", "\u180e", "\x00",
    "\x1f", "\x7f", '"', "'", "`", "\\", "\n", "\t", " ", "/", "*", "#", ":", "(", "$", "_", "-",
    "1", "e", "a", "B",
)  # fmt: skip
texts = st.lists(st.sampled_from(AWKWARD), max_size=40).map("".join) | st.text(
    st.characters(exclude_categories=()), max_size=40
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(texts | st.integers(0, 20).map(str), inner, max_size=4)
    ),
    max_leaves=12,
)
