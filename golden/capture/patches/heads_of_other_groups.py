# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Query head h reads key/value head h % G instead of h // (H / G); eager attention only."""


def patch(model, modeling):
    modeling.repeat_kv = lambda states, repeats: states.repeat(1, repeats, 1, 1)
