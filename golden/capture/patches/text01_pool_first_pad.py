# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A sequence ends before its first pad token, wherever that is (as older releases did)."""

import torch

import transformers.modeling_layers as layers
from source_edit import edit

OLD = "last_non_pad_token = (token_indices * non_pad_mask).argmax(-1)"
NEW = "last_non_pad_token = (non_pad_mask.cumprod(-1).sum(-1) - 1).long()"


def patch(model, modeling):
    edit(layers, "GenericForSequenceClassification", "forward", OLD, NEW)
