#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Records a golden of MiniMax-M3, MiniMax-M2 or MiniMax-Text-01 from the unmodified Hugging Face implementation.

The oracle is the released package, nothing else. Install it into an environment of its own:
    pip install torch==2.11.0 transformers==5.12.0 h5py safetensors numpy
or another release: presets.py names the one of each golden, and regenerate.sh makes the environments.
The same settings on the same kind of processor give the same bytes."""

from __future__ import annotations

import argparse
import difflib
import json
import os
import shutil
import sys

try:
    import torch
    from safetensors.torch import save as serialize

    import calls
    import h5golden
    import heads
    import liveliness
    import models
    import published
    import text01
except ImportError as error:
    sys.exit(f"capture_hf.py: {error}; pip install torch==2.11.0 transformers==5.12.0 h5py safetensors numpy")
from plants import PLANTS, Plant
from presets import PRESETS
from settings import Settings, SettingsError, add_options, from_options

EXAMPLES = """examples:
  capture_hf.py --list
  capture_hf.py --out m3-text-bf16 --preset m3-text-bf16
  capture_hf.py --out mine --seed 7 --dtype f32 --lengths 141,97 --decode 3 --chunk 13 --hidden 48 --block 8
  capture_hf.py --out vl --images 1x4x6,1x2x4 --videos 3x2x4 --vision-hidden 24 --vision-heads 2 --patch-size 4 --vocab 48
  capture_hf.py --out big --preset m3-text-bf16 --taps few --drop '000/text/lm_head/*'
  capture_hf.py --out static --preset m3-text-bf16 --cache static:72
  capture_hf.py --out broken --preset m3-text-bf16 --plant router_bias_dropped
  capture_hf.py --out broken --preset m3-text-bf16 --patch swap_gate_up.py

--plant NAME records a model with a bug that --list-plants lists (plants/); the golden carries the root attribute `planted`.
--patch FILE records a deliberately broken model: FILE defines patch(model, transformers_module), which is called on
the built model before anything runs. The golden carries the root attribute `patched` so that nobody mistakes it."""


SYSTEMS = {"m3": "minimax_m3_vl", "m2": "minimax_m2", "text01": "minimax_text_01"}


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", metavar="DIR", help="folder to write (checkpoint/ and activations.h5)")
    parser.add_argument("--preset", choices=sorted(PRESETS), help="settings of one of the goldens under golden/data/")
    parser.add_argument("--list", action="store_true", help="list the presets and stop")
    parser.add_argument("--taps", choices=("all", "few"), default="all",
                        help="few: only layer outputs, ids of experts and key blocks, caches, rotary tables, logits")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu",
                        help="where the recorded run is computed (cuda: M3, M2); the run in exact/ uses the CPU")
    broken = parser.add_mutually_exclusive_group()
    broken.add_argument("--plant", metavar="NAME", help="record a model with a known bug")
    parser.add_argument("--list-plants", action="store_true", help="list the bugs that --plant knows and stop")
    broken.add_argument("--patch", metavar="FILE", help="record a deliberately broken model (see below)")
    parser.add_argument("--allow-dull", action="store_true",
                        help="write the golden even if its inputs exercise too little, such as few experts")
    add_options(parser)
    args = parser.parse_args(arguments)
    if not (args.list or args.list_plants) and not args.out:
        parser.error("--out DIR is required")
    if args.plant and args.plant not in PLANTS:
        near = difflib.get_close_matches(args.plant, PLANTS, 3, 0.4)
        parser.error(f"--plant {args.plant}: {'did you mean ' + ' or '.join(near) if near else 'see --list-plants'}?")
    return args


def list_presets() -> None:
    for name, s in PRESETS.items():
        print(f"{name:24} transformers {s.transformers:7}  {s.dtype:4} {s.attention:5} "
              f"lengths {','.join(map(str, s.lengths))}  decode {s.decode}  chunk {s.chunk}")


def list_plants() -> None:
    for name, plant in PLANTS.items():
        needs = f" [{plant.needs}]" if plant.needs else ""
        print(f"{name:32} {plant.model:6} {' '.join(plant.fault) or '-':34} {plant.does}{needs}")


def write_checkpoint(folder: str, s: Settings) -> tuple[dict, dict]:
    os.makedirs(folder)
    config, weights = published.config(s), published.weights(s)
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        file.write(json.dumps(config, indent=2) + "\n")
    with open(os.path.join(folder, "model.safetensors"), "wb") as file:  # save_file would make the file private
        file.write(serialize(weights, metadata={"format": "pt"}))
    return config, weights


def publish(work: str, out: str) -> int:
    """Moves the finished files into place, the recording last; returns their size."""
    os.makedirs(os.path.join(out, "checkpoint"), exist_ok=True)
    size = 0
    for name in ("checkpoint/config.json", "checkpoint/model.safetensors", "activations.h5"):
        size += os.path.getsize(os.path.join(work, name))
        os.replace(os.path.join(work, name), os.path.join(out, name))
    return size


def require_device(s: Settings, device: str) -> None:
    """Prepares a GPU: sums in binary32, in an order that repeats."""
    if device == "cpu":
        return
    if s.model == "text01":
        raise SettingsError("--device cuda can record M3 and M2 only; record Text-01 with --device cpu")
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # else torch refuses deterministic products
    if not torch.cuda.is_available():
        raise SettingsError("--device cuda: torch finds no GPU; look at nvidia-smi, or record with --device cpu")
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False


def build(s: Settings, folder: str, weights: dict, args: argparse.Namespace):
    """(model, its text stack, its modeling module, root attributes that say what is wrong with it)"""
    model, text, modeling = models.load(s, folder, weights)
    mark = {"patched": models.apply_patch(args.patch, model, modeling)} if args.patch else {}
    if args.plant:
        PLANTS[args.plant].apply(model, modeling)
        mark = {"planted": args.plant}
    if s.dtype == "f64":
        model = model.double()
        if s.model == "text01":
            text01.widen(model)
    return model.to(args.device), text, modeling, mark


def check_undisturbed(model, text, steps: list[calls.Step], s: Settings) -> None:
    """Recording must not change a bit: the same calls without hooks and tracer give the same logits."""
    if s.dtype == "f64":  # only the recorded run is in binary64
        return
    for number, logits in enumerate(calls.undisturbed(model, steps, s)):
        if logits is not None and not torch.equal(logits, steps[number].taps[heads.LOGITS[s.head]]):
            raise SettingsError(f"the recorder changed the logits of call {number}, so the golden is wrong; "
                                "report this defect of the recorder")


def check_plant(plant: Plant, s: Settings, version: str) -> None:
    """Refuses settings under which the bug cannot be planted, or could not show."""
    needs = (("--model", (plant.model,), s.model), ("--dtype", (plant.dtype,), s.dtype),
             ("--attention", (plant.attention,), s.attention), ("transformers", plant.releases, version))
    for what, wanted, given in needs:
        if any(wanted) and given not in wanted:
            raise SettingsError(f"--plant {plant.name} needs {what} {' or '.join(wanted)}, not {given}")


def root_attributes(s: Settings, version: str, mark: dict, device: str) -> dict:
    root = {
        "format": "parity-golden", "format_version": "1.0", "system": SYSTEMS[s.model],
        "oracle": f"transformers {version}", "profile": f"hf-{version}" + ("-f64" if s.dtype == "f64" else ""),
        "attention": s.attention, "dtype": s.dtype, "seed": s.seed, "torch": torch.__version__.split("+")[0],
        "experts": "eager",
    }
    if s.text_only or s.head:
        root["model_class"] = heads.CLASSES[s.head] if s.head else "MiniMaxM3VLForCausalLM"
    if device == "cuda":
        root["device"] = torch.cuda.get_device_name()
    if s.static_slots:
        root["max_cache_len"] = s.static_slots
    return root | mark


def capture(s: Settings, args: argparse.Namespace, work: str) -> None:
    """Writes the whole golden into the folder `work`."""
    transformers = models.require_oracle(s)
    require_device(s, args.device)
    if args.plant:
        check_plant(PLANTS[args.plant], s, transformers.__version__)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    config, weights = write_checkpoint(os.path.join(work, "checkpoint"), s)
    model, text, modeling, mark = build(s, os.path.join(work, "checkpoint"), weights, args)
    steps = calls.plan(s)
    recorder = calls.record(model, text, modeling, steps, s)
    check_undisturbed(model, text, steps, s)
    if s.dtype != "f64" and s.exact:
        bare = s.text_only or s.model != "m3"
        text_of = (lambda m: m.model) if bare else (lambda m: m.model.language_model)
        calls.record_exact(model, text_of, modeling, steps, s)
    forward = [step for step in steps if not step.edit]
    rows = text01.measure(forward, s) if s.model == "text01" else liveliness.measure(forward, recorder.clamps, s)
    print(f"{args.out}: transformers {transformers.__version__}, {s.dtype}, {s.attention}")
    print(liveliness.table(rows))
    found = text01.problems(rows, s) if s.model == "text01" else liveliness.problems(rows, s)
    bad = [f"{tap} is not finite" for tap in h5golden.not_finite(steps)] + found
    if bad and not (args.allow_dull or mark):
        raise SettingsError("\n  ".join([
            "the golden was not written, for these reasons (--allow-dull writes it anyway):",
            *bad]))
    root = root_attributes(s, transformers.__version__, mark, args.device)
    tables = text01.tables(text, s) if s.model == "text01" else {}
    h5golden.write(os.path.join(work, "activations.h5"), config, root, steps, s, tables)


def main(arguments: list[str]) -> int:
    args = parse(arguments)
    if args.list or args.list_plants:
        list_presets() if args.list else list_plants()
        return 0
    work = args.out.rstrip("/") + ".partial"
    shutil.rmtree(work, ignore_errors=True)
    try:
        capture(from_options(args, PRESETS[args.preset] if args.preset else Settings()), args, work)
        print(f"  written: {publish(work, args.out):,} bytes")
    except SettingsError as error:
        print(f"capture_hf.py: {error}", file=sys.stderr)
        return 2
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
