#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Runs compiled kernels of released packages on the PTX machine, and prints a table of what came of it.

usage: ci/foreign/run.sh [NAME...]      cases by part of their name; exit status 1: one is wrong without an
explanation, refused, or ended in an error
"""
import dataclasses
import json
import subprocess
import sys

import triton_on_machine

triton_on_machine.install()

import cases  # noqa: E402
import machine  # noqa: E402

for name in ("vllm_triton", "sglang_triton", "liger", "ggml"):
    if (machine.ROOT / f"ci/foreign/{name}.py").exists():
        __import__(name)


RESULTS = machine.BUILD / "results.json"  # of the latest run of each case


def kinds(result: dict) -> str:
    found = [finding for run in result["runs"] for finding in run["findings"]]
    text = f"{len(found)} ({', '.join(sorted({one.split(' at ')[0] for one in found}))})" if found else "none"
    other = sum(run["other_bits"] for run in result["runs"])
    return f"{text}; {other} other bits" if other else text


def row(result: dict) -> str:
    count = sum(run["instructions"] for run in result["runs"])
    seconds = sum(run["seconds"] for run in result["runs"])
    kernels = len({run["kernel"] for run in result["runs"]})
    verdict = result["verdict"]
    if verdict in ("right", "defect", "wrong"):
        verdict += f" ({result['worst']:.2g})"
    speed = f"{count / seconds / 1e6:.1f}" if seconds else "-"
    return (f"| {result['package']} | {result['file'].rsplit('/', 1)[-1]} | {result['sha256'][:6]} | "
            f"{result['name'].removeprefix('ggml_')} | {kernels} | {verdict} | {kinds(result)} | {count} | {speed} |")


def run_cases() -> list[cases.Result]:
    done, known = [], json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for package, file, function in cases.CASES:
        if len(sys.argv) > 1 and not any(word in function.__name__ for word in sys.argv[1:]):
            continue
        done.append(cases.run_case(package, file, function))
        known[f"{done[-1].package} {done[-1].name}"] = dataclasses.asdict(done[-1])
        RESULTS.write_text(json.dumps(known))
        print(f"{done[-1].name}: {done[-1].verdict}", file=sys.stderr, flush=True)
        for text in [done[-1].note] + [text for run in done[-1].runs for text in run.findings.values()]:
            print(f"   {text}" if text else "", file=sys.stderr)
    return done


def print_opcodes() -> None:
    files = sorted(str(path) for path in (machine.BUILD / "ptx").glob("*.ptx"))
    listed = json.loads(subprocess.run([machine.PROGRAM, "--opcodes", *files], capture_output=True, check=True).stdout)
    print(f"\n{listed['files']} PTX files compiled: {listed['instructions']} instructions, {len(listed['opcodes'])} "
          f"opcodes, {len(listed['refused'])} refused.")
    if listed["refused"]:
        print("\n| refused | times | why |\n|---|---|---|")
    for entry in listed["refused"]:
        print(f"| `{entry['opcode']}` | {entry['times']} | {entry['message'].split(': ', 1)[-1]} |")


def main() -> int:
    done = run_cases()
    if not done:
        print(f"no case is called like {sys.argv[1:]}", file=sys.stderr)
        return 2
    known = json.loads(RESULTS.read_text())
    print("| package | file | SHA-256 | case | kernels | result | checked findings | warp-instructions | M/s |"
          "\n|---|---|---|---|---|---|---|---|---|")
    for key in sorted(known):
        print(row(known[key]))
    right = [result for result in known.values() if result["verdict"] == "right"]
    names = {(r["package"], run["kernel"]) for r in right for run in r["runs"]}
    print(f"\n{len(known)} cases, {len(right)} right, {len(names)} kernels in these.")
    for result in known.values():
        if result["verdict"] == "defect":
            print(f"Defect of {result['package']}, {result['name']}: {result['note']}.")
    print_opcodes()
    return int(any(result.verdict not in ("right", "defect") for result in done))


if __name__ == "__main__":
    sys.exit(main())
