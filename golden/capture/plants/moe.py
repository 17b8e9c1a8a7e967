# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""How MiniMax-M3 joins the routed part, scaled by two, and the shared expert."""

from plants.plant import patch, source

BLOCK = "SparseMoeBlock.forward"
SUM = "hidden_states + shared_output"
SCALE = "* self.routed_scaling_factor"

patch("routed_scaling_twice", fault="combine-scaled-twice")
source("routed_never_scaled", "the sum of the routed experts is not scaled", BLOCK, (SCALE, "* 1.0"), fault="combine-never-scaled")
source("shared_missing", "the shared expert is left out", BLOCK, (SUM, "hidden_states + 0 * shared_output"),
       fault="combine-shared-missing")
source("shared_scaled", "the shared expert is scaled as well", BLOCK,
       (SUM, f"hidden_states + shared_output {SCALE}"), fault="combine-shared-scaled")
source("shared_halved", "the shared expert is divided by the scale", BLOCK,
       (SUM, "hidden_states + shared_output / self.routed_scaling_factor"), fault="combine-shared-halved")
source("shared_of_neighbour", "the shared expert's output of the neighbouring token is added", BLOCK,
       (SUM, "hidden_states + shared_output.roll(1, 0)"), fault="combine-shared-of-neighbour")
source("combined_twice", "the sum over ranks is computed twice", BLOCK, (SUM, f"2 * ({SUM})"), fault="combine-summed-twice")
