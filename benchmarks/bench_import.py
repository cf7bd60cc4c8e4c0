"""What importing costs, against pandas: CPU time of a new interpreter.

pytest benchmarks/bench_import.py --benchmark-columns=min,median,rounds
"""

import resource
import subprocess
import sys

import pytest


def children() -> float:
    """CPU seconds of all finished child processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.parametrize("statement", ["pass", "import rageval_ir", "import pandas"])
@pytest.mark.benchmark(timer=children, group="import")
def test_import(benchmark, statement):
    benchmark.pedantic(
        subprocess.run, ([sys.executable, "-c", statement],), {"check": True}, rounds=15, warmup_rounds=2
    )
