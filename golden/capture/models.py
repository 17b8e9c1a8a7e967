# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Builds the Hugging Face model from a checkpoint in the published layout, through the package's own loader."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import re
import tempfile

import torch
from safetensors.torch import save_file

import text01
from published import TORCH_DTYPE
from settings import OLDEST, Settings, SettingsError, records

INSTALL = "pip install torch==2.11.0 transformers=={} h5py safetensors numpy"
RENAMES = (  # published name -> name in the text-only class, which has no conversion of its own
    (r"^language_model\.", ""), (r"\.block_sparse_moe\.e_score_correction_bias", r".mlp.gate.e_score_correction_bias"),
    (r"\.block_sparse_moe\.", ".mlp."), (r"\.self_attn\.index_", ".self_attn.indexer."),
)


def require_oracle(s: Settings):
    """The transformers package, if it is a version this golden may come from."""
    try:
        transformers = importlib.import_module("transformers")
    except ImportError as error:
        text = INSTALL.format(s.transformers or OLDEST[s.model])
        missing = error.name or "transformers"
        needs = "" if missing == "transformers" else f", which transformers needs: {error}"
        raise SettingsError(f"module {missing} is missing{needs}; {text}") from error
    found = transformers.__version__
    if found != s.transformers and (s.transformers or not records(s.model, found)):
        wanted = s.transformers or f"{OLDEST[s.model]} or a later release"
        raise SettingsError(f"these settings need transformers {wanted}, but {found} is installed; "
                            f"{INSTALL.format(s.transformers or OLDEST[s.model])}")
    return transformers


def modeling_module(s: Settings):
    package = {"m3": "minimax_m3_vl", "m2": "minimax_m2"}[s.model]
    return importlib.import_module(f"transformers.models.{package}.modeling_{package}")


def fuse(published: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The tensors as the text-only class names and stores them: gate and up rows in one matrix, experts stacked."""
    tensors, experts = {}, {}
    for name, value in published.items():
        for pattern, replacement in RENAMES:
            name = re.sub(pattern, replacement, name)
        expert = re.match(r"(.*\.experts)\.(\d+)\.(w[123])\.weight", name)
        if expert:
            experts.setdefault(expert[1], {})[int(expert[2]), expert[3]] = value
        else:
            tensors[name] = value
    for prefix, parts in experts.items():
        ids = sorted({e for e, _ in parts})
        tensors[prefix + ".gate_up_proj"] = torch.stack([torch.cat([parts[e, "w1"], parts[e, "w3"]]) for e in ids])
        tensors[prefix + ".down_proj"] = torch.stack([parts[e, "w2"] for e in ids])
    for name in [n for n in tensors if n.endswith(".gate_proj.weight")]:
        up = tensors.pop(name.replace("gate_proj", "up_proj"))
        tensors[name.replace("gate_proj", "gate_up_proj")] = torch.cat([tensors.pop(name), up])
    return tensors


def load(s: Settings, folder: str, published: dict[str, torch.Tensor], **more):
    """(model, its text stack, its modeling module), in the working type, ready to record; `more` goes to from_pretrained."""
    if s.model == "text01":
        return text01.load(s, folder, TORCH_DTYPE[s.dtype])
    modeling = modeling_module(s)
    options = dict(dtype=TORCH_DTYPE[s.dtype], attn_implementation=s.attention, experts_implementation="eager",
                   output_loading_info=True, local_files_only=True, **more)
    if s.model == "m2":
        model, info = modeling.MiniMaxM2ForCausalLM.from_pretrained(folder, **options)
        text = model.model
    elif s.text_only:
        model, info = load_text_only(modeling, folder, published, options)
        text = model.model
    else:
        model, info = modeling.MiniMaxM3SparseForConditionalGeneration.from_pretrained(folder, **options)
        text = model.model.language_model
    if s.model == "m3" and not s.vision_hidden:  # the tower never runs
        info["missing_keys"] = {key for key in info["missing_keys"] if not re.search("vision_tower|projector", key)}
    problems = {key: sorted(info[key]) for key in ("missing_keys", "unexpected_keys", "mismatched_keys") if info[key]}
    if problems:
        raise SettingsError(f"transformers cannot load the checkpoint that this script made: {problems}")
    if text.config._experts_implementation != "eager" or text.config._attn_implementation != s.attention:
        raise SettingsError("transformers ignored the requested attention or experts implementation; "
                            "use a release that a preset names")
    return model.eval(), text, modeling


def load_text_only(modeling, folder, published, options):
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
        text_config = json.load(file)["text_config"]
    config = modeling.MiniMaxM3VLTextConfig(**{k: v for k, v in text_config.items() if k != "model_type"})
    with tempfile.TemporaryDirectory() as fused:
        config.save_pretrained(fused)
        save_file(fuse(published), os.path.join(fused, "model.safetensors"), metadata={"format": "pt"})
        return modeling.MiniMaxM3VLForCausalLM.from_pretrained(fused, **options)


def apply_patch(path: str, model, modeling) -> str:
    """Runs patch(model, modeling) of a Python file; returns the name under which the golden is marked."""
    spec = importlib.util.spec_from_file_location("parity_patch", path)
    if spec is None or not os.path.isfile(path):
        raise SettingsError(f"--patch {path}: no such Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not hasattr(module, "patch"):
        raise SettingsError(f"--patch {path}: the file must define patch(model, transformers_module)")
    module.patch(model, modeling)
    return os.path.splitext(os.path.basename(path))[0]
