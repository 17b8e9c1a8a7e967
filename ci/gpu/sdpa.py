#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Times PyTorch's causal attention at M3's shapes on a GPU: as a graph, with cold caches, medians of medians.

usage: ci/gpu/sdpa.py OUT.json [--rehearse]         --rehearse: on the host, at one small shape, without graphs"""
import json
import statistics
import sys
import time

import torch

HEADS, KEY_HEADS, WIDTH = 64, 4, 128
PREFILL, DECODE = (2048, 4096, 8192, 16384, 32768), (2048, 8192, 16384, 32768, 131072)
ROUNDS, REPLAYS, FLUSHED = 5, 10, 256 << 20  # bytes: more than any cache


def attention(queries: int, slots: int, device: str):
    """One call; in decode the heads of a group are its queries, which is PyTorch's fastest way."""
    kind = torch.bfloat16
    torch.manual_seed(1)
    keys, values = (torch.randn(1, KEY_HEADS, slots, WIDTH, device=device, dtype=kind) for _ in range(2))
    if queries == 1:
        rows = torch.randn(1, KEY_HEADS, HEADS // KEY_HEADS, WIDTH, device=device, dtype=kind)
        return lambda: torch.nn.functional.scaled_dot_product_attention(rows, keys, values)
    rows = torch.randn(1, HEADS, queries, WIDTH, device=device, dtype=kind)
    return lambda: torch.nn.functional.scaled_dot_product_attention(rows, keys, values, is_causal=True, enable_gqa=True)


def as_graph(call):
    """The call's launches as one, warmed up on another stream as torch.cuda.graph asks for."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()

    def replay(operands_live=call) -> None:  # the graph reads tensors that only the call holds
        graph.replay()
    return replay


def seconds_on_gpu(replay, other: torch.Tensor) -> float:
    """The host runs ahead while the flush is busy: no launch is waited for between the two events."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    times = []
    for _ in range(REPLAYS):
        other.zero_()
        begin.record()
        replay()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1e-3)
    return statistics.median(times)


def seconds_on_host(call) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def measure(rehearsal: bool) -> list[dict]:
    shapes = [("prefill", n, n) for n in PREFILL] + [("decode", 1, n) for n in DECODE]
    if rehearsal:
        call = attention(64, 64, "cpu")
        return [{"phase": "prefill", "context": 64, "seconds": [seconds_on_host(call) for _ in range(ROUNDS)]}]
    other = torch.empty(FLUSHED, dtype=torch.uint8, device="cuda")
    replays = [(phase, slots, as_graph(attention(queries, slots, "cuda"))) for phase, queries, slots in shapes]
    rows = [{"phase": phase, "context": slots, "seconds": []} for phase, slots, _ in replays]
    for turn in range(ROUNDS):  # A-B-B-A: drift of clocks affects all shapes alike
        order = range(len(replays)) if turn % 2 == 0 else range(len(replays) - 1, -1, -1)
        for at in order:
            rows[at]["seconds"].append(seconds_on_gpu(replays[at][2], other))
    return rows


def main(arguments: list[str]) -> int:
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    rehearsal = "--rehearse" in arguments
    document = {"torch": torch.__version__, "device": "host" if rehearsal else torch.cuda.get_device_name(),
                "rows": measure(rehearsal)}
    with open(arguments[0], "w", encoding="utf-8") as file:
        file.write(json.dumps(document, indent=2) + "\n")
    print(f"PASS  {len(document['rows'])} shapes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
