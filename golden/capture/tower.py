# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the taps out of the vision tower, its projector and the splice; images and videos run through the same modules."""

from __future__ import annotations

LAYER = (  # attribute of a layer, tap of its result
    ("layer_norm1", "layer_norm1/out"), ("self_attn.q_proj", "attention/q_proj/out"),
    ("self_attn.k_proj", "attention/k_proj/out"), ("self_attn.v_proj", "attention/v_proj/out"),
    ("self_attn.out_proj", "attention/out_proj/out"), ("layer_norm2", "layer_norm2/out"), ("mlp.fc1", "mlp/fc1/out"),
    ("mlp.fc2", "mlp/fc2/out"))
LAYER_INPUTS = (  # attribute of a layer, tap that enters it
    ("self_attn.out_proj", "attention/core/out"), ("layer_norm2", "attention_residual/out"),
    ("mlp.fc2", "mlp/activation/out"))
PROJECTOR = (("linear_1", "projector/linear_1/out"), ("linear_2", "projector/linear_2/out"),
             ("merge_linear_1", "merger/linear_1/out"), ("merge_linear_2", "merger/linear_2/out"))
PROJECTOR_INPUTS = (("linear_2", "projector/activation/out"), ("merge_linear_1", "merger/in"),
                    ("merge_linear_2", "merger/activation/out"))


class Tower:
    """Installs its hooks once; which kind runs is told by the pixels that enter."""

    def __init__(self, recorder, model):
        self.recorder, self.kind = recorder, ""
        tower, handles = model.vision_tower, recorder.handles
        handles.append(tower.register_forward_pre_hook(self._enter, with_kwargs=True))
        self._out(tower.embeddings, "patch_embed/out")
        self._out(tower.pre_layrnorm, "pre_norm/out")
        handles.append(tower.rotary_emb.register_forward_hook(self._tables))
        for index, layer in enumerate(tower.layers):
            prefix = f"layers/{index:02d}/"
            for name, tap in LAYER:
                self._out(layer.get_submodule(name), prefix + tap)
            for name, tap in LAYER_INPUTS:
                self._in(layer.get_submodule(name), prefix + tap)
            self._out(layer, prefix + "out")
            layer.self_attn.register_forward_pre_hook(self._scope(prefix + "attention/"))
        for name, tap in PROJECTOR:
            self._out(getattr(model.multi_modal_projector, name), tap)
        for name, tap in PROJECTOR_INPUTS:
            self._in(getattr(model.multi_modal_projector, name), tap)
        handles.append(model.language_model.register_forward_pre_hook(self._splice, with_kwargs=True))

    def _enter(self, _, args, kwargs):
        pixels = kwargs["pixel_values"] if "pixel_values" in kwargs else args[0]
        self.kind = "image" if pixels is self.recorder.media.get("pixel_values") else "video"

    def _put(self, tap, value):
        self.recorder.put(f"vision/{self.kind}/{tap}", value)

    def _out(self, module, tap):
        self.recorder.handles.append(module.register_forward_hook(lambda _, args, result: self._put(tap, result)))

    def _in(self, module, tap):
        self.recorder.handles.append(module.register_forward_pre_hook(lambda _, args: self._put(tap, args[0])))

    def _tables(self, _, args, result):
        self._put("rope/cos", result[0])
        self._put("rope/sin", result[1])

    def _scope(self, prefix):
        def enter(*_):
            self.recorder.scope = f"vision/{self.kind}/{prefix}"

        return enter

    def _splice(self, _, args, kwargs):
        if self.recorder.media:
            self.recorder.put("splice/out", kwargs["inputs_embeds"])
