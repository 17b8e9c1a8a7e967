#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Records every rank of the unmodified Hugging Face package on the calls of a golden, with gloo on the host.

It starts one process for each rank, which load the golden's checkpoint with the package's own plans for tensor and
expert parallelism. The taps of rank 3 are below ranks/03/; the tokens, which all ranks share, keep their name."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile

try:
    import h5py
    import torch
    import torch.distributed as dist
    import torch.multiprocessing as processes
    from transformers import AutoConfig
    from transformers.distributed import DistributedConfig

    import calls
    import capture_hf
    import h5golden
    import models
    import rank_file
    import rank_recorder
except ImportError as error:
    sys.exit(f"capture_ranks.py: {error}; pip install torch==2.11.0 transformers==5.23.0 accelerate h5py safetensors numpy")
from presets import PRESETS
from settings import Settings, SettingsError

EXAMPLES = """examples:
  capture_ranks.py golden/data/m3-ranks-bf16 --tp 2 --out tp2.h5
  capture_ranks.py golden/data/m3-ranks-bf16 --ep 8 --out ep8.h5
  capture_ranks.py golden/data/m3-ranks-bf16 --tp 2 --ep 2 --out tp2-ep2.h5
then:
  parity run golden/data/m3-ranks-bf16 --tp 2 --candidate capture:tp2.h5"""


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("golden", help="golden folder below golden/data/, named like a preset of capture_hf.py")
    parser.add_argument("--out", metavar="FILE", required=True, help="capture file (HDF5) to write")
    parser.add_argument("--tp", type=int, default=1, help="ranks that divide the weights")
    parser.add_argument("--ep", type=int, default=1, help="ranks that divide the experts")
    args = parser.parse_args(arguments)
    if max(args.tp, args.ep) < 2 or min(args.tp, args.ep) < 1 or (min(args.tp, args.ep) > 1 and args.tp != args.ep):
        parser.error("give --tp or --ep, at least 2; if both are given, they must be equal")
    args.preset = os.path.basename(args.golden.rstrip("/"))
    if args.preset not in PRESETS:
        parser.error(f"{args.golden}: {args.preset} is not a preset; capture_hf.py --list shows them")
    return args


def layout_of(args: argparse.Namespace) -> str:
    return ", ".join(f"{name} {n}" for name, n in (("tp", args.tp), ("ep", args.ep)) if n > 1)


def distribution(s: Settings, args: argparse.Namespace) -> DistributedConfig:
    """The package's configuration. Ranks that share a batch are tensor ranks to it, so without --tp all of the model's
    rules for weights are overridden: the package refuses the empty plan that its documentation names."""
    ranks = max(args.tp, args.ep)
    options = {"ep_size": ranks} if args.ep > 1 else {}
    if args.tp > 1:
        return DistributedConfig(tp_size=ranks, tp_plan="auto", **options)
    config = AutoConfig.from_pretrained(os.path.join(args.golden, "checkpoint"))
    with torch.device("meta"):
        rules = getattr(models.modeling_module(s), config.architectures[0])(config).tp_plan
    return DistributedConfig(tp_size=ranks, tp_plan=dict.fromkeys(rules, "replicate"), **options)


def run_rank(rank: int, s: Settings, args: argparse.Namespace, work: str) -> None:
    """One process: loads its part of the model, runs all calls, leaves its taps in the folder `work`."""
    ranks = max(args.tp, args.ep)
    os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(ranks), LOCAL_WORLD_SIZE=str(ranks))
    dist.init_process_group("gloo", init_method=f"file://{work}/meeting", rank=rank, world_size=ranks)
    rank_recorder.watch_styles()
    model, text, modeling = models.load(s, os.path.join(args.golden, "checkpoint"), {},
                                        distributed_config=distribution(s, args))
    steps = calls.plan(s)
    calls.record(model, text, modeling, steps, s, rank_recorder.RankRecorder)
    capture_hf.check_undisturbed(model, text, steps, s)
    parts = {name: (tuple(p.shape), tuple(p.to_local().shape)) for name, p in model.named_parameters()
             if hasattr(p, "to_local")}
    torch.save((steps, parts), f"{work}/{rank}.pt")
    dist.barrier()
    dist.destroy_process_group()


def capture(s: Settings, args: argparse.Namespace, work: str) -> dict:
    """Writes work/capture.h5; returns {parameter: its shape in every rank}."""
    transformers = models.require_oracle(s)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    ranks = max(args.tp, args.ep)
    processes.start_processes(run_rank, (s, args, work), nprocs=ranks, start_method="fork")
    found = [torch.load(f"{work}/{rank}.pt", weights_only=False) for rank in range(ranks)]
    with open(os.path.join(args.golden, "checkpoint", "config.json"), encoding="utf-8") as file:
        config = json.load(file)
    root = capture_hf.root_attributes(s, transformers.__version__, {}, "cpu")
    root |= {"format_version": "1.1", "capture": "declared", "layout": layout_of(args), "golden": args.preset}
    with h5py.File(f"{work}/capture.h5", "w", libver=("v110", "v110")) as file:
        rank_file.write(file, config, root, [steps for steps, _ in found], s)
    bad = [tap for steps, _ in found for tap in h5golden.not_finite(steps) if "/experts/slot_" not in tap]
    if bad:
        raise SettingsError("nothing was written, because these taps have NaN or infinite values: "
                            f"{', '.join(sorted(set(bad)))}")
    return {name: [parts[name][1] for _, parts in found] for name in found[0][1]}


def main(arguments: list[str]) -> int:
    args = parse(arguments)
    work = tempfile.mkdtemp(prefix="capture_ranks.", dir=os.path.dirname(os.path.abspath(args.out)))
    try:
        parts = capture(PRESETS[args.preset], args, work)
        for name, shapes in parts.items():
            print(f"  {name:60} {' '.join('x'.join(map(str, shape)) for shape in shapes)}")
        os.replace(f"{work}/capture.h5", args.out)
        print(f"{args.out}: {layout_of(args)}, {os.path.getsize(args.out):,} bytes")
    except SettingsError as error:
        print(f"capture_ranks.py: {error}", file=sys.stderr)
        return 2
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
