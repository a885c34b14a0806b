"""Benchmarks of the product's figures: ``python -m bench`` (``make bench``)."""
