#!/usr/bin/env python3
"""Writes v3_ops.tsv.gz, the op profiles of TPU v3 that docs/validation.md is held to.

  bench/validation/data/make.py FILE...

The files are paragraph/data/hlo_after_optimizations_*_32_tpuv3_stats.csv of
google/paragraph at the commit that README.md names; they may be packed (.csv.xz)."""

import csv
import gzip
import lzma
import pathlib
import re
import sys

COLUMNS = ("program", "category", "occurrences", "self_us", "gflops_per_second",
           "gib_per_second", "hlo")
NAMED = re.compile(r"hlo_after_optimizations_(\w+)_32_tpuv3_stats\.csv(?:\.xz)?")
# Left out of an instruction's text: what it and its operands are called, computations
# of which a profile has no more than the name, and how hosts feed it.
LEFT_OUT = (
    re.compile(r"^%\S+ = "),
    re.compile(r", \w+=(?:%[\w.-]+|\{%[^}]*\})"),
    re.compile(r', (?:in|out)feed_config="(?:[^"\\]|\\.)*"'),
    re.compile(r"/\*index=\d+\*/"),
    re.compile(r" %[\w.-]+"),
)


def hlo_text(text):
    """Shapes, layouts, op code and attributes of an instruction."""
    for pattern in LEFT_OUT:
        text = pattern.sub("", text)
    return text


def rows_of(path):
    """Rows of one profile, in the order of its file."""
    program = NAMED.fullmatch(path.name).group(1)
    opened = lzma.open if path.suffix == ".xz" else open
    with opened(path, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield (program, row["Category"], row["#Occurrences"],
                   f"{float(row['Total self time (us)']):.9g}",
                   f"{float(row['Measured GFLOP/s']):.7g}",
                   f"{float(row['Measured Memory BW (GiB/s)']):.7g}",
                   hlo_text(row["HLO op"]))


def main():
    paths = sorted(pathlib.Path(word) for word in sys.argv[1:])
    if not paths or not all(NAMED.fullmatch(path.name) for path in paths):
        sys.exit(__doc__)
    lines = ["\t".join(COLUMNS)]
    lines += ["\t".join(row) for path in paths for row in rows_of(path)]
    to = pathlib.Path(__file__).with_name("v3_ops.tsv.gz")
    # The same bytes whenever it is made.
    with open(to, "wb") as file, gzip.GzipFile(
            filename="", mode="wb", compresslevel=9, fileobj=file, mtime=0) as packed:
        packed.write(("\n".join(lines) + "\n").encode())


if __name__ == "__main__":
    main()
