"""Implementations under test, one small file each; `score` is what the runner calls."""
