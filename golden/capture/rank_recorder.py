# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Reads, in each rank, the taps of recorder.py and what the package holds around its collectives.

Forward hooks see a module from outside, after its collective. What a rank computed before it, and the share of an
input that it took, are read where the package's own parallel styles (transformers/distributed/) hand them on; the
styles still do all the work."""

from __future__ import annotations

from torch.distributed.tensor import DTensor
from transformers.distributed import expert_parallel, tensor_parallel

from recorder import Recorder

# style, what its hook after the module is given, what its hook before the module returns ("" = not recorded)
STYLES = ((tensor_parallel.ColwiseParallel, "_part", ""), (tensor_parallel.RowwiseParallel, "_partial", "_share_AD"),
          (tensor_parallel.MoeExpertsParallel, "_partial", ""), (tensor_parallel.EmbeddingParallel, "_partial", ""))


class RankRecorder(Recorder):
    """The recorder of one rank. There is one at a time in a process."""

    current = None

    def __init__(self, model, text_model, modeling):
        super().__init__(model, text_model, modeling)
        # module -> the tap that its collective ends in
        self.outputs = {model.lm_head: "text/lm_head/out", text_model.embed_tokens: "text/embed/out"}
        self.inputs, self.indices = {}, {}
        for index, layer in enumerate(text_model.layers):
            prefix = f"text/layers/{index:02d}/"
            for name in ("q_proj", "k_proj", "v_proj", "o_proj"):
                self.outputs[getattr(layer.self_attn, name)] = f"{prefix}attention/{name}/out"
            self.inputs[layer.self_attn.o_proj] = prefix + "attention/core/out"
            if hasattr(layer.mlp, "experts"):
                self.outputs[layer.mlp.experts] = prefix + "moe/experts/out"
                self.indices[layer.mlp.experts] = prefix + "moe/router/indices"
        RankRecorder.current = self

    def remove(self):
        super().remove()
        RankRecorder.current = None


def note(table: str, module, suffix: str, value) -> None:
    """Keeps a copy, because collectives write into their operand."""
    recorder = RankRecorder.current
    if recorder is not None and suffix and module in getattr(recorder, table):
        recorder.put(getattr(recorder, table)[module] + suffix, own_term(value))


def own_term(value):
    """A rank's term of a sum. The embedding's has zeros for the words of other ranks, which torch sets as it adds."""
    if not isinstance(value, DTensor):
        return value
    term, mask = value.to_local().clone(), getattr(value.placements[0], "mask_buffer", None)
    if mask is not None:
        mask.apply_mask(term)
    return term


def watch_styles() -> None:
    """Call once in a process, before the model is loaded."""
    for style, output, taken in STYLES:
        watch_style(style, output, taken)
    original = expert_parallel.EPImplementation.__init__

    def watched(self, experts, *meshes):
        original(self, experts, *meshes)
        forward = self.experts_forward

        def experts_forward(hidden_states, top_k_index, top_k_weights):
            note("indices", experts, "_local", top_k_index)
            result = forward(hidden_states, top_k_index, top_k_weights)
            note("outputs", experts, "_partial", result)
            return result

        self.experts_forward = experts_forward

    expert_parallel.EPImplementation.__init__ = watched


def watch_style(style, output_suffix: str, input_suffix: str) -> None:
    before, after = style.transform_inputs_pre_forward, style.transform_output_post_forward

    def inputs(self, module, args, kwargs, mesh):
        result = before(self, module, args, kwargs, mesh)
        note("inputs", module, input_suffix, result[0][0])
        return result

    def outputs(self, module, output, mesh):
        note("outputs", module, output_suffix, output)
        return after(self, module, output, mesh)

    style.transform_inputs_pre_forward, style.transform_output_post_forward = inputs, outputs
