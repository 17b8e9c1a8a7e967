# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Heads of MiniMax-Text-01 instead of the language model's: their classes, tensors, targets and taps."""

from __future__ import annotations

import torch

CLASSES = {"": "MiniMaxForCausalLM", "sequence": "MiniMaxForSequenceClassification",
           "token": "MiniMaxForTokenClassification", "question": "MiniMaxForQuestionAnswering"}
LOGITS = {"": "text/lm_head/out", "sequence": "text/pooled/out", "token": "text/score/out",
          "question": "text/qa_outputs/out"}  # the taps that equal the package's output
PAD, IGNORED = 0, -100


def config(s) -> dict:
    """The keys of config.json for the head."""
    if not s.head:
        return {}
    names = {str(i): f"LABEL_{i}" for i in range(s.labels)}
    problem = {"problem_type": s.problem} if s.problem else {}
    return {"architectures": [CLASSES[s.head]], "pad_token_id": PAD, "id2label": names,
            "label2id": {name: int(i) for i, name in names.items()}} | problem


def shapes(s) -> dict[str, tuple[int, ...]]:
    if s.head == "question":
        return {"qa_outputs.weight": (2, s.hidden), "qa_outputs.bias": (2,)}
    bias = {"score.bias": (s.labels,)} if s.head == "token" else {}
    return {"score.weight": (s.labels, s.hidden)} | bias if s.head else {"lm_head.weight": (s.vocab, s.hidden)}


def targets(s, tokens: dict) -> dict:
    """The prefill's tokens with the targets of the head."""
    ids, mask = tokens["input_ids"].clone(), tokens["attention_mask"]
    rows, longest = ids.shape
    tokens = {name: value for name, value in tokens.items() if name != "labels"}
    if s.head == "sequence":
        ids[0, 2] = PAD  # padding inside a sequence does not end it
        labels = numbers(s, rows) if s.numbers else torch.arange(rows) % s.labels
        return tokens | {"input_ids": ids, "labels": labels}
    if s.head == "token":
        labels = torch.where((ids + torch.arange(longest)) % 5 == 0, IGNORED, ids % s.labels)
        return tokens | {"labels": torch.where(mask == 0, IGNORED, labels)}
    start = torch.arange(rows) % longest
    end = torch.tensor([min(3 * row + 2, longest - 1) for row in range(rows)])
    start[0], end[-1] = -1, longest + 2  # becomes the first position; is ignored
    return tokens | {"start_positions": start, "end_positions": end}


def numbers(s, rows: int) -> torch.Tensor:
    """[B] of any size for one label, [B,L] of 0, 1 and shares for several; in the model's type."""
    kind = {"bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64}[s.dtype]
    if s.labels == 1:
        return (torch.arange(rows) * 0.7 - 1.1).to(kind)
    return (torch.arange(rows * s.labels).reshape(rows, s.labels) * 3 % 5 / 4).clamp(0, 1).to(kind)


def hook(recorder, model) -> None:
    """Hooks for the head of any of the classes."""
    for name in ("lm_head", "score", "qa_outputs"):
        if hasattr(model, name):
            recorder._out(getattr(model, name), f"text/{name}/out")

    def bound(name, count, values):
        if torch.is_tensor(values[name]):  # without a pad token, the position is the number -1
            recorder.put({"pooled_logits": "text/pooled/out", "last_non_pad_token": "text/pooled/position"}[name],
                         values[name])

    if type(model).__name__ == CLASSES["sequence"]:
        recorder.tracer.watch(model, "forward", ("last_non_pad_token", "pooled_logits"), bound)


def logits(output) -> torch.Tensor:
    start = getattr(output, "start_logits", None)
    return output.logits if start is None else torch.stack([start, output.end_logits], dim=-1)
