"""What rageval_ir costs, beside its peers; `python -m benchmarks --help`."""
