# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the taps out of an unmodified Hugging Face MiniMax-M3 or -M2 while it runs.

Module results come from forward hooks, rotated queries and keys from a wrapper around apply_rotary_pos_emb, and
values that exist only inside a forward function from its named local variables (a line tracer). Nothing is replaced."""

from __future__ import annotations

import sys
from collections import defaultdict

import torch

import heads
from tower import Tower


def kept(value: torch.Tensor) -> torch.Tensor:
    """A copy in the host's memory, wherever the model runs."""
    return value.detach().cpu().clone()


class LocalsTracer:
    """Calls back each time a watched local variable of a watched module's method is bound to a new object.

    The callback runs before the next line does, so a later in-place change of the value is not seen."""

    def __init__(self):
        self.watches = {}  # (id of module, function name) -> (variable names, callback)

    def watch(self, module, function, names, callback):
        self.watches[id(module), function] = (names, callback)

    def __enter__(self):
        self.previous = sys.gettrace()
        sys.settrace(self._call)

    def __exit__(self, *_):
        sys.settrace(self.previous)

    def _call(self, frame, event, arg):
        if frame.f_code.co_name not in ("forward", "_apply_gate"):
            return None
        watch = self.watches.get((id(frame.f_locals.get("self")), frame.f_code.co_name))
        if watch is None:
            return None
        names, callback = watch
        seen, count = {}, defaultdict(int)

        def line(frame, event, arg):
            values = frame.f_locals
            for name in names:
                if name in values and values[name] is not seen.get(name):
                    seen[name] = values[name]
                    count[name] += 1
                    callback(name, count[name], values)
            return line

        return line


class Recorder:
    """Installs the hooks once; each `with recorder.call() as taps:` block collects the taps of one forward call."""

    def __init__(self, model, text_model, modeling):
        self.text_model, self.modeling = text_model, modeling
        self.taps, self.clamps = {}, defaultdict(lambda: [0, 0, 0, 0])
        self.handles, self.tracer, self.scope, self.media = [], LocalsTracer(), "", {}
        self._out(text_model.embed_tokens, "text/embed/out")
        self._out(text_model.norm, "text/final_norm/out")
        heads.hook(self, model)
        self._on_out(text_model.rotary_emb, self._rope_tables)
        for index, layer in enumerate(text_model.layers):
            self._layer(layer, f"text/layers/{index:02d}/")
        self.tower = Tower(self, model.model) if hasattr(model.model, "vision_tower") else None

    def remove(self):
        for handle in self.handles:
            handle.remove()

    def call(self, media=None):
        self.media = media or {}
        return Call(self)

    def put(self, name, value):
        self.taps[name] = kept(value)

    def _on_out(self, module, function):
        self.handles.append(module.register_forward_hook(lambda _, args, result: function(result)))

    def _out(self, module, name):
        self._on_out(module, lambda result: self.put(name, result))

    def _in(self, module, name):
        self.handles.append(module.register_forward_pre_hook(lambda _, args: self.put(name, args[0])))

    def _rope_tables(self, result):
        self.put("text/rope/cos", result[0])
        self.put("text/rope/sin", result[1])

    def _layer(self, layer, prefix):
        self._out(layer.input_layernorm, prefix + "input_norm/out")
        self._attention(layer.self_attn, prefix + "attention/")
        self._in(layer.post_attention_layernorm, prefix + "attention_residual/out")
        self._out(layer.post_attention_layernorm, prefix + "post_attention_norm/out")
        if hasattr(layer.mlp, "experts"):
            self._moe(layer.mlp, prefix + "moe/")
        else:
            self._mlp(layer.mlp, prefix + "mlp/")
        self._out(layer, prefix + "out")

    def _attention(self, attention, prefix):
        self._scope(attention, prefix)
        for name in ("q_proj", "k_proj", "v_proj", "q_norm", "k_norm", "o_proj"):
            self._out(getattr(attention, name), f"{prefix}{name}/out")
        self._in(attention.o_proj, prefix + "core/out")
        indexer = getattr(attention, "indexer", None)  # None for M2
        if indexer is None:
            return
        inner = prefix + "indexer/"
        self._scope(indexer, inner)
        for name in ("q_proj", "k_proj", "q_norm", "k_norm"):
            self._out(getattr(indexer, name), f"{inner}{name}/out")
        self._out(indexer, inner + "block_indices")

        def bound(name, count, values):
            if count == 1:  # the first binding: raw scores, and pooled scores before local blocks are forced
                self.put(inner + name, values[name])

        self.tracer.watch(indexer, "forward", ("scores", "block_scores"), bound)

    def _scope(self, module, prefix):
        def enter(_, args):
            self.scope = prefix

        self.handles.append(module.register_forward_pre_hook(enter))

    def _mlp(self, mlp, prefix):
        def clamp(result):
            gate, up = result.chunk(2, dim=-1)
            self._count_clamps(prefix, mlp.swiglu_limit, gate, up)

        self._out(mlp.gate_up_proj, prefix + "gate_up/out")
        self._on_out(mlp.gate_up_proj, clamp)
        self._in(mlp.down_proj, prefix + "activation/out")
        self._out(mlp.down_proj, prefix + "down/out")

    def _count_clamps(self, prefix, limit, gate, up):
        values = (gate.numel(), (gate > limit).sum().item(), (up > limit).sum().item(), (up < -limit).sum().item())
        self.clamps[prefix] = [old + new for old, new in zip(self.clamps[prefix], values)]

    def _moe(self, moe, prefix):
        if hasattr(moe, "shared_experts"):
            self._mlp(moe.shared_experts, prefix + "shared/")
        self._router(moe.gate, prefix + "router/")
        self._experts(moe.experts, prefix + "experts/")
        self._out(moe.experts, prefix + "experts/out")
        self._out(moe, prefix + "out")

    def _router(self, router, prefix):
        def done(result):
            for name, value in zip(("logits", "weights", "indices"), result):
                self.put(prefix + name, value)

        def bound(name, count, values):
            if count == 1:
                self.put(prefix + {"routing_weights": "scores", "scores_for_choice": "choice"}[name], values[name])

        self._on_out(router, done)
        self.tracer.watch(router, "forward", ("routing_weights", "scores_for_choice"), bound)

    def _experts(self, experts, prefix):
        # M3 binds `current` twice per expert: the activation, then the weighted down projection. M2's variable is bound
        # to the unweighted projection in between.
        variable, cycle = ("current", ("slot_activation", "slot_weighted"))
        if not hasattr(experts, "swiglu_limit"):
            variable, cycle = "current_hidden_states", ("slot_activation", None, "slot_weighted")

        def bound(name, count, values):
            leaf = cycle[(count - 1) % len(cycle)]
            if leaf is None:
                return
            rows, slots, current, tap = values["token_idx"], values["top_k_pos"], values[name], prefix + leaf
            if tap not in self.taps:
                shape = (*values["top_k_index"].shape, current.shape[-1])
                self.taps[tap] = torch.full(shape, float("nan"), dtype=current.dtype)
            self.taps[tap][rows.cpu(), slots.cpu()] = current.detach().cpu()

        def clamp(name, count, values):
            if count == 1:  # the second binding is the clamped half
                self._count_clamps(prefix, experts.swiglu_limit, values["gate"], values["up"])

        self.tracer.watch(experts, "forward", (variable,), bound)
        if hasattr(experts, "swiglu_limit"):
            self.tracer.watch(experts, "_apply_gate", ("gate",), clamp)


class Call:
    """One traced forward call."""

    def __init__(self, recorder):
        self.recorder = recorder

    def __enter__(self):
        r = self.recorder
        r.taps = {}
        names = ("apply_rotary_pos_emb", "apply_rotary_pos_emb_vision")  # models without a tower have only the first
        self.originals = {name: getattr(r.modeling, name) for name in names if hasattr(r.modeling, name)}
        for name, original in self.originals.items():
            setattr(r.modeling, name, self.rotating(original))
        r.tracer.__enter__()
        return r.taps

    def __exit__(self, *error):
        self.recorder.tracer.__exit__()
        for name, original in self.originals.items():
            setattr(self.recorder.modeling, name, original)

    def rotating(self, original):
        def rotate(*args, **kwargs):
            queries, keys = original(*args, **kwargs)
            self.recorder.put(self.recorder.scope + "q_rope/out", queries)
            self.recorder.put(self.recorder.scope + "k_rope/out", keys)
            return queries, keys

        return rotate
