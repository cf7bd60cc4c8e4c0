"""Judgments and rankings from files and into them: TREC and JSON, told apart by content."""

from rageval_ir.formats.files import read_qrels, read_run, read_runs, write_qrels, write_run

__all__ = ["read_qrels", "read_run", "read_runs", "write_qrels", "write_run"]
