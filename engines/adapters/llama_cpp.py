# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""llama.cpp's MiniMax-M3 and -M2 on a CPU, as the source distribution of llama-cpp-python contains it.

Its own converter turns the golden's checkpoint into a GGUF file; llama_cpp_dump.cpp, linked to the unmodified library,
runs the calls and writes the nodes of the graphs; ggml_taps.py says which node is which tap. Two things are not as
shipped: a golden has no tokenizer, so the file gets none; and observed nodes are computed one by one (same logits).

options: attention=plain|flash; cache=f32|f16; weights=f32|f16|q8_0 (f32 if not given)"""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tempfile

import capture as captures
import ggml_taps
import ggml_weights
import packages
from registry import Engine, Note, Run

PACKAGE = "llama-cpp-python"
VERSION = packages.version_of(PACKAGE)
LLAMA = "vendor/llama.cpp/"  # in the source distribution
CPU = LLAMA + "ggml/src/ggml-cpu/"


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
    with safe_open(checkpoint / "model.safetensors", "np") as file:
        published = list(file.keys())
    tensors = ggml_weights.tensors_of(published, held, lambda name: names.get_name(name, (".weight", ".bias")))
    for name, (own, expert) in tensors.items():
        tensor = held[own]
        if tensor.tensor_type != gguf.GGMLQuantizationType.F32:
            values = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
            capture.own_weight(name, values if expert is None else values[expert])


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
        last = "\n".join(done.stderr.strip().splitlines()[-5:])
        raise SystemExit(f"llama_cpp_dump ended with {done.returncode}:\n{last}")
    return ggml_taps.read_nodes((folder / "nodes.txt").read_text(encoding="utf-8"))


def fill(capture, checkpoint: pathlib.Path, options: dict) -> None:
    import numpy as np
    from ggml_layouts import UNSEEN, arranged, values_of

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
            found = arranged(part, values, shape, call.tokens["input_ids"].shape[1], scale)
            capture.put(call.prefix + tap, found, "f16" if found.dtype == np.float16 else "")


def run_of(golden: str, attention: str, cache: str, *more: str) -> Run:
    dense = ("*/indexer/*", "*/cache/index_k") if golden.startswith("m3") and attention == "plain" else ()
    return Run(VERSION, golden, (f"attention={attention}", f"cache={cache}", *more), without=dense)


ENGINE = Engine(
    name="llama.cpp", pip=("transformers==4.57.6", "pip"), torch=True, build="llama_cpp_build.py",
    options={"attention": ("plain", "flash"), "cache": ("f32", "f16"), "weights": ("f32", "f16", "q8_0")},
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
        f"Column names state releases of {PACKAGE}; {VERSION} contains the sources of llama.cpp 0.5.0-dev. Plain "
        "attention is llama.cpp without flash attention. llama.cpp ran in one thread, without OpenMP and without "
        "repacked weights. The build needs a CPU with AVX2, FMA, F16C and BMI2, and uses no later instructions.",
        "With Q8_0 or f16 weights, the capture contains the weights that llama.cpp reads, and `parity` judges each "
        "operation with these weights.",
        "With an f16 cache, plain attention also rounds queries and the results of softmax to binary16. Flash "
        "attention rounds as in the table of causes. The tables judge each operation alone, with a tolerance "
        "that allows for keys and values in binary16. Over several layers, the errors grow beyond the limits of an f32 "
        "model.",
    ),
)

if __name__ == "__main__":
    given = captures.arguments(__doc__, ENGINE.options)
    with captures.Capture(given.capture, "llama.cpp") as opened:
        fill(opened, given.checkpoint, given.options)
