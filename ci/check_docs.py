#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The documentation is sound: links, anchors, named files, line lengths, the README's length, plain words; and the pages
and sections that comments and messages of the sources name exist.

usage: ci/check_docs.py [ROOT]               exit status 1 and one line per violation
       ci/check_docs.py --sentences [ROOT]   lists the sentences that are longer than 25 words, longest first

Every Markdown file of the tree is read, and every source but tests of scripts, which name pages that they make up. A page with a comment `<!-- printed by COMMAND -->` may have table rows of any
length: a program writes them, and a test compares."""
import pathlib
import re
import sys

WIDTH = 120
README_LINES = 80
LONG_SENTENCE = 25  # to aim at; --sentences lists those that are longer
MOST_WORDS = 30      # of a sentence, outside of decision records
SKIPPED = {"build", "report", "node_modules", "__pycache__"}

# Words that a reader who knows the field has to puzzle over, or that say nothing; and what to say.
WORDS = {
    r"behind": "after (order), below (place); name what is meant",
    r"in front of": "before",
    r"hangs? (?:on|together)|hung": "depends on; are linked",
    r"laid at the door": "attributed to",
    r"(?:are|is|be) continued with|goes on with|go on with": "is used; uses",
    r"trials?|maker of": "the name of what it is",
    r"of no particular|for whoever|whoever": "uninitialised; name who",
    r"nobody's": "name who, or unspecified",
    r"shipped under an address": "shipped, with a link",
    r"equals the reference in which": "matches the reference with this bug",
    r"comes? to stand|stands? beside|stand beside": "is next to",
    r"in the place of": "instead of; for",
    r"lived with|to live with": "accepted",
}
# What a public page does not speak of.
PRIVATE = {
    r"/home/\w|/root/": "a path of one machine",
    r"\bsessions?\b": "sessions",
    r"\bissues? #?\d+": "the number of an issue",
    r"pypi\.|registry\.npmjs|proxy\.golang": "the host of a package registry",
}
FENCE = re.compile(r"\s*(```|~~~)")
LINK = re.compile(r"(?<!\!)\[[^\]]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)|!\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"(`+)(.+?)\1")
FOLDERS = "benches|cases|ci|cli|cmake|compare|core|docs|examples|faults|golden|optimized|reference|replay|reports"
SOURCES = {".hpp", ".cpp", ".py", ".sh", ".cmake", ".txt"}
# In a source: "docs/judging.md", with "#causes", ", section 3" or ", 5d" after it.
CITED = re.compile(r"(?<![\w./-])(docs/[\w./-]+\.md)(?:#(?P<anchor>[\w-]+)|, (?:section )?(?P<section>\d+[a-z]?)\b)?")
NAMED = re.compile(rf"(?<![\w./-])(?:{FOLDERS})/[\w./-]+\.(?:py|sh|md|json|hpp|cpp|def|txt|cmake)(?![\w*{{<-])")


def lines_of(text: str) -> list[tuple[int, str, bool]]:
    """Number, line, and whether it is part of a code block."""
    found, inside = [], False
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line) is not None
        found.append((number, line, inside or fence))
        inside ^= fence
    return found


def plain(line: str) -> str:
    """A line without code spans and targets of links."""
    return re.sub(r"\]\([^)]*\)", "]", CODE.sub("`", line))


def slug(heading: str) -> str:
    """The anchor that a heading gets on the usual hosts."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.replace("`", ""))
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(text: str) -> set[str]:
    found: set[str] = set()
    for _, line, code in lines_of(text):
        heading = None if code else re.match(r"#{1,6}\s+(.*?)\s*#*$", line)
        if heading:
            name, number = slug(heading.group(1)), 0
            while (name if not number else f"{name}-{number}") in found:
                number += 1
            found.add(name if not number else f"{name}-{number}")
        found.update(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", line))
    return found


def broken_links(page: pathlib.Path, text: str) -> list[str]:
    found = []
    for number, line, code in lines_of(text):
        for first, second in [] if code else LINK.findall(CODE.sub("`", line)):
            target = first or second
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            if not file.exists():
                found.append(f"{number}: link to {target}: there is no such file")
            elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text(encoding="utf-8")):
                found.append(f"{number}: link to {target}: there is no such heading")
    return found


def missing_files(root: pathlib.Path, text: str) -> list[str]:
    """Paths of the tree that a page names, in code too."""
    return [f"{number}: {name} does not exist" for number, line, _ in lines_of(text)
            for name in NAMED.findall(re.sub(r"https?://\S+", "", line)) if not (root / name).exists()]


def sections(text: str) -> set[str]:
    """Numbers of headings: "5d" of "## 5d. Captures"."""
    numbers = (re.match(r"#{1,6}\s+(\d+[a-z]?)\.\s", line) for _, line, code in lines_of(text) if not code)
    return {number.group(1) for number in numbers if number}


def stale_citations(root: pathlib.Path, text: str) -> list[str]:
    """Pages and sections that a source names and that are not there."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        for match in CITED.finditer(re.sub(r"https?://\S+", "", line)):
            page = root / match.group(1)
            if not page.exists():
                found.append(f"{number}: {match.group(1)} does not exist")
                continue
            held = page.read_text(encoding="utf-8")
            if match["anchor"] and match["anchor"] not in anchors(held):
                found.append(f"{number}: {match.group(1)} has no heading #{match['anchor']}")
            if match["section"] and match["section"] not in sections(held):
                found.append(f"{number}: {match.group(1)} has no section {match['section']}")
    return found


def long_lines(text: str) -> list[str]:
    printed = "<!-- printed by" in text
    return [f"{number}: {len(line)} characters, at most {WIDTH}" for number, line, _ in lines_of(text)
            if len(line) > WIDTH and not (printed and line.startswith("|"))]


def denied_words(text: str) -> list[str]:
    found = []
    for number, line, code in lines_of(text):
        for words, say in [] if code else WORDS.items():
            for match in re.findall(rf"\b(?:{words})\b", plain(line), re.IGNORECASE):
                found.append(f"{number}: '{match}'; say: {say}")
        for words, what in PRIVATE.items():
            if re.search(words, line, re.IGNORECASE):
                found.append(f"{number}: speaks of {what}")
    return found


def sentences(text: str) -> list[tuple[int, str]]:
    """Words and text of every sentence of the prose; a cell of a table and an item of a list are sentences too."""
    blocks, held = [], []
    for _, line, code in lines_of(text):
        starts = code or not line.strip() or re.match(r"\s*(?:[-*]\s|[|#>]|\d+\.\s)", line)
        if starts and held:
            blocks.append(" ".join(held))
            held = []
        if not code and line.strip() and not line.startswith("|-"):
            cells = line.strip().strip("|").split(" | ") if line.startswith("|") else [line.strip().lstrip("-*#> ")]
            blocks += cells[:-1]
            held = held + cells[-1:]
            if line.startswith(("|", "#")):
                blocks.append(held.pop())
    blocks.append(" ".join(held))
    parts = [part for block in blocks for part in re.split(r"(?<=[.!?:;])\s+", plain(block))]
    return [(len(re.findall(r"[A-Za-z`][\w'`-]*", part)), part) for part in parts if part]


def long_sentences(text: str) -> list[str]:
    return [f"a sentence of {words} words, at most {MOST_WORDS}: {sentence[:60]}…" for words, sentence in sentences(text)
            if words > MOST_WORDS]


def violations(root: pathlib.Path, page: pathlib.Path) -> list[str]:
    text = page.read_text(encoding="utf-8")
    found = broken_links(page, text) + missing_files(root, text) + long_lines(text) + denied_words(text)
    if "adr" not in page.parts and "<!-- printed by" not in text:
        found += long_sentences(text)
    if page == root / "README.md" and len(text.splitlines()) > README_LINES:
        found.append(f"{len(text.splitlines())} lines, at most {README_LINES}")
    return found


def files(root: pathlib.Path, suffixes: set[str]) -> list[pathlib.Path]:
    def hidden(file):
        return any(part in SKIPPED or part.startswith(".") for part in file.relative_to(root).parts)
    return [file for file in sorted(root.rglob("*")) if file.suffix in suffixes and file.is_file() and not hidden(file)]


def pages(root: pathlib.Path) -> list[pathlib.Path]:
    return files(root, {".md"})


def sources(root: pathlib.Path) -> list[pathlib.Path]:
    return [file for file in files(root, SOURCES) if not file.name.endswith("_test.py")]


def main(arguments: list[str]) -> int:
    names = [argument for argument in arguments if argument != "--sentences"]
    root = pathlib.Path(names[0]).resolve() if names else pathlib.Path(__file__).resolve().parent.parent
    read = pages(root)
    if "--sentences" in arguments:
        every = [(*one, page.relative_to(root)) for page in read for one in sentences(page.read_text(encoding="utf-8"))]
        for words, sentence, page in sorted((one for one in every if one[0] > LONG_SENTENCE), key=lambda one: -one[0]):
            print(f"{words:4}  {page}: {sentence}")
        return 0
    found = [f"{page.relative_to(root)}:{line}" for page in read for line in violations(root, page)]
    code = sources(root)
    found += [f"{file.relative_to(root)}:{line}" for file in code
              for line in stale_citations(root, file.read_text(encoding="utf-8", errors="replace"))]
    for line in found:
        print(line)
    print(f"docs: {len(read)} pages, {len(code)} sources, {len(found)} errors")
    return 1 if found or not read else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
