# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Odd configurations: name -> (keys laid over the tiny one, why parity answers otherwise than the package, if it does)."""

from __future__ import annotations

TEXT = {
    "vocab_size": 19, "hidden_size": 8, "intermediate_size": 5, "dense_intermediate_size": 7,
    "shared_intermediate_size": 3, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
    "head_dim": 8, "num_local_experts": 4, "num_experts_per_tok": 2, "index_n_heads": 2, "index_head_dim": 8,
    "index_block_size": 2, "index_topk_blocks": 2,
}
BASES = {
    "m3": {"model_type": "minimax_m3_vl", "image_token_index": 17, "video_token_index": 18, "projector_hidden_size": 7,
           "text_config": TEXT,
           "vision_config": {"hidden_size": 16, "intermediate_size": 9, "num_hidden_layers": 1,
                             "num_attention_heads": 2, "patch_size": 2}},
    "m2": {"model_type": "minimax_m2", "vocab_size": 19, "hidden_size": 8, "intermediate_size": 5,
           "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
           "num_local_experts": 5, "num_experts_per_tok": 2},
    "text01": {"model_type": "minimax", "vocab_size": 19, "hidden_size": 8, "intermediate_size": 5,
               "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 4,
               "num_local_experts": 4, "num_experts_per_tok": 2, "block_size": 2},
}
ODD = "accepted by the package, which then rotates one channel more than asked"
HALVES = "accepted by the package, which mismatches the halves of index heads narrower than the rotation"
OTHER_MASK = "accepted by the package, which hands such a layer the raw mask"
UNIMPLEMENTED = "accepted by the package, not implemented here"
STRICTER = "accepted by the package, which computes nothing sensible with it"


def text(keys: dict, why: str = "") -> tuple:
    return {"text_config": keys}, why


def vision(keys: dict, why: str = "") -> tuple:
    return {"vision_config": keys}, why


LEGACY = {"sparse_num_index_heads": 1, "sparse_index_dim": 10, "sparse_block_size": 3, "sparse_topk_blocks": 4,
          "sparse_local_block": 2}
SPARSE = ["minimax_m3_sparse"] * 3

CASES = {
    "m3": {
        "nothing": ({}, ""),
        "num_experts is an alias": text({"num_experts": 6}),
        "num_experts beside num_local_experts": text({"num_experts": 6, "num_local_experts": 5}),
        "legacy dictionary": text({"sparse_attention_config": LEGACY}),
        "legacy dictionary wins over flat keys": text({"index_n_heads": 4, "sparse_attention_config": LEGACY}),
        "legacy dictionary is null": text({"sparse_attention_config": None}),
        "legacy keys that nothing reads": text({"sparse_attention_config": {
            "sparse_init_block": 3, "sparse_score_type": "max", "use_sparse_attention": False}}),
        "sparse_attention_freq": text({"sparse_attention_config": {"sparse_attention_freq": [0, 1, 1]}}),
        "sparse_attention_freq of booleans": text({"sparse_attention_config": {"sparse_attention_freq": [False, True, True]}}),
        "layer_types win over the frequencies": text({"layer_types": SPARSE, "sparse_attention_config": {
            "sparse_attention_freq": [0, 0, 0]}}),
        "moe_layer_freq": text({"moe_layer_freq": [0, 1, 0]}),
        "mlp_layer_types win over the frequencies": text({"mlp_layer_types": ["dense"] * 3, "moe_layer_freq": [1, 1, 1]}),
        "rotary_dim is not read": text({"rotary_dim": 2}),
        "flat partial_rotary_factor": text({"partial_rotary_factor": 0.5}),
        "rope_parameters": text({"rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.5}}),
        "rope_parameters win over flat keys": text({"rope_theta": 1e3, "partial_rotary_factor": 1.0, "rope_parameters": {
            "rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.5}}),
        "rope_scaling wins over rope_parameters": text({"rope_scaling": {"rope_type": "default", "rope_theta": 77.0},
                                                        "rope_parameters": {"rope_type": "default", "rope_theta": 1e4}}),
        "empty rope_scaling": text({"rope_scaling": {}, "rope_theta": 50.0}),
        "rope of another type": text({"rope_scaling": {"rope_type": "linear", "factor": 2.0}}, UNIMPLEMENTED),
        "rope of an unknown type": text({"rope_scaling": {"rope_type": "spiral"}}),
        "hidden_act is replaced by silu": text({"hidden_act": "swigluoai"}),
        "tied at the top": ({"tie_word_embeddings": True}, ""),
        "tied in text_config": text({"tie_word_embeddings": True}),
        "image_token_id is an alias": ({"image_token_index": 16, "image_token_id": 15}, ""),
        "video_token_id is an alias": ({"video_token_index": 16, "video_token_id": 15}, ""),
        "heads that no group divides": text({"num_key_value_heads": 3}),
        "more experts per token than experts": text({"num_experts_per_tok": 5}),
        "text for a number": text({"hidden_size": "8"}),
        "a fraction for a number": text({"num_hidden_layers": 2.5}),
        "truth for a number": text({"head_dim": True}),
        "null for a number": text({"intermediate_size": None}),
        "integer for a real": text({"rms_norm_eps": 1}),
        "text for a truth": text({"tie_word_embeddings": "yes"}),
        "no layers": text({"num_hidden_layers": 0}, STRICTER),
        "layer types too short": text({"layer_types": SPARSE[:2]}),
        "layer types too long": text({"layer_types": SPARSE + ["full_attention"]}),
        "unknown layer type": text({"layer_types": ["sliding_attention"] * 3}),
        "unknown MLP type": text({"mlp_layer_types": ["sparse", "experts", "dense"]}),
        "moe_layer_freq too short": text({"moe_layer_freq": [1]}),
        "moe_layer_freq too long": text({"moe_layer_freq": [1] * 4}),
        "sparse_attention_freq too long": text({"sparse_attention_config": {"sparse_attention_freq": [1] * 4}}),
        "sparse_attention_freq is null": text({"sparse_attention_config": {"sparse_attention_freq": None}}),
        "null legacy key": text({"sparse_attention_config": {"sparse_block_size": None}, "layer_types": SPARSE}),
        "null rope_theta": text({"rope_theta": None}),
        "null partial_rotary_factor": text({"partial_rotary_factor": None}),
        "null rope_parameters": text({"rope_parameters": None}),
        "integer rope_theta": text({"rope_theta": 10000}),
        "an odd number of rotated channels": text({"partial_rotary_factor": 0.4}, ODD),
        "nothing rotates": text({"partial_rotary_factor": 0.0}, STRICTER),
        "more than the head rotates": text({"partial_rotary_factor": 1.5}),
        "index heads narrower than the rotation": text({"index_head_dim": 6, "layer_types": SPARSE}, HALVES),
        "theta zero": text({"rope_theta": 0.0}, STRICTER),
        "tower: heads that do not divide": vision({"num_attention_heads": 3}),
        "tower: heads too narrow for three axes": vision({"num_attention_heads": 8}, STRICTER),
        "tower: flat rope_theta": vision({"rope_theta": 50.0}),
        "tower: rope_parameters": vision({"rope_parameters": {"rope_type": "default", "rope_theta": 60.0}}),
        "tower: another activation": vision({"hidden_act": "quick_gelu"}, UNIMPLEMENTED),
        "tower: an unknown activation": vision({"hidden_act": "gloo"}),
        "tower: null for a number": vision({"num_channels": None}),
        "tower: integer for a real": vision({"layer_norm_eps": 1}),
        "tower: text for a number": vision({"patch_size": "2"}),
        "tower: published keys that nothing reads": vision({"vision_segment_max_frames": 4, "rope_mode": "3d"}),
        "one placeholder for images and videos": ({"image_token_index": 18}, STRICTER),
    },
    "m2": {
        "nothing": ({}, ""),
        "num_experts is an alias": ({"num_experts": 6}, ""),
        "num_experts beside num_local_experts": ({"num_experts": 6, "num_local_experts": 4}, ""),
        "rotary_dim": ({"rotary_dim": 4}, ""),
        "partial_rotary_factor": ({"partial_rotary_factor": 0.5}, ""),
        "partial_rotary_factor beside rotary_dim": ({"rotary_dim": 2, "partial_rotary_factor": 0.5}, ""),
        "rope_parameters": ({"rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.5}}, ""),
        "rope_scaling wins over rope_parameters": ({"rope_scaling": {"rope_type": "default", "rope_theta": 77.0},
                                                    "rope_parameters": {"rope_type": "default", "rope_theta": 1e4}}, ""),
        "rope of another type": ({"rope_scaling": {"rope_type": "linear", "factor": 2.0}}, UNIMPLEMENTED),
        "another activation": ({"hidden_act": "gelu"}, UNIMPLEMENTED),
        "an unknown activation": ({"hidden_act": "gloo"}, ""),
        "tied": ({"tie_word_embeddings": True}, ""),
        "heads that no group divides": ({"num_key_value_heads": 3}, ""),
        "more experts per token than experts": ({"num_experts_per_tok": 6}, ""),
        "text for a number": ({"hidden_size": "8"}, ""),
        "null for a number": ({"head_dim": None}, ""),
        "an odd number of rotated channels": ({"partial_rotary_factor": 0.4}, ODD),
        "integer for a real": ({"rms_norm_eps": 1}, ""),
        "null rope_theta": ({"rope_theta": None}, ""),
    },
    "text01": {
        "nothing": ({}, ""),
        "layer types": ({"layer_types": ["linear_attention", "linear_attention", "full_attention"]}, ""),
        "layer types too short": ({"layer_types": ["full_attention"]}, ""),
        "layer types too long": ({"layer_types": ["full_attention"] * 4}, ""),
        "unknown layer type": ({"layer_types": ["lightning"] * 3}, ""),
        "a known type of other models": ({"layer_types": ["sliding_attention"] * 3}, OTHER_MASK),
        "null for a number": ({"intermediate_size": None}, ""),
        "integer for a real": ({"rms_norm_eps": 1}, ""),
        "pad_token_id": ({"pad_token_id": 3}, ""),
        "null key/value heads": ({"num_key_value_heads": None}, ""),
        "null head_dim": ({"head_dim": None, "hidden_size": 16}, ""),
        "rotary_dim is not read": ({"rotary_dim": 2}, ""),
        "partial_rotary_factor": ({"partial_rotary_factor": 0.5}, ""),
        "rope_scaling of the default type": ({"rope_scaling": {"rope_type": "default"}}, ""),
        "rope_scaling of another type": ({"rope_scaling": {"rope_type": "linear", "factor": 2.0}}, UNIMPLEMENTED),
        "rope_scaling of an unknown type": ({"rope_scaling": {"rope_type": "spiral"}}, ""),
        "sliding_window": ({"sliding_window": 4}, UNIMPLEMENTED),
        "factors": ({"full_attn_alpha_factor": 3.5, "linear_attn_beta_factor": 0.5, "mlp_alpha_factor": 2}, ""),
        "tied": ({"tie_word_embeddings": True}, ""),
        "num_labels": ({"num_labels": 5}, ""),
        "id2label": ({"id2label": {"0": "a", "1": "b", "2": "c"}}, ""),
        "id2label beside num_labels": ({"id2label": {"0": "a", "1": "b", "2": "c"}, "num_labels": 5}, ""),
        "id2label is a list": ({"id2label": ["a", "b"]}, ""),
        "unknown problem_type": ({"problem_type": "ranking"}, ""),
        "another activation": ({"hidden_act": "gelu"}, UNIMPLEMENTED),
        "an unknown activation": ({"hidden_act": "gloo"}, ""),
        "heads that no group divides": ({"num_key_value_heads": 3}, ""),
        "more experts per token than experts": ({"num_experts_per_tok": 5}, ""),
        "an odd head": ({"head_dim": 5}, ""),
        "text for a number": ({"hidden_size": "8"}, ""),
        "shared experts of the original code": ({"shared_intermediate_size": 7}, ""),
        "postnorm of the original code": ({"postnorm": False}, ""),
        "pad_token_id outside the vocabulary": ({"pad_token_id": 19}, ""),
    },
}
