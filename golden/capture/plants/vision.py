# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The vision tower of MiniMax-M3, its projector and merger, and the splice into the text."""

from plants import plant as registry

IN_BF16 = {"preset": "m3-vl-bf16", "releases": "5.12.0", "dtype": "bf16"}
IN_F32 = {"preset": "m3-vl-f32", "releases": "5.23.0", "dtype": "f32"}

for name, fault in (
    ("vision_one_frame", "patch_embed-one-frame"), ("vision_coordinates_swapped", ""), ("vision_rope_whole_head", ""),
    ("vision_frames_restart", ""), ("vision_bias_missing", "vision_linear-without-bias"),
    ("vision_attention_other_scope", "vision_attention-per-image"), ("vision_gelu_tanh", "gelu-tanh"),
    ("vision_merge_by_columns", ""), ("vision_splice_reversed", "splice-reversed"),
):
    registry.patch(name, fault=fault, **IN_BF16)
registry.patch("vision_layer_norm_eps", **IN_F32)
