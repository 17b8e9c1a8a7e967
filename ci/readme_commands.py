#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What README.md tells to type works as written: runs every `parity …` line of its code blocks, as the shell would.

usage: ci/readme_commands.py PROGRAM            the lines that take seconds
       ci/readme_commands.py PROGRAM --slow     those that take longer (SLOW), for ci/nightly.sh
       ci/readme_commands.py PROGRAM --list     names them all and runs none
Exit status 0: every line ended as its comment promises. The lines run in a folder of their own, which sees the goldens."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT_S = 120  # a quick line that takes longer hangs: ten times what it takes on a busy machine
SLOW_LIMIT_S = 7200
SEEN = ("golden", "docs", "report", "faults", "reference", "core")  # folders that lines name

# Lines too long for the gate, and why. Each must be a line of README.md. A star stands for the rest.
SLOW = {
    "parity selftest": "plants some four hundred bugs; a test of its own (cli.selftest)",
    "parity selftest --judges": "the same candidates, for every judge",
    "parity selftest --guards": "a test of its own (cli.guards)",
    "parity battery rms_norm *": "hundreds of cases; parts of it are tests of their own (cli.battery*)",
    "parity bench *": "measures times",
    "parity relations *": "a test of its own (cli.relations_cpu)",
    "parity run --synthetic m3 --layers *": "a layer of the published size takes minutes",
    "parity run golden/data/*/": "every golden in every mode; a test of its own (cli.manifest)",
    "parity run golden/data/*/ golden/cut/*/ *": "a test of its own (cli.manifest)",
}
# What ends with another status than 0, as its comment says.
STATUS = {
    "parity run --synthetic m3 --cases 20 --candidate fault:*": (1,),  # has a known bug, and it is found
    "parity bisect golden/data/m3-text-f32 --fault *": (1,),  # is faulty, and the node is named
    "parity run golden/data/m3-text-bf16 --candidate torch": (0, 4),  # 4: this build has no LibTorch
    "parity run golden/data/m3-text-bf16 --candidate capture:mine.h5": (5,),  # nobody filled it yet
}
# Files and words that stand for what a reader has.
FILES = {name: "golden/data/m3-text-bf16/activations.h5" for name in ("a.h5", "b.h5")}
FILES["base.json"] = None  # written by a line
WORDS = {"'COMMAND'": "'parity engine golden/data/m3-text-f32'"}


def commands(markdown: str) -> list[str]:
    """The lines of code blocks that start with `parity`, without their comments."""
    lines, inside = [], False
    for line in markdown.splitlines():
        if line.strip().startswith("```"):
            inside = not inside
        elif inside and line.startswith("parity "):
            lines.append(re.split(r"\s+# ", line)[0].strip())
    return lines


def entry(command: str, table: dict) -> str | None:
    """The longest key of the table that is the command or, ending in a star, its beginning."""
    def holds(key):
        return command.startswith(key[:-1]) if key.endswith("*") else command == key
    return max((key for key in table if holds(key)), key=len, default=None)


def problems(listed: list[str]) -> list[str]:
    """Entries of the tables that are about no line any more."""
    found = [] if listed else ["README.md has no line that starts with parity"]
    for name, table in (("SLOW", SLOW), ("STATUS", STATUS)):
        used = {entry(command, table) for command in listed}
        found += [f"{name} lists '{key}', which is no line of README.md: take it off" for key in table if key not in used]
    for name in (*WORDS, *(file for file, source in FILES.items() if source)):
        if not any(name in command for command in listed):
            found.append(f"'{name}' stands in no line of README.md: take it off")
    return found


def prepare(folder: pathlib.Path, program: pathlib.Path) -> None:
    (folder / "bin").mkdir()
    (folder / "bin" / "parity").symlink_to(program)
    for name in SEEN:
        if (ROOT / name).exists():
            (folder / name).symlink_to(ROOT / name)
    for name, source in FILES.items():
        if source:
            shutil.copyfile(ROOT / source, folder / name)


def run(command: str, folder: pathlib.Path, limit: float) -> str | None:
    """None, or what is wrong with how the line ended."""
    for word, stands_for in WORDS.items():
        command = command.replace(word, stands_for)
    shell = f'export PATH="{folder}/bin:$PATH"; {command}'
    try:
        done = subprocess.run(["bash", "-c", shell], cwd=folder, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return f"took longer than {limit:.0f} s"
    wanted = STATUS.get(entry(command, STATUS), (0,))
    if done.returncode in wanted:
        return None
    last = "\n".join((done.stdout + done.stderr).strip().splitlines()[-5:])
    return f"exit status {done.returncode}, not {' or '.join(map(str, wanted))}:\n{last}"


def try_all(listed: list[str], program: str, slow: bool) -> list[str]:
    """Runs the quick lines, or the slow ones; what did not work."""
    failed = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prepare(folder, pathlib.Path(program).resolve())
        for command in listed:
            if (entry(command, SLOW) is not None) != slow:
                continue
            began = time.monotonic()
            wrong = run(command, folder, SLOW_LIMIT_S if slow else LIMIT_S)
            print(f"{'FAIL' if wrong else 'ok':4}  {time.monotonic() - began:6.1f} s  {command}", flush=True)
            if wrong:
                failed.append(f"{command}: {wrong}")
    return failed


def main(arguments: list[str]) -> int:
    options = {argument for argument in arguments if argument.startswith("--")}
    names = [argument for argument in arguments if argument not in options]
    if len(names) != 1 or not options <= {"--slow", "--list"}:
        print("usage: ci/readme_commands.py PROGRAM [--slow | --list]", file=sys.stderr)
        return 2
    listed = commands((ROOT / "README.md").read_text(encoding="utf-8"))
    failed = problems(listed)
    if "--list" in options:
        for command in listed:
            print(f"{'slow' if entry(command, SLOW) else 'gate'}  {command}")
    else:
        failed += try_all(listed, names[0], "--slow" in options)
    for line in failed:
        print(line, file=sys.stderr)
    print(f"{'FAIL' if failed else 'PASS'}  {len(listed)} lines of README.md, {len(failed)} do not work as written")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
