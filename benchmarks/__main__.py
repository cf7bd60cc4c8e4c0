"""Measure rageval_ir beside its peers, in turn; print medians and write benchmarks/RESULTS.md.

    pip install -e '.[bench]'
    python -m benchmarks            # small, under two minutes
    python -m benchmarks --full     # the sizes that the README speaks of

Read the ratios, not the seconds: each is of medians of runs in turn on one machine.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from benchmarks import data
from benchmarks.subjects import MEASURES

HERE = Path(__file__).parent
PACKAGES = ["rageval-ir", "pytrec-eval-terrier", "ir-measures", "pandas", "numpy", "pyarrow", "distributed", "ranx"]
SMALL = {"rounds": 3, "queries": 698, "few": 60, "rows": 1_000_000, "large_rows": 2_000_000}
FULL = {"rounds": 3, "queries": 6_980, "few": 690, "rows": 12_000_000, "large_rows": 50_000_000}


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="6,980 queries x 1,000 results; 50 million rows")
    parser.add_argument("--trec-eval", metavar="PATH", help="a trec_eval binary to measure too")
    parser.add_argument("--data", metavar="FOLDER", type=Path, help="where the data are made; kept for the next time")
    parser.add_argument("--only", metavar="NAME", choices=GROUPS, action="append", help="; ".join(GROUPS))
    parser.add_argument("--output", metavar="FILE", type=Path, default=HERE / "RESULTS.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        options.data = options.data or Path(temporary)
        options.size = FULL if options.full else SMALL
        tables = [table for name in options.only or GROUPS for table in GROUPS[name](options)]
    text = "\n".join([head(options), *tables])
    options.output.write_text(text)
    print(text)


def head(options):
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    versions = ", ".join(f"{name} {found}" for name in PACKAGES if (found := installed(name)))
    return f"""# Results of `python -m benchmarks{" --full" if options.full else ""}`

Medians of {options.size["rounds"]} rounds in turn; measures {", ".join(MEASURES)}.
{platform.system()} {platform.machine()}, {processor()}, {os.cpu_count()} cores, {memory:.0f} GB;
Python {platform.python_version()}; {versions}.
"""


def installed(name):
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def processor():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown processor"
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown processor")


def run(command):
    """CPU seconds, wall seconds, peak megabytes and what it printed, of one process and those it waits for."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    out = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)} failed")
    kilobytes = used.ru_maxrss / (1024 if sys.platform == "darwin" else 1)
    return used.ru_utime + used.ru_stime, time.perf_counter() - start, kilobytes / 1024, out


def subject(name, *arguments):
    return [sys.executable, "-m", "benchmarks.subjects", name, *map(str, arguments)]


def made(options, kind, *numbers):
    """A folder of data, made by another process: what this one holds would count as the peak of all it starts."""
    folder = options.data / "-".join(map(str, (kind, *numbers)))
    if not (folder / data.QRELS).exists():
        subprocess.run([sys.executable, "-m", "benchmarks.data", kind, folder, *map(str, numbers)], check=True)
    return folder


def in_turn(commands, rounds):
    """Name to medians of CPU, wall and peak, and what the last run printed."""
    runs = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            runs[name].append(run(command))
    return {
        name: (*map(statistics.median, list(zip(*found, strict=True))[:3]), found[-1][3])
        for name, found in runs.items()
    }


def table(title, headings, rows):
    lines = [f"| {' | '.join(headings)} |", f"| --- |{' ---: |' * (len(headings) - 1)}"]
    return "\n".join([f"## {title}\n", *lines, *(f"| {' | '.join(row)} |" for row in rows), ""])


def of_processes(title, measured, base):
    values = {json.loads(out) for *_, out in measured.values() if out.startswith("0.")}
    agree = f"All give nDCG@10 {min(values):.4f}.\n" if values and max(values) - min(values) < 1e-6 else ""
    rows = [
        [name, f"{cpu:.2f}", f"{cpu / measured[base][0]:.2f}", f"{wall:.2f}", f"{peak:,.0f}"]
        for name, (cpu, wall, peak, _) in measured.items()
    ]
    return table(title, ["process", "CPU s", f"of {base}", "wall s", "peak MB"], rows) + "\n" + agree


def trec_eval(options, folder):
    measures = ["-m", "P.10", "-m", "recall.10,100", "-m", "recip_rank", "-m", "ndcg_cut.10"]
    return [options.trec_eval, "-c", *measures, str(folder / data.QRELS), str(folder / data.RUN)]


# --- the groups ---


def memory(options):
    """In memory, in one process."""
    count, few = options.size["queries"], 100
    for queries, results, rounds in ((count, 1_000, options.size["rounds"]), (few, 10, 30)):
        times = json.loads(run(subject("in_memory", queries, results, rounds))[3])
        medians = {name: statistics.median(each) for name, each in times.items()}
        base = medians["pytrec_eval, ready dicts"]
        rows = [[name, f"{cpu * 1000:,.1f}", f"{cpu / base:.2f}"] for name, cpu in medians.items()]
        headings = ["in one process", "CPU ms", "of pytrec_eval, ready dicts"]
        yield table(f"In memory: {queries:,} queries x {results:,} results", headings, rows)


def files(options):
    """A TREC run, whole processes."""
    folder = made(options, "trec", options.size["queries"], 1_000)
    paths = folder / data.QRELS, folder / data.RUN
    base = "pytrec_eval"
    commands = {
        "rageval_ir": subject("ours_core", *paths),
        "rageval_ir with pyarrow": subject("ours", *paths),
        "pytrec_eval": subject("pytrec_eval", *paths),
        "ir_measures": subject("ir_measures", *paths),
    }
    if find_spec("ranx"):
        commands["ranx"] = subject("ranx", *paths)
    if options.trec_eval:
        commands["trec_eval"], base = trec_eval(options, folder), "trec_eval"
    title = f"A TREC run of {options.size['queries']:,} x 1,000 lines"
    yield of_processes(title, in_turn(commands, options.size["rounds"]), base)


def growth(options):
    """More queries, and more results of each."""
    few, rows = options.size["few"], []
    sizes = [(few, 1_000), (2 * few, 1_000), (4 * few, 1_000), (4 * few, 100), (4 * few, 10_000)]
    for queries, results in sizes:
        folder = made(options, "trec", queries, results)
        paths = folder / data.QRELS, folder / data.RUN
        commands = {"core": subject("ours_core", *paths), "pyarrow": subject("ours", *paths)}
        found = in_turn(commands, options.size["rounds"])
        cells = [
            f"{number:,.{digits}f}" for cpu, _, peak, _ in found.values() for number, digits in ((cpu, 2), (peak, 0))
        ]
        rows.append([f"{queries:,} x {results:,}", *cells])
    headings = ["queries x results", "CPU s", "peak MB", "CPU s with pyarrow", "peak MB with pyarrow"]
    yield table("Growth: queries, and results of each", headings, rows)


def parquet(options):
    """A folder of Parquet files, on one machine and on Dask."""
    for rows, on_dask in ((options.size["rows"], True), (options.size["large_rows"], False)):
        folder = made(options, "parquet", rows // 1_000, 1_000, max(4, rows // 1_000_000))
        paths = folder / data.QRELS, folder / "run"
        commands = {
            "prototype": subject("prototype", *paths),
            "rageval_ir": subject("ours", *paths),
            **({"rageval_ir on Dask, two workers": subject("on_dask", *paths)} if on_dask else {}),
        }
        rounds = 1 if options.full and not on_dask else options.size["rounds"]
        yield of_processes(f"Parquet: {rows:,} rows", in_turn(commands, rounds), "prototype")


def imports(options):
    """What importing costs."""
    commands = {name: subject("imports", name) for name in ("sys", "rageval_ir", "pandas")}
    yield of_processes("Imports", in_turn(commands, 9), "pandas")


GROUPS = {each.__name__: each for each in (memory, files, growth, parquet, imports)}

if __name__ == "__main__":
    main()
