# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Bugs to plant in a recorded model, by topic; PLANTS holds all of them by name."""

from plants import (activation, attention, caches, experts, indexer, layers, losses, m2, moe, norms, rope, router,
                    selection, sparse, text01, vision)
from plants.plant import PLANTS, Plant

__all__ = ["PLANTS", "Plant"]
