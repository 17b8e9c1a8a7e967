# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""routed_scaling_factor is applied twice (fault M5); every cosine stays 1."""


def patch(model, modeling):
    for module in model.modules():
        if isinstance(module, modeling.MiniMaxM3VLSparseMoeBlock):
            module.routed_scaling_factor **= 2
