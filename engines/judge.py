# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Runs an adapter and lets `parity run` judge its capture; the result is what the table of the field shows."""

from __future__ import annotations

import datetime
import json
import pathlib
import shutil
import time

from environments import BUILD, ROOT, environment
from processes import Failed, run
from registry import Engine, Run

ORDER = ("wrong", "rounds differently", "conforms", "not captured")


# Goldens that would be large in the tree: the release that records them, and what is given to golden/capture.
RECORDED = {
    # Blocks of 128 keys, as the kernels of engines are built for: six of them, of which a query takes four.
    "m3-block128-bf16": ("5.23.0", "--seed 11 --dtype bf16 --even --lengths 650 --decode 1 --chunk 3 --hidden 64 "
                         "--layers 2 --heads 4 --kv-heads 2 --head-dim 64 --attn 0,1 --moe 0,1 --dense-inter 64 "
                         "--shared-inter 32 --inter 32 --experts 8 --top-k 3 --index-heads 2 --index-dim 64 "
                         "--block 128 --topk-blocks 4 --local-blocks 1 --vision-hidden 0 --vocab 64 "
                         "--allow-dull --drop */indexer/scores */slot_*"),
    # Lightning attention whose states decay fast, over blocks of 256 tokens and a part of one.
    "text01-decay-f32": ("4.56.2", "--model text01 --seed 163 --dtype f32 --even --lengths 531 --decode 1 --chunk 3 "
                         "--hidden 16 --layers 3 --heads 4 --kv-heads 2 --head-dim 64 --attn 0,1,0 --moe 1,1,1 "
                         "--inter 12 --experts 4 --top-k 2 --block 256 --vision-hidden 0 --vocab 24 "
                         "--allow-dull --drop */slot_*"),
    # The release that has the tower rotate by time again, on the settings of the one that does not.
    "m3-vl-time-f32": ("5.18.0", "--preset m3-vl-axial-f32"),
}


def components(report: dict) -> dict[str, str]:
    """What each component of the golden comes to: the worst of its taps, each on the inputs that the capture holds."""
    found: dict[str, str] = {}
    for record in report["records"]:
        if record["mode"] != "isolated":
            continue
        right = "rounds differently" if record["deviation"] else "conforms"
        answer = {"pass": right, "fail": "wrong"}.get(record["status"])
        known = found.get(record["component"], "not captured")
        if answer and ORDER.index(answer) < ORDER.index(known):
            found[record["component"]] = answer
    return {entry["component"]: found.get(entry["component"], "not captured") for entry in report["coverage"]}


def folder_of(golden: str) -> pathlib.Path:
    """Of the tree, or recorded here by the package that is its oracle."""
    found = [ROOT / "golden" / part / golden for part in ("data", "cut") if (ROOT / "golden" / part / golden).is_dir()]
    if found:
        return found[0]
    if golden not in RECORDED:
        raise Failed(f"no golden {golden} in golden/data, golden/cut or RECORDED")
    folder, (release, options) = BUILD / "goldens" / golden, RECORDED[golden]
    stamp, state = folder / "recorded", f"transformers {release} {options}"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != state:
        oracle = Engine("transformers", (f"transformers=={release}",), (), torch=True)
        python, variables = environment(oracle, Run(release, golden))
        shutil.rmtree(folder, ignore_errors=True)  # of other settings, or half written
        script = ROOT / "golden/capture/capture_hf.py"
        run([python, script, "--out", folder, "--transformers", release, *options.split()], script.name, env=variables)
        stamp.write_text(state, encoding="utf-8")
    return folder


def captured(engine: Engine, one: Run, program: str, golden: pathlib.Path, capture: pathlib.Path) -> float:
    """Lets the engine fill a capture; returns the seconds that its adapter took."""
    python, variables = environment(engine, one)
    capture.parent.mkdir(parents=True, exist_ok=True)
    capture.unlink(missing_ok=True)
    globs = [word for option, taps in (("--only", one.only), ("--without", (*engine.without, *one.without)))
             for tap in taps for word in (option, tap)]
    run([program, "capture", "init", golden, capture, *globs], "parity capture init")
    began = time.monotonic()
    command = [python, engine.adapter, capture, golden / "checkpoint", f"release={one.version}", *one.options]
    run(command, f"the adapter of {capture.stem}", env=variables)
    return round(time.monotonic() - began, 1)


def judged(engine: Engine, one: Run, program: str, known: dict | None = None) -> dict:
    """Makes the capture, judges it and returns the result; Absent or Failed say why there is none. `known`: the
    result of a run whose capture is judged again as it is."""
    golden, name = folder_of(one.golden), one.name(engine.name)
    capture, report = BUILD / "captures" / f"{name}.h5", BUILD / "reports" / f"{name}.json"
    again = known is not None and capture.exists()
    seconds = known["seconds"] if again else captured(engine, one, program, golden, capture)
    report.parent.mkdir(parents=True, exist_ok=True)
    run([program, "run", golden, "--candidate", f"capture:{capture}", "--inputs", one.inputs, "--json", report,
         "--quiet"], "parity run", (0, 1, 5))
    read = json.loads(report.read_text(encoding="utf-8"))["goldens"][0]
    return {
        "engine": engine.name, "label": one.label, "golden": one.golden, "oracle": read["oracle"],
        "system": read["system"], "class": read["class"].replace("_", " "), "components": components(read),
        "first": (read.get("first_divergence") or {}).get("tap", ""), "causes": read.get("causes", []),
        "seconds": seconds, "taps": read["taps"]["judged"], "not_shown": read.get("not_shown", []),
        "date": known["date"] if again else datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
    }
