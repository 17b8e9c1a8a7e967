# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""alpha is not forwarded: SiLU of the gate instead of the steeper one (fault M1), in dense, shared and routed MLPs."""


def patch(model, modeling):
    for module in model.modules():
        if hasattr(module, "swiglu_alpha"):
            module.swiglu_alpha = 1.0
