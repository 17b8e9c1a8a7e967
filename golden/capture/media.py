# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Images and videos of the prefill: patches as the processors order them, and where their placeholder tokens stand."""

from __future__ import annotations

import numpy as np
import torch

from settings import IMAGE, VIDEO, Settings, SettingsError

MERGED = 4  # patches per token
KINDS = (("image", "pixel_values", "image_grid_thw"), ("video", "pixel_values_videos", "video_grid_thw"))


def inputs(s: Settings) -> dict[str, torch.Tensor]:
    """The model's keyword arguments. An image repeats its one frame, as the image processor does; values as normalised."""
    rng, found = np.random.Generator(np.random.PCG64([s.seed, 2])), {}
    for (kind, pixels, grid), media in zip(KINDS, (s.images, s.videos)):
        if not media:
            continue
        patches = sum(t * h * w for t, h, w in media)
        values = rng.standard_normal((patches, 3, 2, s.patch_size, s.patch_size)).clip(-2.5, 2.5)
        if kind == "image":
            values[:, :, 1] = values[:, :, 0]
        values = torch.from_numpy(values.reshape(patches, -1))
        found[pixels] = values if s.dtype == "f64" else values.float()
        found[grid] = torch.tensor(media)
    return found


def taps(media: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The arguments of the tower under their names in a golden."""
    names = {key: f"vision/{kind}/{leaf}" for kind, pixels, grid in KINDS
             for key, leaf in ((pixels, "pixel_values"), (grid, "grid_thw"))}
    return {names[key]: value for key, value in media.items()}


def place(ids: torch.Tensor, s: Settings) -> torch.Tensor:
    """Ids with the placeholders of all media written in: blocks with two tokens of text before each. Images are
    spread over the sequences in order, videos too; odd sequences have their videos first."""
    rows = ids.shape[0]
    blocks = [[] for _ in range(rows)]
    for token, media in ((IMAGE, s.images), (VIDEO, s.videos)):
        for i, (t, h, w) in enumerate(media):
            row = i * rows // len(media) if len(media) > 1 else rows - 1
            blocks[row].append((token, t * h * w // MERGED))
    ids = ids.clone()
    for row, (mine, length) in enumerate(zip(blocks, s.lengths)):
        at = 0
        for token, count in sorted(mine, reverse=row % 2 == 1):
            ids[row, at + 2 : at + 2 + count] = token
            at += 2 + count
        if at + 2 > length:
            raise SettingsError(f"--lengths: sequence {row} has {length} tokens, its images and videos need {at + 2}")
    return ids


def is_text(ids: torch.Tensor) -> torch.Tensor:
    return (ids != IMAGE) & (ids != VIDEO)
