# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""llama.cpp's MiniMax-M3 and -M2 on a CPU, as the source distribution of llama-cpp-python contains it.

Its own converter turns the golden's checkpoint into a GGUF file; llama_cpp_dump.cpp, linked to the unmodified library,
runs the calls and writes the nodes of the graphs; ggml_taps.py says which node is which tap. Two things are not as
shipped: a golden has no tokenizer, so the file gets none; and observed nodes are computed one by one (same logits).

options: attention=plain|flash; cache=f32|f16; weights=f32|f16|q8_0 (f32 if not given)"""

from __future__ import annotations

import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

import capture as captures
import ggml_taps
from registry import Engine, Note, Run

TYPES = {"f32": "<f4", "f16": "<f2", "i32": "<i4"}
UNSEEN = -3.4e38  # ggml's maximum starts at -FLT_MAX: the score of a block without a visible key
LLAMA = "vendor/llama.cpp/"  # in the source distribution
CPU = LLAMA + "ggml/src/ggml-cpu/"
EXPERT = re.compile(r"experts\.(\d+)\.(w\d)")


def convert(source: pathlib.Path, checkpoint: pathlib.Path, target: pathlib.Path, kind: str) -> None:
    """The release's converter, in this process, for it is to write no tokenizer."""
    sys.path[:0] = [str(source), str(source / "gguf-py")]
    import convert_hf_to_gguf
    from conversion.base import TextModel

    def without_tokenizer(model):
        model.gguf_writer.add_tokenizer_model("none")
        model.gguf_writer.add_vocab_size(model.hparams["vocab_size"])

    TextModel.set_vocab = without_tokenizer
    sys.argv = ["convert_hf_to_gguf.py", str(checkpoint), "--outfile", str(target), "--outtype", kind]
    convert_hf_to_gguf.main()


def state_weights(capture, checkpoint: pathlib.Path, model: pathlib.Path) -> None:
    """Weights that the converter narrowed, as the engine reads them; the release's own table names them."""
    import gguf
    from safetensors import safe_open

    held = {tensor.name: tensor for tensor in gguf.GGUFReader(model).tensors}
    text = capture.config.get("text_config", capture.config)
    kind = gguf.MODEL_ARCH.MINIMAXM3 if "text_config" in capture.config else gguf.MODEL_ARCH.MINIMAXM2
    names = gguf.get_tensor_name_map(kind, text["num_hidden_layers"])
    with safe_open(checkpoint / "model.safetensors", "np") as published:
        for name in published.keys():
            expert = EXPERT.search(name)
            own = names.get_name(EXPERT.sub(r"experts.\2", name).removeprefix("language_model."), (".weight", ".bias"))
            tensor = held.get(own)
            if tensor is not None and tensor.tensor_type != gguf.GGMLQuantizationType.F32:
                values = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
                capture.own_weight(name, values[int(expert[1])] if expert else values)


def graphs_of(program: pathlib.Path, model: pathlib.Path, calls: list, options: dict, folder: pathlib.Path) -> list:
    """Runs the calls; the nodes of each call, whose values lie in FOLDER/values.bin."""
    lines = []
    for call in calls:
        ids, positions = call.tokens["input_ids"], call.tokens["position_ids"]
        lines.append(" ".join(map(str, [*ids.shape, *ids.flat, *positions.flat])))
    (folder / "calls.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    flash = {"flash": "on", "plain": "off"}[options["attention"]]
    done = subprocess.run([program, model, folder / "calls.txt", folder, options["cache"], flash], capture_output=True,
                          text=True, errors="replace")
    if done.returncode:
        raise SystemExit("llama.cpp failed:\n" + "\n".join(done.stderr.strip().splitlines()[-5:]))
    return ggml_taps.read_nodes((folder / "nodes.txt").read_text(encoding="utf-8"))


def values_of(node: ggml_taps.Node, blob: bytes):
    import numpy as np

    if node.offset < 0 or node.type not in TYPES:
        raise SystemExit(f"{node.name} has values of type {node.type}, which are not read here")
    return np.frombuffer(blob, TYPES[node.type], math.prod(node.shape), node.offset).reshape(node.shape)


def arranged(part: ggml_taps.Part, values: list, shape: tuple, tokens: int):
    """Values of the nodes of a part as the golden has the tap: `shape` are its extents, `tokens` those of the call."""
    import numpy as np

    batch, first = shape[0], values[0]
    if part.layout == "joined":
        return np.concatenate(values, -1)
    if part.layout == "heads":
        return first.reshape(batch, tokens, shape[1], shape[3]).transpose(0, 2, 1, 3)
    if part.layout == "cache":
        return first.reshape(batch, -1, shape[1], shape[3])[:, : shape[2]].transpose(0, 2, 1, 3)
    if part.layout == "transposed cache":
        return first.reshape(batch, shape[1], shape[3], -1)[..., : shape[2]].transpose(0, 1, 3, 2)
    if part.layout in ("blocks", "chosen"):
        by_head = [value.reshape(-1, tokens, shape[1], value.shape[-1]).transpose(0, 2, 1, 3) for value in values]
        if part.layout == "blocks":
            return np.concatenate(by_head)[..., : shape[3]]  # the cache has room for more blocks
        half = len(by_head) // 2
        ids, scores = np.concatenate(by_head[:half]), np.concatenate(by_head[half:])
        ids = np.where(np.take_along_axis(scores, ids, -1) > UNSEEN, ids, -1)
        ids = np.take_along_axis(ids, np.argsort(ids < 0, -1, kind="stable"), -1)
        return np.pad(ids, ((0, 0), (0, 0), (0, 0), (0, shape[3] - ids.shape[-1])), constant_values=-1)
    return first


def fill(capture, checkpoint: pathlib.Path, options: dict) -> None:
    import numpy as np

    built = pathlib.Path(sys.prefix) / "llama.cpp"  # by llama_cpp_build.py
    scale = capture.config.get("text_config", {}).get("routed_scaling_factor", 1.0)
    calls = capture.calls()
    if not all(call.tokens["attention_mask"].all() for call in calls):
        raise SystemExit("llama.cpp is run without padding here; take a golden whose sequences are equally long")
    capture.state(ids_order="set", nothing=str(UNSEEN))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        convert(built / "source", checkpoint, folder / "model.gguf", options.get("weights", "f32"))
        state_weights(capture, checkpoint, folder / "model.gguf")
        graphs = graphs_of(built / "llama_cpp_dump", folder / "model.gguf", calls, options, folder)
        blob = (folder / "values.bin").read_bytes()
    for call, graph in zip(calls, graphs, strict=True):
        for tap, part in ggml_taps.taps_of(graph).items():
            if "/cache/" in tap and calls[0].prefix + tap in capture.file:  # a golden records caches of some calls
                capture.add_cache(call, tap, calls[0])
            if call.prefix + tap not in capture.file:
                continue
            values = [values_of(node, blob) for node in part.nodes]
            shape = capture.file[call.prefix + tap].shape
            found = arranged(part, values, shape, call.tokens["input_ids"].shape[1])
            if part.layout == "scaled":  # by the scale, which the engine's weights of experts contain: a power of two
                found = found / np.float32(scale)
            capture.put(call.prefix + tap, found, "f16" if found.dtype == np.float16 else "")


def run_of(golden: str, attention: str, cache: str, *more: str) -> Run:
    dense = ("*/indexer/*", "*/cache/index_k") if golden.startswith("m3") and attention == "plain" else ()
    return Run("0.3.36", golden, (f"attention={attention}", f"cache={cache}", *more), without=dense)


ENGINE = Engine(
    name="llama.cpp", pip=("transformers==4.57.6", "pip"), torch=True, build="llama_cpp_build.py",
    without=("*/rope/*", "*/experts/slot_*", "*loss"),
    runs=tuple(run_of(golden, attention, cache) for golden in ("m3-even-f32", "m2-even-f32")
               for attention, cache in (("plain", "f32"), ("flash", "f32"), ("plain", "f16"), ("flash", "f16")))
    + (run_of("m3-even-f32", "flash", "f32", "weights=q8_0"), run_of("m2-even-f32", "plain", "f32", "weights=q8_0"),
       run_of("m2-even-f32", "plain", "f32", "weights=f16")),
    notes=(
        Note("attention_block_sparse", "without flash attention, sparse layers attend to every visible key; llama.cpp "
             "prints a warning", LLAMA + "src/models/minimax-m3.cpp:235", options=("attention=plain",)),
        Note("attention_dense", "keys and values are rounded to binary16; if a call has fewer than 64 tokens of a "
             "sequence, queries are rounded, too, and values are summed in binary16",
             LLAMA + "src/llama-graph.cpp:2653, " + CPU + "ops.cpp:9007", options=("attention=flash", "cache=f32")),
        *(Note(component, f"inputs of products are {how}", CPU + f"ggml-cpu.c:{line}", options=(f"weights={kind}",))
          for component in ("linear", "moe_experts")
          for kind, how, line in (("q8_0", "quantised to Q8_0, as the weights are", 275),
                                  ("f16", "rounded to binary16, as the weights are", 225))),
    ),
    remarks=(
        "Column names state releases of llama-cpp-python; 0.3.36 contains the sources of llama.cpp 0.5.0-dev. Plain "
        "attention is llama.cpp without flash attention. llama.cpp ran in one thread, without OpenMP, without "
        "instructions beyond AVX2, and without repacked weights.",
        "With Q8_0 or f16 weights, the capture contains the weights that llama.cpp reads, and `parity` judges each "
        "operation with these weights.",
        "With an f16 cache, plain attention also rounds queries and the results of softmax to binary16. Flash "
        "attention rounds as in the table of causes. The errors of one operation are within its tolerance, which "
        "allows for keys and values in binary16. Over several layers, the errors grow beyond the limits of an f32 "
        "model.",
    ),
)

if __name__ == "__main__":
    given = captures.arguments(__doc__)
    with captures.Capture(given.capture, "llama.cpp") as opened:
        fill(opened, given.checkpoint, given.options)
