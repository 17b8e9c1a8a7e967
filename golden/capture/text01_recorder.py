# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the taps out of an unmodified Hugging Face MiniMax (Text-01) while it runs."""

from __future__ import annotations

import torch

from recorder import Recorder

SPLIT = {"query_states": "q", "key_states": "k", "value_states": "v"}
PIECES = {"attn_output_intra": "intra/out", "attn_output_inter": "inter/out", "current_attn_output": "core/out"}


class Text01Recorder(Recorder):
    """Lightning attention is one function: its taps are its named local variables."""

    def _layer(self, layer, prefix):
        self._out(layer.input_layernorm, prefix + "input_norm/out")
        if hasattr(layer.self_attn, "qkv_proj"):
            self._lightning(layer.self_attn, prefix + "attention/")
        else:
            self._softmax(layer.self_attn, prefix + "attention/")
        self._in(layer.post_attention_layernorm, prefix + "attention_residual/out")
        self._out(layer.post_attention_layernorm, prefix + "post_attention_norm/out")
        if hasattr(layer, "block_sparse_moe"):
            self._linear_experts(layer.block_sparse_moe, prefix + "moe/")
        else:  # from transformers 5.0.0 on, as in the other models
            self._moe(layer.mlp, prefix + "moe/")
        self._out(layer, prefix + "out")

    def _softmax(self, attention, prefix):
        self._scope(attention, prefix)
        for name in ("q_proj", "k_proj", "v_proj", "o_proj"):
            self._out(getattr(attention, name), f"{prefix}{name}/out")
        self._in(attention.o_proj, prefix + "core/out")

    def _lightning(self, attention, prefix):
        for name in ("qkv_proj", "norm", "output_gate", "out_proj"):
            self._out(getattr(attention, name), f"{prefix}{name}/out")
        self._out(attention.act_fn, prefix + "qkv_activation/out")
        self._in(attention.out_proj, prefix + "gated/out")

        def extend(tap, value, join):
            known = self.taps.get(tap)
            self.put(tap, value if known is None else join(known, value))

        def bound(name, count, values):
            value = values[name]
            if name == "qkv_states":
                if count == 2 and value.dim() == 3:  # from transformers 5.15.0 on, padding is masked here
                    self.put(prefix + "qkv_masked/out", value)
            elif name in SPLIT and count == 2:  # split, then transposed
                self.put(f"{prefix}{SPLIT[name]}/out", value)
            elif name == "value_states" and count == 3:
                self.put(prefix + "v_masked/out", value)
            elif name in PIECES:  # one block or token after another
                extend(prefix + PIECES[name], value, lambda old, new: torch.cat([old, new], dim=-2))
            elif name == "attn_weights_inter":
                extend(prefix + "block_states", value[None], lambda old, new: torch.cat([old, new]))

        self.tracer.watch(attention, "forward", ("qkv_states", *SPLIT, *PIECES, "attn_weights_inter"), bound)

    def _router(self, router, prefix):
        def bound(name, count, values):  # up to transformers 5.5.4, router_logits becomes the probabilities
            if name == "router_logits" and count == 1:
                self.put(prefix + "logits", values[name])
            if name == "router_probs" or name == "router_logits" and count == 2:
                self.put(prefix + "scores", values[name])

        def done(result):
            for name, value in zip(("weights", "indices"), result[1:]):
                self.put(prefix + name, value)

        self._on_out(router, done)
        self.tracer.watch(router, "forward", ("router_logits", "router_probs"), bound)

    def _moe(self, moe, prefix):
        self._router(moe.gate, prefix + "router/")
        self._experts(moe.experts, prefix + "experts/")
        self._out(moe, prefix + "out")

    def _linear_experts(self, moe, prefix):
        self._out(moe.gate, prefix + "router/logits")
        self._on_out(moe, lambda result: self.put(prefix + "out", result[0]))
        activation = {}
        for expert in moe.experts:
            self.handles.append(expert.w2.register_forward_pre_hook(
                lambda _, args: activation.update(rows=args[0].detach().clone())))

        def bound(name, count, values):
            if name == "routing_weights" and count == 1:
                self.put(prefix + "router/scores", values[name])
            elif name == "final_hidden_states" and count == 1:  # by now the weights are normalised and cast
                self.put(prefix + "router/weights", values["routing_weights"])
                self.put(prefix + "router/indices", values["selected_experts"])
            elif name == "current_hidden_states":
                tap, rows = prefix + "experts/slot_activation", activation["rows"]
                if tap not in self.taps:
                    shape = (*values["selected_experts"].shape, rows.shape[-1])
                    self.taps[tap] = torch.full(shape, float("nan"), dtype=rows.dtype)
                self.taps[tap][values["top_x"], values["idx"]] = rows

        self.tracer.watch(moe, "forward", ("routing_weights", "final_hidden_states", "current_hidden_states"), bound)
