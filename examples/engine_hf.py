#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""transformers as an engine of `parity bisect --engine` (docs/engines.md): starts and stops between layers.

usage: parity bisect GOLDEN --engine 'python3 examples/engine_hf.py GOLDEN/checkpoint'

What IN.h5 gives for a module replaces what the module returns: the modules before it run for nothing. An engine
that can enter a layer directly does that instead. Needs torch, transformers, h5py.
"""
import sys

import h5py
import numpy as np
import torch
from transformers import AutoModelForCausalLM, AutoModelForImageTextToText

CANNOT_START_THERE = 3
CALL = "steps/000/"


def modules_of(model) -> dict:
    """The modules whose outputs are boundaries, by tap."""
    text = getattr(model.model, "language_model", model.model)
    modules = {CALL + "text/embed/out": text.embed_tokens, CALL + "text/final_norm/out": text.norm,
               CALL + "text/lm_head/out": model.lm_head}
    return modules | {f"{CALL}text/layers/{i:02}/out": layer for i, layer in enumerate(text.layers)}


def replace_and_note(modules: dict, given: dict, noted: dict):
    def hook(tap):
        def run(_module, _inputs, output):
            if tap in given:
                value = given[tap].to(output[0].dtype if isinstance(output, tuple) else output.dtype)
                return (value, *output[1:]) if isinstance(output, tuple) else value
            noted[tap] = (output[0] if isinstance(output, tuple) else output).detach()
            return None
        return run

    for tap, module in modules.items():
        module.register_forward_hook(hook(tap))


def main(checkpoint: str, source: str, target: str) -> int:
    with h5py.File(source) as file:
        taps = []
        file.visititems(lambda name, item: taps.append(name) if isinstance(item, h5py.Dataset) else None)
        wanted = file.attrs["wanted"]
        wanted = (wanted.decode() if isinstance(wanted, bytes) else str(wanted)).split()
        dtype = {"f32": torch.float32, "f64": torch.float64, "bf16": torch.bfloat16}[str(file.attrs["dtype"])]
        read = lambda tap: torch.from_numpy(np.asarray(file[tap]))
        tokens = {name: read(f"{CALL}tokens/{name}") for name in file[CALL + "tokens"]}
        given = {tap: read(tap) for tap in taps if "/text/" in tap and "/rope/" not in tap and not tap.endswith("/in")}
    is_m3 = "m3" in checkpoint
    model = (AutoModelForImageTextToText if is_m3 else AutoModelForCausalLM).from_pretrained(
        checkpoint, dtype=dtype, attn_implementation="eager", experts_implementation="eager",
        local_files_only=True).eval()
    modules = modules_of(model)
    if not given.keys() <= modules.keys() or not set(wanted) <= modules.keys():
        return CANNOT_START_THERE
    noted: dict = {}
    replace_and_note(modules, given, noted)
    with torch.no_grad():
        model(input_ids=tokens["input_ids"], attention_mask=tokens.get("attention_mask"),
              position_ids=tokens.get("position_ids"), use_cache=True)
    with h5py.File(target, "w") as file:
        file.attrs["format"], file.attrs["format_version"] = "parity-golden", "1.0"
        for tap in wanted:
            data = file.create_dataset(tap, data=noted[tap].float().numpy())
            axes = "B,S,V" if "lm_head" in tap else "B,S,H"
            data.attrs["axes"], data.attrs["dtype"], data.attrs["role"] = axes, "f32", "output"
            data.attrs["component"] = "engine"
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
