#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Plants bugs that a seed draws in the CUDA kernels, and counts how many the harness finds (docs/mutants.md).

usage: ci/mutate_cuda.py [--count N] [--seed S] [--modules GLOB,...] [--only KEY] [--build FOLDER] [--json FILE]
exit status 0: at least 97 % of the mutants that are no equivalents are found, and at most 20 % are equivalents.
"""
import argparse
import collections
import fnmatch
import json
import pathlib
import subprocess
import sys
import tempfile

from mutants import modules, score
from mutants.bench import Bench
from mutants.results import Results, harness_of, subject_of
from mutants.study import Study

ROOT = pathlib.Path(__file__).resolve().parent.parent
EQUIVALENTS = ROOT / "ci/mutants_equivalent.json"


def parsed(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100, help="mutants that are judged")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--modules", default="*", help="globs of files of optimized/cuda, without .cu")
    parser.add_argument("--only", default="*", help="a glob over keys: */ptx *, or one mutant again")
    parser.add_argument("--cases", type=int, default=12, help="cases of each component and type")
    parser.add_argument("--schedules", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=1e9, help="start no further mutant after this many minutes")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--program", default="")
    parser.add_argument("--json", type=pathlib.Path, help="file for the results; an existing file is continued")
    options = parser.parse_args(arguments)
    options.program = options.program or str(options.build / "cli/parity")
    return options


def studied(options: argparse.Namespace, wanted: list[modules.Module]) -> Results:
    equivalents = json.loads(EQUIVALENTS.read_text(encoding="utf-8"))
    results = Results(options.json, subject_of(ROOT, wanted, options.seed), harness_of(options.program), equivalents)
    with tempfile.TemporaryDirectory(prefix="parity-mutants-") as work:
        bench = Bench(ROOT, pathlib.Path(work), options.build)
        bench.require_same(min(wanted, key=lambda module: module.ptx.stat().st_size))
        Study(options, bench, results).run(wanted)
    return results


def main(arguments: list[str]) -> int:
    options = parsed(arguments)
    globs = options.modules.split(",")
    wanted = [m for m in modules.found(ROOT, options.build) if any(fnmatch.fnmatch(m.name, glob) for glob in globs)]
    missing = [str(m.ptx) for m in wanted if not m.ptx.exists()]
    if not wanted or missing:
        print(f"ci/mutate_cuda.py: no PTX {' '.join(missing) or options.modules}; build {options.program} with nvcc",
              file=sys.stderr)
        return 2
    try:
        results = studied(options, wanted)
        print("\n" + score.summary(results.rows, collections.Counter(results.redrawn.values())))
        return 0 if score.holds(results.rows) else 1
    except (RuntimeError, OSError, subprocess.SubprocessError) as error:
        print(f"ci/mutate_cuda.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
