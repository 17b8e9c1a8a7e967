# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Records the processors of MiniMax-M3 from the unmodified package: size rule, images, videos, prompts (golden-format.md, 8).

  python golden/capture/capture_processor.py --out golden/processors/m3-processor

Needs transformers 5.12.0 or later with torch 2.11.0, torchvision 0.26.0 and pillow. The same seed gives the same bytes."""

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
from tokenizers import Regex, Tokenizer, models, pre_tokenizers
from transformers.models.minimax_m3_vl import image_processing_minimax_m3_vl as images
from transformers.models.minimax_m3_vl import processing_minimax_m3_vl as processing
from transformers.models.minimax_m3_vl import video_processing_minimax_m3_vl as videos
from transformers.video_utils import VideoMetadata

import processor_tables
from h5golden import group
from processor_file import File

P = processing.MiniMaxM3VLProcessor
SPECIAL = (P.IMAGE_TOKEN, P.VIDEO_TOKEN, P.VISION_START_TOKEN, P.VISION_END_TOKEN)
IMAGES = ((42, 70, 0), (1, 90, 0), (120, 90, 3136), (56, 56, 0))  # h, w, max_pixels (0: default)
LEAST = 3136  # pixels; the limit of drawn images
VIDEOS = ((3, 28, 28, False), (2, 40, 61, True), (9, 28, 28, False))  # frames, h, w, do_resize; long ones up to their grid
PROMPTS = (  # text, image sizes, video sizes, metadata (fps, indices) of every video
    ("Hi ]<]image[>[ and ]<]image[>[!", ((42, 70), (84, 56)), (), ()),
    ("V ]<]video[>[?", (), ((5, 56, 84),), ((3.0, (0, 1, 2, 3, 4)),)),
    ("two ]<]video[>[]<]video[>[\n\n~", (), ((4, 28, 56), (1, 28, 28)), ((20.0, (1, 3, 3, 4)), (8.0, (1,)))),
    ("none ]<]video[>[", (), ((3, 28, 28),), ()),
    ("mixed ]<]video[>[ ]<]image[>[ \u00e9<unk> ]<] \u20ac", ((20, 31),), ((2, 28, 28),), ((29.97, (5, 10)),)),
    ("long ]<]video[>[.", (), ((11, 28, 28),), ((2.0, tuple(range(11))),)),
    ("only text, 1 ]<]start of image[>[", (), (), ()),
)


def tokenizer_file(path: pathlib.Path) -> None:
    vocabulary = {"<unk>": 0} | {chr(c): c - 31 for c in range(32, 127)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    tokenizer.add_special_tokens(["<unk>", *SPECIAL])
    tokenizer.save(str(path))


def pixels(draw, shape) -> np.ndarray:
    """An image with another gradient in every line, and black and white dots that make kernels overshoot."""
    noise = draw.integers(0, 256, shape)
    gradient = np.linspace(0, 255, shape[-1]).astype(int)
    start = draw.integers(0, 256, shape[:-1])[..., None]
    return np.where(noise % 29 == 0, (noise > 127) * 255, (start + gradient) % 256).astype("u1")


def media(out: File, draw, which: str, component: str, shape, axes: str, process, attributes: dict, values=True) -> None:
    raw = pixels(draw, shape)
    if not values:
        raw = np.broadcast_to(raw[:1], shape).copy()  # grey, so that the file stays small
    kept = []
    resized, result = process(raw, kept)
    out.write(which + "in", raw, axes + "H,W", "input", component, **attributes)
    out.write(which + "resized", resized, axes + "H,W", "output", component)
    if values:
        out.write(which + "pixel_values", result[0].numpy(), "P,F", "output", component)
    out.write(which + "grid_thw", result[1].numpy(), "G,3", "output", component)


def keep_resized(processor, kept: list) -> None:
    plain = processor.rescale_and_normalize

    def keeping(stacked, *args, **kwargs):
        kept.append(stacked.clone())
        return plain(stacked, *args, **kwargs)
    processor.rescale_and_normalize = keeping


def process_image(most: int):
    def process(raw, kept):
        processor = images.MiniMaxM3VLImageProcessor(**({"max_pixels": most} if most else {}))
        keep_resized(processor, kept)
        made = processor(torch.from_numpy(raw), return_tensors="pt")
        return kept[0][0].numpy(), (made["pixel_values"], made["image_grid_thw"])
    return process


def drawn_images(count: int, draw: random.Random) -> list[tuple[int, int, int]]:
    """Images with small results, every third with an extreme ratio; recorded up to their resized pixels."""
    made = []
    while len(made) < count:
        ratio = 2 ** draw.uniform(-6, 6) if len(made) % 3 == 0 else 2 ** draw.uniform(-1, 1)
        area = 2 ** draw.uniform(8, 14)
        h, w = max(1, round((area * ratio) ** 0.5)), max(1, round((area / ratio) ** 0.5))
        if max(h, w) / min(h, w) <= 200 and 0 not in images.smart_resize(h, w, 28, LEAST, LEAST):
            made.append((h, w, LEAST))
    return made


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
    seen, chunks = [], []
    replace = processor.replace_video_token

    def keeping(inputs, **kwargs):
        chunks[:] = inputs.get("num_chunks_per_video", [])  # from 5.23.0 on
        return replace(inputs, **kwargs)
    processor.replace_video_token = keeping
    tokenize = processor.tokenizer.__class__.__call__
    processor.tokenizer.__class__.__call__ = lambda self, t, *a, **k: (seen.append(t), tokenize(self, t, *a, **k))[1]
    made = processor(text=[text], return_mm_token_type_ids=True, **kwargs)
    processor.tokenizer.__class__.__call__ = tokenize
    del processor.replace_video_token
    out.text(at + "text", text, "", "input")
    out.text(at + "expanded", seen[-1][0], "", "output")
    out.write(at + "input_ids", np.array(made["input_ids"][0], "i8"), "S", "output", "prompt_expansion")
    out.write(at + "mm_token_type_ids", np.array(made["mm_token_type_ids"][0], "i8"), "S", "output", "prompt_expansion")
    for kind, sizes in (("image", image_sizes), ("video", video_sizes)):
        if sizes:
            axes = f"M,{len(sizes[0])}"
            out.write(f"{at}{kind}_sizes", np.array(sizes, "i8"), axes, "input", "prompt_expansion")
            out.write(f"{at}{kind}_grid_thw", np.array(made[f"{kind}_grid_thw"].tolist(), "i8"), "M,3", "output", "prompt_expansion")
    if chunks:
        out.write(at + "num_chunks_per_video", np.array(chunks, "i8"), "M", "output", "prompt_expansion")
    for i, (fps, indices) in enumerate(metadata):
        out.write(f"{at}video_{i}_fps", np.array(fps, "f8"), "", "input", "prompt_expansion")
        out.write(f"{at}video_{i}_frames_indices", np.array(indices, "i8"), "T", "input", "prompt_expansion")


def plain(value):
    """Converts sizes to JSON objects, and all other values that JSON does not have to text."""
    return {k: v for k, v in dict(value).items() if v is not None} if hasattr(value, "keys") else str(value)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--drawn", type=int, default=22, help="images of drawn sizes; 0: few pixels at all")
    args = parser.parse_args()
    checkpoint = args.out / "checkpoint"
    checkpoint.mkdir(parents=True, exist_ok=True)
    tokenizer_file(checkpoint / "tokenizer.json")
    image, video = images.MiniMaxM3VLImageProcessor(), videos.MiniMaxM3VLVideoProcessor()
    config = json.dumps({"image_processor": image.to_dict(), "video_processor": video.to_dict()}, indent=1, default=plain)
    (checkpoint / "config.json").write_text(config + "\n")
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(checkpoint / "tokenizer.json"), unk_token="<unk>")
    processor = P(image_processor=image, tokenizer=tokenizer, video_processor=video)
    out = File(args.out / "activations.h5")
    out.file.create_dataset("config", data=config, dtype=h5py.string_dtype())
    processor_tables.size_rule(out, random.Random(args.seed))
    processor_tables.grids(out, processor, random.Random(args.seed + 1))
    processor_tables.sampling(out, random.Random(args.seed + 2))
    draw = np.random.default_rng(args.seed)
    few = args.drawn == 0
    first = IMAGES[:1] if few else IMAGES
    for i, (h, w, most) in enumerate([*first, *drawn_images(args.drawn, random.Random(args.seed + 3))]):
        media(out, draw, f"processor/images/{i:02d}/", "image_processor", (3, h, w), "C,", process_image(most),
              {"max_pixels": most or 451584}, values=i < 3 and not few)
    for i, (f, h, w, resize) in enumerate(VIDEOS[-1:] if few else VIDEOS):
        media(out, draw, f"processor/videos/{i:02d}/", "video_processor", (f, 3, h, w), "T,C,", process_video(resize),
              {"do_resize": int(resize)}, values=f == 3)
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
