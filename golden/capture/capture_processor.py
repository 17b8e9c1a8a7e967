# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Records the processors of MiniMax-M3 from the unmodified package: size rule, images, videos, prompts (golden-format.md, 8).

  python golden/capture/capture_processor.py --out golden/processors/m3-processor

Needs transformers 5.12.0 with torch 2.11.0, torchvision 0.26.0 and pillow. The same seed gives the same bytes."""

from __future__ import annotations

import argparse
import json
import pathlib
import random

import h5py
import numpy as np
import torch
import torchvision
import transformers
from h5py import h5d, h5p, h5s, h5t
from tokenizers import Regex, Tokenizer, models, pre_tokenizers
from transformers.models.minimax_m3_vl import image_processing_minimax_m3_vl as images
from transformers.models.minimax_m3_vl import processing_minimax_m3_vl as processing
from transformers.models.minimax_m3_vl import video_processing_minimax_m3_vl as videos
from transformers.video_utils import VideoMetadata

from h5golden import fixed_string, group, untimed

P = processing.MiniMaxM3VLProcessor
SPECIAL = (P.IMAGE_TOKEN, P.VIDEO_TOKEN, P.VISION_START_TOKEN, P.VISION_END_TOKEN)
TYPES = {np.dtype("u1"): ("u8", h5t.STD_U8LE), np.dtype("i8"): ("i64", h5t.STD_I64LE),
         np.dtype("f4"): ("f32", h5t.IEEE_F32LE), np.dtype("f8"): ("f64", h5t.IEEE_F64LE)}
SIZES, COMPRESS_FROM = 640, 512
IMAGES = ((42, 70, 0), (1, 90, 0), (120, 90, 6272), (56, 56, 0))  # h, w, max_pixels (0: default)
VIDEOS = ((3, 28, 28, False), (2, 40, 61, True))  # frames, h, w, do_resize
PROMPTS = (  # text, image sizes, video sizes, metadata (fps, indices) of every video
    ("Hi ]<]image[>[ and ]<]image[>[!", ((42, 70), (84, 56)), (), ()),
    ("V ]<]video[>[?", (), ((5, 56, 84),), ((3.0, (0, 1, 2, 3, 4)),)),
    ("two ]<]video[>[]<]video[>[\n\n~", (), ((4, 28, 56), (1, 28, 28)), ((20.0, (1, 3, 3, 4)), (8.0, (1,)))),
    ("none ]<]video[>[", (), ((3, 28, 28),), ()),
    ("mixed ]<]video[>[ ]<]image[>[ \u00e9<unk> ]<] \u20ac", ((20, 31),), ((2, 28, 28),), ((29.97, (5, 10)),)),
    ("only text, 1 ]<]start of image[>[", (), (), ()),
)


class File:
    def __init__(self, path: pathlib.Path):
        self.file, self.taps = h5py.File(path, "w", libver=("v110", "v110")), 0

    def write(self, name: str, values, axes: str, role: str, component: str, kind: str = "", **attributes) -> None:
        values = np.ascontiguousarray(values)
        dtype, stored = TYPES[values.dtype]
        plist = untimed(h5p.create(h5p.DATASET_CREATE))
        if values.nbytes > COMPRESS_FROM:
            plist.set_chunk(values.shape)
            plist.set_deflate(9)  # pixels repeat whole: shuffled they would compress worse
        folder, _, leaf = name.rpartition("/")
        space = h5s.create_simple(values.shape) if axes else h5s.create(h5s.SCALAR)
        dataset = h5d.create(group(self.file, folder).id, leaf.encode(), stored, space, plist)
        dataset.write(h5s.ALL, h5s.ALL, values, mtype=stored)
        self.describe(dataset, axes, kind or dtype, role, component, attributes)

    def text(self, name: str, value, axes: str, role: str) -> None:
        dataset = self.file.create_dataset(name, data=value, dtype=h5py.string_dtype(), track_times=False)
        self.describe(dataset.id, axes, "str", role, "prompt_expansion", {})

    def describe(self, dataset, axes, dtype, role, component, attributes) -> None:
        facts = {"axes": axes, "dtype": dtype, "role": role, "component": component}
        for key, value in sorted((facts | attributes).items()):
            fixed_string(dataset, key, str(value), "utf-8")
        self.taps += 1


def tokenizer_file(path: pathlib.Path) -> None:
    vocabulary = {"<unk>": 0} | {chr(c): c - 31 for c in range(32, 127)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    tokenizer.add_special_tokens(["<unk>", *SPECIAL])
    tokenizer.save(str(path))


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


def pixels(draw, shape) -> np.ndarray:
    """A gradient of its own in every line with black and white dots: kernels overshoot and are clamped."""
    noise = draw.integers(0, 256, shape)
    gradient = np.linspace(0, 255, shape[-1]).astype(int)
    start = draw.integers(0, 256, shape[:-1])[..., None]
    return np.where(noise % 29 == 0, (noise > 127) * 255, (start + gradient) % 256).astype("u1")


def media(out: File, draw, which: str, component: str, shape, axes: str, process, attributes: dict) -> None:
    raw = pixels(draw, shape)
    kept = []
    resized, result = process(raw, kept)
    out.write(which + "in", raw, axes + "H,W", "input", component, **attributes)
    out.write(which + "resized", resized, axes + "H,W", "output", component)
    out.write(which + "pixel_values", result[0].numpy(), "P,F", "output", component)
    out.write(which + "grid_thw", result[1].numpy(), "M,3", "output", component)


def keep_resized(processor, kept: list) -> None:
    plain = processor.rescale_and_normalize

    def keeping(stacked, *args, **kwargs):
        kept.append(stacked.clone())
        return plain(stacked, *args, **kwargs)
    processor.rescale_and_normalize = keeping


def process_image(most: int):
    def process(raw, kept):
        processor = images.MiniMaxM3VLImageProcessor()
        keep_resized(processor, kept)
        made = processor(torch.from_numpy(raw), return_tensors="pt", **({"max_pixels": most} if most else {}))
        return kept[0][0].numpy(), (made["pixel_values"], made["image_grid_thw"])
    return process


def process_video(resize: bool):
    def process(raw, kept):
        processor = videos.MiniMaxM3VLVideoProcessor()
        keep_resized(processor, kept)
        made = processor([torch.from_numpy(raw)], do_resize=resize, return_tensors="pt")
        return kept[0][0].numpy(), (made["pixel_values_videos"], made["video_grid_thw"])
    return process


def write_prompt(out: File, at: str, processor, prompt) -> None:
    text, image_sizes, video_sizes, metadata = prompt
    kwargs = {}
    if image_sizes:
        kwargs["images"] = [torch.zeros((3, *size), dtype=torch.uint8) for size in image_sizes]
    if video_sizes:
        kwargs["videos"] = [torch.zeros((f, 3, h, w), dtype=torch.uint8) for f, h, w in video_sizes]
    if metadata:
        kwargs["video_metadata"] = [VideoMetadata(total_num_frames=len(i), fps=fps, frames_indices=list(i))
                                    for fps, i in metadata]
    seen = []
    tokenize = processor.tokenizer.__class__.__call__
    processor.tokenizer.__class__.__call__ = lambda self, t, *a, **k: (seen.append(t), tokenize(self, t, *a, **k))[1]
    made = processor(text=[text], return_mm_token_type_ids=True, **kwargs)
    processor.tokenizer.__class__.__call__ = tokenize
    out.text(at + "text", text, "", "input")
    out.text(at + "expanded", seen[-1][0], "", "output")
    out.write(at + "input_ids", np.array(made["input_ids"][0], "i8"), "S", "output", "prompt_expansion")
    out.write(at + "mm_token_type_ids", np.array(made["mm_token_type_ids"][0], "i8"), "S", "output", "prompt_expansion")
    for kind, sizes in (("image", image_sizes), ("video", video_sizes)):
        if sizes:
            axes = f"M,{len(sizes[0])}"
            out.write(f"{at}{kind}_sizes", np.array(sizes, "i8"), axes, "input", "prompt_expansion")
            out.write(f"{at}{kind}_grid_thw", np.array(made[f"{kind}_grid_thw"].tolist(), "i8"), "M,3", "output", "prompt_expansion")
    for i, (fps, indices) in enumerate(metadata):
        out.write(f"{at}video_{i}_fps", np.array(fps, "f8"), "", "input", "prompt_expansion")
        out.write(f"{at}video_{i}_frames_indices", np.array(indices, "i8"), "T", "input", "prompt_expansion")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    checkpoint = args.out / "checkpoint"
    checkpoint.mkdir(parents=True, exist_ok=True)
    tokenizer_file(checkpoint / "tokenizer.json")
    image, video = images.MiniMaxM3VLImageProcessor(), videos.MiniMaxM3VLVideoProcessor()
    config = {"image_processor": image.to_dict(), "video_processor": video.to_dict()}
    (checkpoint / "config.json").write_text(json.dumps(config, indent=1, default=str) + "\n")
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(checkpoint / "tokenizer.json"), unk_token="<unk>")
    processor = P(image_processor=image, tokenizer=tokenizer, video_processor=video)
    out = File(args.out / "activations.h5")
    out.file.create_dataset("config", data=json.dumps(config, indent=1, default=str), dtype=h5py.string_dtype())
    size_rule(out, random.Random(args.seed))
    draw = np.random.default_rng(args.seed)
    for i, (h, w, most) in enumerate(IMAGES):
        media(out, draw, f"processor/images/{i:02d}/", "image_processor", (3, h, w), "C,", process_image(most),
              {"max_pixels": most or image.max_pixels})
    for i, (f, h, w, resize) in enumerate(VIDEOS):
        media(out, draw, f"processor/videos/{i:02d}/", "video_processor", (f, 3, h, w), "T,C,", process_video(resize),
              {"do_resize": int(resize)})
    for i, prompt in enumerate(PROMPTS):
        group(out.file, f"processor/prompts/{i:02d}")
        write_prompt(out, f"processor/prompts/{i:02d}/", processor, prompt)
    group(out.file, "processor/special_tokens")
    out.text("processor/special_tokens/text", list(SPECIAL), "N", "input")
    ids = np.array(tokenizer.convert_tokens_to_ids(list(SPECIAL)), "i8")
    out.write("processor/special_tokens/ids", ids, "N", "input", "prompt_expansion")
    version = transformers.__version__
    root = {"format": "parity-golden", "format_version": "1.0", "system": "minimax_m3_vl", "profile": f"hf-{version}",
            "oracle": f"transformers {version}", "torch": torch.__version__.split("+")[0], "attention": "none", "dtype": "f32",
            "image_backend": f"torchvision {torchvision.__version__.split('+')[0]}", "seed": args.seed, "taps": out.taps}
    for key, value in sorted(root.items()):
        out.file.attrs[key] = str(value)


if __name__ == "__main__":
    main()
