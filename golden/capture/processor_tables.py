# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Tables of a processors' recording that need no pixels: the size rule, grids and tokens of many sizes, sampled frames."""

from __future__ import annotations

import random

import numpy as np
import torch
from transformers.models.minimax_m3_vl import image_processing_minimax_m3_vl as images
from transformers.models.minimax_m3_vl import video_processing_minimax_m3_vl as videos
from transformers.video_utils import VideoMetadata

SIZES = 640
GRIDS = (  # kind, sizes, resized, max_pixels (0: default)
    ("image", 420, True, 0), ("image", 140, True, 50176), ("video", 100, True, 20000), ("video", 12, True, 0), ("video", 40, False, 0))
EDGES = ((1, 1), (1, 200), (200, 1), (1, 201), (27, 5401), (27, 5400), (14, 14), (13, 2600), (2800, 14), (28, 28), (56, 56), (55, 57),
         (672, 672), (673, 671), (686, 686), (42, 70), (70, 98), (126, 42), (28, 4480), (8, 1500), (4000, 21), (3000, 3000))


def size_rule(out: File, draw: random.Random) -> None:
    limits = ((3136, 451584), (3136, 602112), (3136, 20000), (3136, 50176), (100352, 451584))
    rows = [(h, w, 28, 3136, 451584) for h in (14, 42, 70, 98, 126) for w in (28, 42, 70, 98, 126)]
    rows += [(10, 2001, 28, 3136, 451584), (1, 201, 28, 3136, 451584), (1, 200, 28, 3136, 451584), (28, 5000, 28, 3136, 50176)]
    while len(rows) < SIZES:
        h = int(2 ** draw.uniform(0, 13))
        rows.append((h, max(1, int(h * 2 ** draw.uniform(-8, 8))), draw.choice((28, 28, 28, 32, 14)), *draw.choice(limits)))
    made, errors = [], []
    for h, w, factor, least, most in rows:
        try:
            made.append(images.smart_resize(h, w, factor, least, most))
            errors.append(0)
        except ValueError:
            made.append((-1, -1))
            errors.append(1)
    at = "processor/smart_resize/"
    out.write(at + "in", np.array(rows, "i8"), "N,5", "input", "image_processor")
    out.write(at + "out", np.array(made, "i8"), "N,2", "output", "image_processor")
    out.write(at + "error", np.array(errors, "u1"), "N", "output", "image_processor", kind="bool")


def draw_sizes(kind: str, count: int, resize: bool, draw: random.Random) -> list[tuple[int, ...]]:
    """Scales and ratios drawn on a logarithmic scale; videos of one to eleven frames, whole patches where they are not resized."""
    sizes = list(EDGES[:count // 5])
    most = 11.5 if kind == "image" else 8.5
    while len(sizes) < count:
        h = int(2 ** draw.uniform(2, most))
        sizes.append((h, min(4096, max(1, int(h * 2 ** draw.choice((draw.uniform(-1, 1), draw.uniform(-7.7, 7.7))))))))
    if kind == "image":
        return sizes
    if not resize:
        sizes = [(28 * draw.randint(1, 6), 28 * draw.randint(1, 6)) for _ in sizes]
    return [(draw.randint(1, 11), *size) for size in sizes]


def one_grid(processor, kind: str, size, resize: bool, most: int):
    """Rows of the grid and placeholders of a medium of this size, from a run of the whole processor on black pixels."""
    limit = {"max_pixels": most} if most else {}
    if kind == "image":
        made = images.MiniMaxM3VLImageProcessor(**limit)(torch.zeros((3, *size), dtype=torch.uint8), return_tensors="pt")
        return made["image_grid_thw"].tolist(), processor.replace_image_token(made, 0).count(processor.IMAGE_TOKEN)
    video = torch.zeros((size[0], 3, *size[1:]), dtype=torch.uint8)
    made = videos.MiniMaxM3VLVideoProcessor(**limit)([video], do_resize=resize, return_tensors="pt")
    return made["video_grid_thw"].tolist(), processor.replace_video_token(made, 0).count(processor.VIDEO_TOKEN)


def grids(out, processor, draw: random.Random) -> None:
    for i, (kind, count, resize, most) in enumerate(GRIDS):
        sizes = draw_sizes(kind, count, resize, draw)
        rows, tokens, errors = [], [], []
        for size in sizes:
            try:
                made, placeholders = one_grid(processor, kind, size, resize, most)
                error = 0
            except (ValueError, RuntimeError):  # the size rule; a resize to nothing
                made, placeholders, error = [[-1, -1, -1]], -1, 1
            rows += made
            tokens.append(placeholders)
            errors.append(error)
        at, component = f"processor/grids/{i:02d}/", f"{kind}_processor"
        out.write(at + "sizes", np.array(sizes, "i8"), f"M,{len(sizes[0])}", "input", component, do_resize=int(resize), max_pixels=most)
        out.write(at + "grid_thw", np.array(rows, "i8"), "G,3", "output", component)
        out.write(at + "tokens", np.array(tokens, "i8"), "M", "output", component)
        out.write(at + "error", np.array(errors, "u1"), "M", "output", component, kind="bool")


SAMPLED = [  # frames, count (0: by rates), rate of the source, wanted rate
    (300, 0, 30.0, 1.0), (300, 0, 29.97, 2.0), (17, 0, 24.0, 1.0), (7, 0, 25.0, 1.0), (90, 0, 30.0, 60.0), (64, 64, 0.0, 0.0), (5, 6, 0.0, 0.0),
    (1, 1, 0.0, 0.0), (300, 7, 0.0, 0.0), (299, 100, 0.0, 0.0)]


def sampling(out, draw: random.Random) -> None:
    """Frames by rates and by count; the class's own function, so its rate of 1.0 does not refuse a count."""
    cases = list(SAMPLED)
    while len(cases) < 200:
        total = int(2 ** draw.uniform(1, 8.4))
        rates = (draw.choice((24.0, 25.0, 29.97, 30.0, 59.94)), draw.choice((0.5, 1.0, 2.0, 4.0)))
        cases.append((total, draw.randint(1, total), 0.0, 0.0) if draw.random() < 0.6 else (total, 0, *rates))
    processor, made, errors = videos.MiniMaxM3VLVideoProcessor(), [], []
    for total, count, source, wanted in cases:
        metadata = VideoMetadata(total_num_frames=total, fps=source or 30.0)
        try:
            chosen = {"num_frames": count} if count else {"fps": wanted}
            made.append([int(x) for x in processor.sample_frames(metadata, **chosen)])
            errors.append(0)
        except (ValueError, ZeroDivisionError):
            made.append([])
            errors.append(1)
    indices = np.full((len(made), max(map(len, made))), -1, "i8")
    for row, values in zip(indices, made):
        row[:len(values)] = values
    at, component = "processor/sampling/", "video_processor"
    out.write(at + "frames", np.array([c[:2] for c in cases], "i8"), "N,2", "input", component)
    out.write(at + "rates", np.array([c[2:] for c in cases], "f8"), "N,2", "input", component)
    out.write(at + "indices", indices, "N,T", "output", component)
    out.write(at + "error", np.array(errors, "u1"), "N", "output", component, kind="bool")
