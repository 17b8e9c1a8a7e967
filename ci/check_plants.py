#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The plants of golden/capture/plants/ are told apart by name and name faults that faults/catalogue/ holds. Needs no torch.

usage: ci/check_plants.py [ROOT]        exit status 1 and one line per violation
"""
import json
import pathlib
import re
import sys
from collections import Counter

PLANTS, CATALOGUED = 60, 40  # what the registry promises at least
MODELS = {"m3", "m2", "text01"}
DTYPES, ATTENTION = {"", "bf16", "f32", "f64"}, {"", "eager", "sdpa"}


def catalogue(root: pathlib.Path) -> set[str]:
    files = sorted((root / "faults/catalogue").glob("*/*.json"))
    return {fault["id"] for file in files for fault in json.loads(file.read_text(encoding="utf-8"))}


def released(root: pathlib.Path) -> set[str]:
    """Releases that presets record, read from the text: the module itself must not be imported under another root."""
    text = (root / "golden/capture/presets.py").read_text(encoding="utf-8")
    return set(re.findall(r'"(\d+\.\d+\.\d+)"', text))


def violations(plants: list, known: set[str], releases: set[str]) -> list[str]:
    """`plants`: anything with the fields of plants.plant.Plant."""
    found = [f"{name}: {count} plants have this name" for name, count in Counter(p.name for p in plants).items() if count > 1]
    for plant in plants:
        faults = [f"no fault of the catalogue is called {fault}" for fault in plant.fault if fault not in known]
        rules = ((re.fullmatch(r"[a-z0-9_]+", plant.name), "a name has small letters, digits and _"),
                 (plant.does and plant.does == plant.does.strip() and "\n" not in plant.does, "one line says what it does"),
                 (callable(plant.apply), "it cannot be applied"), (plant.model in MODELS, f"no model {plant.model}"),
                 (set(plant.releases) <= releases, f"releases {plant.releases} are not recorded"),
                 (plant.dtype in DTYPES, f"no type {plant.dtype}"),
                 (plant.attention in ATTENTION, f"no attention {plant.attention}"))
        found += [f"{plant.name}: {line}" for line in faults + [message for holds, message in rules if not holds]]
    return found


def main(arguments: list[str]) -> int:
    root = pathlib.Path(arguments[0] if arguments else __file__).resolve()
    root = root if arguments else root.parent.parent
    sys.path.insert(0, str(root / "golden/capture"))
    from plants import PLANTS as registry  # pylint: disable=import-outside-toplevel

    plants = list(registry.values())
    found = violations(plants, catalogue(root), released(root))
    catalogued = sum(bool(plant.fault) for plant in plants)
    if len(plants) < PLANTS or catalogued < CATALOGUED:
        found.append(f"{len(plants)} plants, {catalogued} of the catalogue; at least {PLANTS} and {CATALOGUED} are required")
    for line in found:
        print(f"golden/capture/plants: {line}")
    print(f"plants: {len(plants)}, {catalogued} of the catalogue, {len(found)} errors")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
