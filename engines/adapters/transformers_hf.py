# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""transformers of any release, as an engine: eager, sdpa or flex attention, any expert implementation.

options: attention=eager|sdpa|flex_attention   experts=eager|batched_mm|grouped_mm
Taps are read by golden/capture's recorder."""

from __future__ import annotations

import inspect
import pathlib
import re
import sys

import capture as captures
from registry import Bug, Engine, Note, Run

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "golden/capture"))

TEXT01 = ("*/router/scores", "*/v_masked/out", "*/experts/slot_*")  # what later releases have no variable for
ROPE = ("*/rope/*",)  # tables of another width: what they rotate shows it
OPTIONS = {"attention": ("eager", "sdpa", "flex_attention"), "experts": ("eager", "batched_mm", "grouped_mm")}
SYSTEMS = {"minimax_m3_vl": "m3", "minimax_m2": "m2", "minimax_text_01": "text01"}


def settings(capture, options: dict):
    """What golden/capture needs to know of a golden to load and record its model."""
    from settings import Settings

    text = capture.config.get("text_config", capture.config)
    root = {name: captures.text(value) for name, value in capture.file.attrs.items()}
    model = SYSTEMS[root["system"]]
    sparse = text.get("sparse_attention_config", {}).get("sparse_attention_freq") or [0] * text["num_hidden_layers"]
    kinds = text.get("layer_types") or []
    return Settings(
        model=model, dtype=capture.dtype, attention=options.get("attention", "eager"), layers=text["num_hidden_layers"],
        attn=tuple(int(kind == "linear_attention") for kind in kinds) if model == "text01" else tuple(sparse),
        vision_hidden=int(any(call.media for call in capture.calls())), aux="aux_loss" in capture.file["steps/000"],
        index_heads=text.get("sparse_attention_config", {}).get("sparse_num_index_heads", 1),
        text_only=root.get("model_class") == "MiniMaxM3VLForCausalLM")


def steps_of(capture) -> list:
    import torch
    from calls import Step

    steps = []
    for call in capture.calls():
        media = {}
        for kind, pixels, grid in (("image", "pixel_values", "image_grid_thw"),
                                   ("video", "pixel_values_videos", "video_grid_thw")):
            if f"vision/{kind}/grid_thw" in call.media:
                media |= {pixels: torch.tensor(call.media[f"vision/{kind}/pixel_values"]),
                          grid: torch.tensor(call.media[f"vision/{kind}/grid_thw"])}
        steps.append(Step(call.kind, {name: torch.tensor(value) for name, value in call.tokens.items()}, media))
    return steps


def recorder_class(s, text):
    """Text-01 has the expert blocks of the other models from 5.0 on."""
    from recorder import Recorder
    from text01_recorder import Text01Recorder

    if s.model != "text01":
        return Recorder
    if hasattr(text.layers[0], "block_sparse_moe"):
        return Text01Recorder

    class Later(Text01Recorder):
        def _layer(self, layer, prefix):
            layer.block_sparse_moe = layer.mlp
            super()._layer(layer, prefix)
            del layer.block_sparse_moe

        def _moe(self, moe, prefix):
            self._router(moe.gate, prefix + "router/")
            self._out(moe, prefix + "out")

        def _router(self, router, prefix):
            raw = "router_probs" in inspect.getsource(type(router).forward)  # up to 5.5 the first result was softmaxed

            def done(result):
                for name, value in zip(("logits" if raw else "scores", "weights", "indices"), result):
                    self.put(prefix + name, value)

            self._on_out(router, done)

    return Later


def fill(capture, checkpoint: pathlib.Path, options: dict) -> None:
    import torch
    import transformers
    from calls import record
    from models import load
    from safetensors.torch import load_file

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    s, steps = settings(capture, options), steps_of(capture)
    model, text, modeling = load(s, str(checkpoint), load_file(checkpoint / "model.safetensors"))
    if "experts" in options:
        model.set_experts_implementation(options["experts"])
    record(model, text, modeling, steps, s, recorder_class(s, text))
    if s.model == "text01":
        import text01

        for tap, table in text01.tables(text, s).items():
            capture.put("tables/" + tap, table.float().numpy())
    for call, step in zip(capture.calls(), steps):
        for tap, value in step.taps.items():
            kind = re.sub("loat|nt", "", str(value.dtype).removeprefix("torch."))  # bfloat16: bf16, int64: i64
            values = value.float() if value.dtype == torch.bfloat16 else value
            if "/indexer/block_" in tap and value.dim() == 3:  # up to 5.12.1 one list, which every head follows
                values = values[:, None].expand(-1, s.index_heads, -1, -1)
            capture.put(call.prefix + tap, values.numpy(), kind)


ENGINE = Engine(
    name="transformers", pip=("transformers=={version}",), torch=True, options=OPTIONS,
    runs=(
        *(Run("5.23.0", golden, (f"attention={attention}",))
          for golden in ("m3-even-f32", "m3-even-bf16", "m2-even-bf16") for attention in ("eager", "sdpa")),
        Run("5.23.0", "m2-even-bf16", ("attention=flex_attention",)),
        Run("5.18.0", "m3-even-f32", ("attention=sdpa",)),
        *(Run("5.23.0", "text01-f32", (f"attention={attention}",), without=TEXT01) for attention in ("eager", "sdpa")),
        *(Run(release, "text01-f32", ("attention=eager",), without=TEXT01) for release in ("5.13.1", "5.18.0")),
    ),
    notes=(
        Note("lightning_split", "queries, keys and values of padding tokens are set to zero; the oracle sets only "
             "values to zero. Other tokens are right", "transformers/models/minimax/modeling_minimax.py:187 (5.23.0)",
             version=("5.18.0", "5.23.0"), goldens=("text01-f32",)),
    ),
    remarks=(
        "transformers 5.23.0 refuses flex attention for MiniMax-M3.",
        "transformers 5.13.1 and 5.23.0 do not mask padding in calls of Text-01 that continue a cache, if layer 0 is "
        "a linear-attention layer. The mask has the length of layer 0's key cache, which is always empty in such a "
        "layer (`transformers/masking_utils.py:886` of 5.23.0). No result in the tables shows this defect, because "
        "the golden `text01-f32` was recorded with transformers 4.56.2, which does not mask this padding either.",
    ),
    bugs=(
        Bug("M3 scores and selects key blocks once for all heads, not once per key head", "index_block_scores",
            "permuted", Run("5.12.1", "m3-even-f32"), Run("5.13.1", "m3-even-f32")),
        Bug("Text-01's auxiliary loss applies a softmax to probabilities", "router_aux_loss", "",
            Run("5.5.0", "text01-f32", without=(*TEXT01, "*/router/logits")),
            Run("5.9.0", "text01-f32", without=TEXT01)),
        Bug("M3's vision tower rotates by height and width, but not by time", "vision_rope", "hf-5.17.0",
            Run("5.17.0", "m3-vl-time-f32", without=ROPE), Run("5.18.0", "m3-vl-time-f32", without=ROPE)),
        Bug("the multimodal M3's loss lacks the router's auxiliary loss", "cross_entropy", "loss-without-aux",
            Run("5.17.0", "m3-vl-f32", without=ROPE), Run("5.18.0", "m3-vl-f32", without=ROPE)),
        Bug("patches of an image attend to the other images of the call", "vision_attention",
            "vision_attention-whole-call", Run("5.22.0", "m3-vl-f32"), Run("5.23.0", "m3-vl-f32")),
        Bug("M2 ignores rotary_dim and rotates whole heads", "partial_rope", "hf-5.1.0",
            Run("5.17.0", "m2-ranks-f32", without=ROPE), Run("5.18.0", "m2-ranks-f32", without=ROPE),
            "https://github.com/huggingface/transformers/issues/48241"),
    ),
)

if __name__ == "__main__":
    given = captures.arguments(__doc__, ENGINE.options)
    with captures.Capture(given.capture, "transformers") as opened:
        fill(opened, given.checkpoint, given.options)
