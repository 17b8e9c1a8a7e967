#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What the documentation tells a reader to type works as written.

Runs every `parity …` line of the code blocks, and every `parity …` code span of the tables, in README.md,
CONTRIBUTING.md and docs/ (without docs/adr/). Each page is run in a folder of its own that sees the goldens.

A command may bear marks, which the reader sees too: in its comment, or after its code span in a table:
  [minutes]            too long for the gate; ci/nightly.sh runs it
  [exit 1]             ends with this status; several are separated by `or`: [exit 0 or 4]
  [not run: reason]    needs something that the tree does not hold; it is listed with the reason
A block that ```text opens is output. Right after a block of commands it is what the last of them prints: its pieces
between ellipses must occur there, however lines are broken. A span of a table with a word in capitals (GOLDEN) or an
ellipsis is a form to fill in, not a command; so is the bare name of a subcommand. A code block must not hold a form.

usage: ci/readme_commands.py PROGRAM            the commands that take seconds
       ci/readme_commands.py PROGRAM --slow     those marked [minutes], for ci/nightly.sh
       ci/readme_commands.py PROGRAM --list     names them all and runs none
Exit status 0: every command ended as its page promises."""
import dataclasses
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT_S = 120  # a command of the gate takes seconds; on a busy machine ten times as many
SLOW_LIMIT_S = 7200
ABSENT = 4  # exit code where a device or a library is missing
SEEN = ("golden", "docs", "faults", "reference", "core", "examples")  # folders that commands name
CODE = ("", "sh", "bash")  # languages of code blocks that hold commands
COMMAND = re.compile(r"(?:[A-Z_]+=\S+ )*parity\s")
SPAN = re.compile(r"`([^`]+)`((?:\s*\[[^\]]+\](?!\())*)")
MARK = re.compile(r"\[(minutes|exit [\d or]+|not run: [^\]]+)\]")
FORM = re.compile(r"…|\.\.\.|\b[A-Z]{2,}\b")
NAME = re.compile(r"parity [a-z]+")  # of a subcommand, in a table
FILE = re.compile(r"(?<![\w/])[\w-]+\.(?:h5|html|json|md|sarif|svg|xml)\b")  # in the page's own folder


@dataclasses.dataclass(frozen=True)
class Command:
    page: str
    line: int
    text: str
    slow: bool = False
    status: tuple[int, ...] = (0,)
    not_run: str = ""
    output: tuple[str, ...] = ()  # pieces that it has to print, words separated by one blank

    @property
    def is_form(self) -> bool:
        return FORM.search(re.sub(r"^(?:[A-Z_]+=\S+ )+", "", self.text)) is not None

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


def command(page: str, line: int, text: str, marks: str) -> Command:
    """With the marks that stand beside it."""
    found = MARK.findall(marks)
    status = next((mark[5:] for mark in found if mark.startswith("exit ")), "0")
    reason = next((mark[9:] for mark in found if mark.startswith("not run: ")), "")
    return Command(page, line, text.strip(), "minutes" in found, tuple(map(int, re.findall(r"\d+", status))), reason)


def blocks(markdown: str) -> list[tuple[int, str, list[str]]]:
    """Number of the first line, language (None: prose) and lines of every code block and of what is between them."""
    found, fence = [(1, None, [])], None
    for number, line in enumerate(markdown.splitlines(), 1):
        opened = re.match(r"\s*```(\w*)", line)
        if opened:
            fence = opened.group(1) if fence is None else None
            found.append((number + 1, fence, []))
        else:
            found[-1][2].append(line)
    return [block for block in found if any(line.strip() for line in block[2])]


def of_code(page: str, first: int, lines: list[str]) -> list[Command]:
    found, held = [], ""
    for number, line in enumerate(lines, first):
        held += line
        if held.endswith("\\"):
            held = held[:-1]
            continue
        if COMMAND.match(held):
            text, _, comment = held.partition(" # ")
            found.append(command(page, number, re.sub(r"\s+", " ", text), comment))
        held = ""
    return found


def of_tables(page: str, first: int, lines: list[str]) -> list[Command]:
    spans = [command(page, number, text.replace("\\|", "|"), marks)
             for number, line in enumerate(lines, first) if line.startswith("|")
             for text, marks in SPAN.findall(line) if COMMAND.match(text)]
    return [span for span in spans if not span.is_form and not NAME.fullmatch(span.text)]


def commands(page: str, markdown: str) -> list[Command]:
    """Of the code blocks and the tables of a page, in order."""
    found, last = [], None
    for first, language, lines in blocks(markdown):
        if language == "text" and last in CODE and found:
            pieces = (" ".join(piece.split()) for piece in re.split(r"…|\n\s*\n", "\n".join(lines)))
            found[-1] = dataclasses.replace(found[-1], output=tuple(piece for piece in pieces if piece))
        elif language in CODE:
            found += of_code(page, first, lines)
        elif language is None:
            found += of_tables(page, first, lines)
        last = language
    return found


def pages(root: pathlib.Path) -> list[pathlib.Path]:
    found = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]
    return [page for page in found if page.exists() and "adr" not in page.parts]


def all_commands(root: pathlib.Path) -> list[Command]:
    """Of all pages; one that stands twice and needs no file of its page is listed once."""
    return merged([one for page in pages(root)
                   for one in commands(str(page.relative_to(root)), page.read_text(encoding="utf-8"))])


def merged(listed: list[Command]) -> list[Command]:
    """Each command once, unless it shows its output or needs a file of its page; slow in one place is slow in all."""
    slow = {one.text for one in listed if one.slow}
    found, seen = [], set()
    for one in listed:
        if one.text not in seen or one.output or FILE.search(one.text):
            found.append(dataclasses.replace(one, slow=one.text in slow))
        seen.add(one.text)
    return found


def problems(listed: list[Command]) -> list[str]:
    """What makes the list itself worthless."""
    found = [f"{one.place}: '{one.text}' is a form; write a command that can be typed, or [not run: reason]"
             for one in listed if one.is_form and not one.not_run]
    if not any(one.page == "README.md" for one in listed):
        found.append("README.md has no command that starts with parity")
    return found


def prepare(folder: pathlib.Path, program: pathlib.Path) -> None:
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "parity").symlink_to(program)
    for name in SEEN:
        if (ROOT / name).exists():
            (folder / name).symlink_to(ROOT / name)


def run(one: Command, folder: pathlib.Path, limit: float) -> str | None:
    """None, or what is wrong with how the command ended."""
    shell = f'export PATH="{folder}/bin:$PATH"; {one.text}'
    try:
        done = subprocess.run(["bash", "-c", shell], cwd=folder, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return f"took longer than {limit:.0f} s; mark it [minutes]"
    printed = done.stdout + done.stderr
    if done.returncode == ABSENT and len(one.status) > 1 and ABSENT in one.status:
        return None  # what it needs is not here, so that it cannot print what the page shows
    if done.returncode not in one.status:
        last = "\n".join(printed.strip().splitlines()[-5:])
        return f"exit status {done.returncode}, not {' or '.join(map(str, one.status))}:\n{last}"
    missing = [piece for piece in one.output if piece not in " ".join(printed.split())]
    return f"does not print what the page shows: {missing[0]}" if missing else None


def run_all(listed: list[Command], program: str, slow: bool) -> list[str]:
    """Runs the quick commands, or the slow ones; what did not work."""
    failed, total = [], time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        for one in listed:
            if one.not_run:
                print(f"-               {one.text}   not run: {one.not_run} ({one.place})", flush=True)
            if one.not_run or one.slow != slow:
                continue
            folder = pathlib.Path(name) / one.page.replace("/", "_")
            if not folder.exists():
                prepare(folder, pathlib.Path(program).resolve())
            began = time.monotonic()
            wrong = run(one, folder, SLOW_LIMIT_S if slow else LIMIT_S)
            print(f"{'FAIL' if wrong else 'ok':4}  {time.monotonic() - began:6.1f} s  {one.text}", flush=True)
            if wrong:
                failed.append(f"{one.place}: {one.text}: {wrong}")
    print(f"{time.monotonic() - total:.1f} s in all")
    return failed


def main(arguments: list[str]) -> int:
    options = {argument for argument in arguments if argument.startswith("--")}
    names = [argument for argument in arguments if argument not in options]
    if len(names) != 1 or not options <= {"--slow", "--list"}:
        print("usage: ci/readme_commands.py PROGRAM [--slow | --list]", file=sys.stderr)
        return 2
    listed = all_commands(ROOT)
    failed = problems(listed)
    if "--list" in options:
        for one in listed:
            print(f"{'-' if one.not_run else 'slow' if one.slow else 'gate':4}  {one.place}  {one.text}")
    elif not failed:
        failed = run_all(listed, names[0], "--slow" in options)
    for line in failed:
        print(line, file=sys.stderr)
    slow, left = sum(one.slow for one in listed), sum(bool(one.not_run) for one in listed)
    print(f"{'FAIL' if failed else 'PASS'}  {len(listed)} documented commands, {slow} of them slow, {left} not run; "
          f"{len(failed)} do not work as written")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
