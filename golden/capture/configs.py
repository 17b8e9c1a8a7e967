#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Asks the real package what it makes of odd configurations: values, or the stage and text of its error.

    configs.py OUT_FILE m3|m2|text01        needs torch and the transformers release that is asked

Each case of config_cases.py is laid over a tiny configuration, read by the package's class; the model is built and
run on six tokens. Only values that differ from the tiny configuration's are written."""

from __future__ import annotations

import copy
import importlib
import json
import sys

import torch
import transformers

from config_cases import BASES, CASES

CLASSES = {"m3": ("minimax_m3_vl", "MiniMaxM3VLConfig", "MiniMaxM3SparseForConditionalGeneration"),
           "m2": ("minimax_m2", "MiniMaxM2Config", "MiniMaxM2ForCausalLM"),
           "text01": ("minimax", "MiniMaxConfig", "MiniMaxForCausalLM")}
SHARED = ("vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads",
          "num_key_value_heads", "num_local_experts", "num_experts_per_tok", "rms_norm_eps", "router_aux_loss_coef",
          "head_dim")
M3 = SHARED + ("dense_intermediate_size", "shared_intermediate_size", "routed_scaling_factor", "swiglu_alpha",
               "swiglu_limit", "index_n_heads", "index_head_dim", "index_block_size", "index_topk_blocks",
               "index_local_blocks")
TEXT01 = SHARED + ("rope_theta", "block_size", "full_attn_alpha_factor", "full_attn_beta_factor",
                   "linear_attn_alpha_factor", "linear_attn_beta_factor", "mlp_alpha_factor", "mlp_beta_factor")
VISION = ("hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "num_channels", "patch_size",
          "temporal_patch_size", "spatial_merge_size", "layer_norm_eps")


def laid_over(base: dict, case: dict) -> dict:
    result = copy.deepcopy(base)
    for key, value in case.items():
        nested = key in ("text_config", "vision_config") and isinstance(value, dict)
        result[key] = laid_over(result.get(key, {}), value) if nested else value
    return result


def rope(config) -> dict:
    parameters = config.rope_parameters or {}
    return {"rope_theta": parameters.get("rope_theta"),
            "partial_rotary_factor": parameters.get("partial_rotary_factor", 1.0)}


def values(kind: str, config) -> dict:
    """The values as the model reads them."""
    if kind == "text01":
        found = {name: getattr(config, name) for name in TEXT01}
        found["head_dim"] = found["head_dim"] or config.hidden_size // config.num_attention_heads
        return found | {"linear_attention": [t == "linear_attention" for t in config.layer_types[:config.num_hidden_layers]],
                        "tie_word_embeddings": config.tie_word_embeddings, "num_labels": config.num_labels}
    if kind == "m2":
        return {name: getattr(config, name) for name in SHARED} | rope(config) | {
            "tie_word_embeddings": config.tie_word_embeddings}
    text, vision = config.text_config, config.vision_config
    found = {name: getattr(text, name) for name in M3} | rope(text)
    found |= {"sparse_attention": [t == "minimax_m3_sparse" for t in text.layer_types[:text.num_hidden_layers]],
              "mixture_of_experts": [t == "sparse" for t in text.mlp_layer_types[:text.num_hidden_layers]],
              "tie_word_embeddings": config.tie_word_embeddings}
    found |= {"vision." + name: getattr(vision, name) for name in VISION}
    return found | {"vision.rope_theta": rope(vision)["rope_theta"],
                    "vision.projector_hidden_size": config.projector_hidden_size,
                    "vision.image_token": config.image_token_index, "vision.video_token": config.video_token_index}


def ask(kind: str, config: dict) -> dict:
    """{"values": …} or {"stage": …, "error": …}"""
    package, config_class, model_class = CLASSES[kind]
    module = importlib.import_module(f"transformers.models.{package}")
    stage = "config"
    try:
        read = getattr(module, config_class).from_dict(copy.deepcopy(config))
        found = values(kind, read)
        stage = "model"
        options = {} if kind == "text01" else {"experts_implementation": "eager"}
        model = getattr(module, model_class)._from_config(
            read, dtype=torch.float32, attn_implementation="eager", **options).eval()
        stage = "forward"
        with torch.no_grad():
            model(input_ids=torch.arange(6)[None] % 7 + 8)
            if kind == "m3":  # one image of two by two patches
                v = read.vision_config
                width = v.num_channels * v.temporal_patch_size * v.patch_size**2
                model.get_image_features(torch.ones(4, width), torch.tensor([[1, 2, 2]]))
    except Exception as error:  # pylint: disable=broad-except
        text = next((line.strip() for line in reversed(str(error).splitlines()) if line.strip()), "")
        return {"stage": stage, "error": f"{type(error).__name__}: {text}"[:150]}
    return {"values": found}


def main(path: str, kind: str) -> None:
    transformers.logging.set_verbosity_error()
    base = ask(kind, BASES[kind])
    if "values" not in base:
        sys.exit(f"configs.py: the tiny configuration itself fails: {base}")
    base = base["values"]
    rows = []
    for name, (case, ours) in CASES[kind].items():
        answer = ask(kind, laid_over(BASES[kind], case))
        if "values" in answer:
            answer["values"] = {key: value for key, value in answer["values"].items() if value != base[key]}
        rows.append({"case": name, "over": case} | answer | ({"here": ours} if ours else {}))
        print(f"{name:44} {answer.get('error') or answer['values']}")
    lines = [f' {json.dumps(row)}' for row in rows]
    head = f'{{"oracle": "transformers {transformers.__version__}",\n"base": {json.dumps(BASES[kind])},\n' \
           f'"values": {json.dumps(base)},\n"cases": [\n'
    with open(path, "w", encoding="utf-8") as file:
        file.write(head + ",\n".join(lines) + "\n]}\n")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[2] not in CLASSES:
        sys.exit(__doc__)
    main(*sys.argv[1:])
