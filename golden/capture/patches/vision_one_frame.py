# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The second frame of every patch is left out: an image that is not repeated in time, padded with zeros."""


def patch(model, modeling):
    model.model.vision_tower.embeddings.proj.weight.data[:, :, 1] = 0
