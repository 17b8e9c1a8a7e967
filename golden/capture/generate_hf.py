#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Records what the unmodified package's own generate() continues a prompt with, greedily, from the checkpoint of a golden.

    v12/bin/python golden/capture/generate_hf.py --preset m3-text-f32 --checkpoint golden/data/m3-text-f32/checkpoint \\
        --out golden/generation/m3-text-f32.json
"""

from __future__ import annotations

import argparse
import json
import os
import sys

try:
    import torch
    from safetensors.torch import load_file

    import models
except ImportError as error:
    sys.exit(f"generate_hf.py: {error}; pip install torch==2.11.0 transformers==5.12.0 h5py safetensors numpy")
from presets import PRESETS
from settings import SettingsError


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--preset", choices=sorted(PRESETS), required=True, help="settings of the golden")
    parser.add_argument("--checkpoint", metavar="DIR", required=True, help="checkpoint folder of that golden")
    parser.add_argument("--out", metavar="FILE", required=True, help="JSON file to write")
    parser.add_argument("--sequences", type=int, default=2, help="number of prompts")
    parser.add_argument("--prompt", type=int, default=21, help="tokens of every prompt")
    parser.add_argument("--tokens", type=int, default=64, help="tokens to generate")
    parser.add_argument("--seed", type=int, default=1, help="seed of the prompts")
    return parser.parse_args(arguments)


def generate(args: argparse.Namespace) -> dict:
    s = PRESETS[args.preset]
    transformers = models.require_oracle(s)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    model, text, _ = models.load(s, args.checkpoint, load_file(os.path.join(args.checkpoint, "model.safetensors")))
    drawn = torch.Generator().manual_seed(args.seed)
    words = text.embed_tokens.weight.shape[0]
    prompt = torch.randint(words, (args.sequences, args.prompt), generator=drawn)
    # Special tokens of the tiny vocabulary would end a sequence or fill it up.
    options = dict(do_sample=False, max_new_tokens=args.tokens, eos_token_id=None, pad_token_id=None, use_cache=True)
    whole = model.generate(input_ids=prompt, attention_mask=torch.ones_like(prompt), **options)
    return {"oracle": f"transformers {transformers.__version__}", "profile": f"hf-{transformers.__version__}",
            "attention": s.attention, "dtype": s.dtype, "torch": torch.__version__.split("+")[0],
            "checkpoint": os.path.relpath(args.checkpoint, os.path.dirname(args.out) or "."),
            "prompt": prompt.tolist(), "tokens": whole[:, args.prompt:].tolist()}


def main(arguments: list[str]) -> int:
    args = parse(arguments)
    try:
        result = generate(args)
    except SettingsError as error:
        print(f"generate_hf.py: {error}", file=sys.stderr)
        return 2
    os.makedirs(os.path.dirname(args.out) or ".", exist_ok=True)
    with open(args.out + ".partial", "w", encoding="utf-8") as file:
        file.write("{\n" + ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in result.items()) + "\n}\n")
    os.replace(args.out + ".partial", args.out)
    kinds = [len(set(row)) for row in result["tokens"]]
    print(f"{args.out}: {len(result['tokens'][0])} tokens of {len(kinds)} sequences, {kinds} different tokens in them")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
