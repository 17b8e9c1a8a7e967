# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A static cache: the attention sees its unused slots."""


def patch(model, modeling):
    original = modeling.create_causal_mask

    def mask(**arguments):
        result = original(**arguments).clone()
        result[..., arguments["attention_mask"].shape[-1] :] = 0
        return result

    modeling.create_causal_mask = mask
