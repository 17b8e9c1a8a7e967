# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The pages that the tests look at: written by the program, from goldens of the tree."""
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FAULT = "linear-every-16th-column"
GOLDEN = "golden/data/m3-text-bf16"


def parity(program: str, *arguments: str, status: tuple[int, ...] = (0,)) -> None:
    done = subprocess.run([program, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=600)
    if done.returncode not in status:
        raise RuntimeError(f"parity {' '.join(arguments)}: {done.returncode}\n{done.stdout}{done.stderr}")


def write(program: str, folder: pathlib.Path) -> dict[str, pathlib.Path]:
    """broken: a fault of one golden; ranks: four of them; many: several goldens; studies: documents of other commands."""
    pages = {name: folder / f"{name}.html" for name in ("broken", "ranks", "many", "studies")}
    run, other = str(folder / "run.json"), str(folder / "other.json")
    parity(program, "run", GOLDEN, "--candidate", "fault:" + FAULT, "--quiet", "--json", run, "--html", str(pages["broken"]),
           status=(1,))
    parity(program, "run", GOLDEN, "--candidate", "reference", "--quiet", "--json", other)
    parity(program, "run", GOLDEN, "--tp", "4", "--candidate", "reference", "--quiet", "--html", str(pages["ranks"]))
    parity(program, "run", *map(str, sorted((ROOT / "golden/data").glob("m*-text-*"))), "--mode", "isolated", "--quiet",
           "--no-explain", "--html", str(pages["many"]))
    study, bench, battery = (str(folder / f"{name}.json") for name in ("selftest", "bench", "battery"))
    parity(program, "selftest", GOLDEN, "--faults", "rms_norm-*", "--quiet", "--json", study, status=(0, 1))
    parity(program, "bench", "rms_norm/tokens-1/*", "--backend", "cpu", "--samples", "5", "--quiet", "--save", bench)
    parity(program, "battery", "rms_norm", "--cases", "4", "--quiet", "--json", battery)
    parity(program, "report", "html", run, other, study, bench, battery, bench, "--out", str(pages["studies"]))
    return pages
