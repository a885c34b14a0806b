"""Measurements that a threshold rests on: margins by choice, and agreement with labels."""
