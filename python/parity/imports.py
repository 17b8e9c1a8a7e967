# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Makes a capture of tensors that an engine dumped: npz, npy, safetensors, pt or gguf files, with a file of names.

usage: python -m parity.imports GOLDEN OUT.h5 FILE… --names names.toml [--replace]

names.toml (or .json) says which tensor is which tap. A `*` stands for any text, {0} for what the first
star stands for:

    [names]
    "model.layers.*.self_attn.q_norm" = "steps/000/text/layers/{0:02}/attention/q_norm/out"
    "decode1:model.norm" = "steps/001/text/final_norm/out"     # of the file decode1.npz alone

    [axes]                       # where the dump has the golden's axes in another order
    "steps/*/attention/q_norm/out" = "B,A,S,D"

    [capture]                    # what the capture declares (docs/captures.md)
    attention = "sdpa"
    without = ["*/loss"]

    [skip]
    padding = true
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import pathlib
import re
import sys

from parity.captures import capture
from parity.dumps import tensors_of
from parity.goldens import NoTap
from parity.program import ProgramError


def read_names(path: pathlib.Path) -> dict:
    """The file of names. Raises ValueError that says what is wrong with it."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        names = json.loads(text)
    else:
        try:
            import tomllib
        except ImportError:
            raise ValueError(
                f"{path}: TOML needs Python 3.11; write the same as JSON, {path.with_suffix('.json').name}"
            ) from None
        names = tomllib.loads(text)
    unknown = set(names) - {"names", "axes", "capture", "skip"}
    if unknown or not isinstance(names.get("names"), dict):
        raise ValueError(
            f"{path}: {f'unknown table [{sorted(unknown)[0]}]' if unknown else 'no table [names]'}; it has "
            "[names], and may have [axes], [capture], [skip]"
        )
    return names


class Names:
    """Which tensor is which tap."""

    def __init__(self, table: dict[str, str]):
        self._rules = [
            (pattern, re.compile("(.*)".join(map(re.escape, pattern.split("*"))) + r"\Z"), tap)
            for pattern, tap in table.items()
        ]
        self.used: set[str] = set()

    def tap_of(self, file: str, tensor: str) -> str | None:
        """The tap of the first pattern that fits; a pattern with a colon is for one file."""
        for pattern, expression, tap in self._rules:
            found = expression.match(f"{file}:{tensor}" if ":" in pattern else tensor)
            if found:
                self.used.add(pattern)
                return tap.format(*(int(part) if part.isdigit() else part for part in found.groups()))
        return None

    def unused(self) -> list[str]:
        return [pattern for pattern, *_ in self._rules if pattern not in self.used]


def import_dumps(golden, out, files, names: dict, replace: bool = False) -> tuple[dict[str, str], list[str]]:
    """Writes the capture. Returns the tap of each tensor that was taken, and the tensors that no pattern names.

    Raises ValueError for a pattern that fits no tensor, for a tap that two tensors are, and as Capture.put does.
    """
    out = pathlib.Path(out)
    if out.exists() and not replace:
        raise ValueError(f"{out} exists; name another file, or replace it")
    unfinished = out.with_name(out.name + ".unfinished")
    try:
        with capture(golden, unfinished, replace=True, **names.get("capture", {})) as made:
            taken, left = _put_all(made, files, names)
            made.skip(**names.get("skip", {}))
        unfinished.replace(out)
    finally:
        unfinished.unlink(missing_ok=True)
    return taken, left


def _put_all(made, files, names: dict) -> tuple[dict[str, str], list[str]]:
    rules, taken, left = Names(names["names"]), {}, []
    for file in map(pathlib.Path, files):
        for name, read in tensors_of(file):
            tap, source = rules.tap_of(file.stem, name), f"{file.name}:{name}"
            if tap is None:
                left.append(source)
                continue
            if tap in taken.values():
                raise ValueError(
                    f"{source} and {next(key for key, value in taken.items() if value == tap)} are both {tap}"
                )
            axes = next((axes for glob, axes in names.get("axes", {}).items() if fnmatch.fnmatchcase(tap, glob)), None)
            try:
                made.put(tap, read(), axes)
            except (NoTap, ValueError) as error:
                raise ValueError(f"{source}: {error}") from error
            taken[source] = tap
    if rules.unused():
        raise ValueError(
            f"[names] {rules.unused()[0]!r} fits no tensor; the first that no pattern names: "
            f"{', '.join(left[:3]) or 'none'}"
        )
    return taken, left


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m parity.imports", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("golden")
    parser.add_argument("out")
    parser.add_argument("files", nargs="+", help="dumps of the engine")
    parser.add_argument("--names", required=True, type=pathlib.Path, help="TOML or JSON: which tensor is which tap")
    parser.add_argument("--replace", action="store_true", help="replace OUT.h5")
    given = parser.parse_args(words)
    try:
        taken, left = import_dumps(given.golden, given.out, given.files, read_names(given.names), given.replace)
    except (ValueError, OSError, ImportError, ProgramError) as error:
        print(f"parity.imports: {error}", file=sys.stderr)
        return 2
    print(
        f"{given.out}: {len(taken)} taps of {len(taken) + len(left)} tensors; judge it with\n"
        f"  parity run {given.golden} --candidate capture:{given.out}"
    )
    if left:
        print(f"no pattern names {', '.join(left[:5])}{', …' if len(left) > 5 else ''}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
