# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Attention within each image where the release mixes all patches of a call, and the other way round."""

import torch


def patch(model, modeling):
    tower = model.model.vision_tower
    if hasattr(modeling, "get_vision_attention_seqlens"):
        def everything(grid_thw, *_, **__):
            patches = int(grid_thw.prod(-1).sum())
            return torch.tensor([0, patches], dtype=torch.int32), patches

        modeling.get_vision_attention_seqlens = everything
        return

    def enter(_, args, kwargs):
        lengths = kwargs["image_grid_thw"].prod(-1)
        owner = torch.repeat_interleave(torch.arange(len(lengths)), lengths)
        tower.scope_mask = torch.where(owner[:, None] == owner, 0.0, torch.finfo(torch.float32).min)[None, None]

    def masked(_, args, kwargs):
        mask = tower.scope_mask.to(kwargs["hidden_states"].dtype)
        return args, kwargs | {"attention_mask": mask}

    tower.register_forward_pre_hook(enter, with_kwargs=True)
    for layer in tower.layers:
        layer.self_attn.register_forward_pre_hook(masked, with_kwargs=True)
