# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A golden must make every branch count: blocks dropped, clamps reached, routing decided by the bias, no ties.

`measure` works on the recorded taps, `problems` says which of them a reader could not learn anything from."""

from __future__ import annotations

import torch

from calls import Step
from settings import Settings


def set_of(scores: torch.Tensor, k: int) -> torch.Tensor:
    return torch.zeros_like(scores, dtype=torch.bool).scatter_(-1, scores.topk(k, dim=-1).indices, True)


def chosen(indices: torch.Tensor, width: int) -> torch.Tensor:
    """Boolean membership; -1 slots fall into a column that is cut off."""
    shape = (*indices.shape[:-1], width + 1)
    safe = torch.where(indices < 0, width, indices)
    return torch.zeros(shape, dtype=torch.bool).scatter_(-1, safe, True)[..., :width]


def block_choice(step: Step, prefix: str) -> dict:
    """Share of visible blocks dropped and of queries that drop any, over real tokens; ties at the cut over all."""
    scores, indices = step.taps[prefix + "block_scores"], step.taps[prefix + "block_indices"]
    kept, visible = chosen(indices, scores.shape[-1]), torch.isfinite(scores)
    queries = step.tokens["position_ids"].shape[1]
    real = step.tokens["attention_mask"][:, -queries:].bool()
    real = real if scores.dim() == 3 else real[:, None].expand(scores.shape[:-1])
    dropped = visible & ~kept
    best_lost = torch.where(dropped, scores, -torch.inf).amax(-1)
    local = kept & (scores < best_lost[..., None])  # blocks that are kept only because they are forced
    worst_kept = torch.where(kept & visible & ~local, scores, torch.inf).amin(-1)
    return {
        "dropped": (dropped & real[..., None]).sum().item() / max(1, (visible & real[..., None]).sum().item()),
        "dropping": (dropped.any(-1) & real).sum().item() / real.sum().item(),
        "forced": (local.any(-1) & real).sum().item() / real.sum().item(),
        "ties": (worst_kept == best_lost).sum().item(),
        "groups differ": (kept != kept[:, :1]).any(-1).any(1).float().mean().item() if scores.dim() == 4 else None,
    }


def expert_choice(step: Step, prefix: str, k: int) -> dict:
    scores, choice, indices = (step.taps[prefix + name] for name in ("scores", "choice", "indices"))
    queries = step.tokens["position_ids"].shape[1]
    real = step.tokens["attention_mask"][:, -queries:].reshape(-1).bool()
    changed = (set_of(scores, k) != chosen(indices, scores.shape[-1])).any(-1)
    ordered = choice.sort(dim=-1, descending=True).values
    weights = step.taps[prefix + "weights"]
    return {
        "by bias": changed[real].float().mean().item(),
        "spread": (weights.amax(-1) - weights.amin(-1))[real].mean().item(),
        "ties": (ordered[..., k - 1] == ordered[..., k]).sum().item(),
        "experts used": len(indices.unique()),
    }


def measure(steps: list[Step], clamps: dict, s: Settings) -> dict[str, dict]:
    """Converts a row of the table to values by name."""
    last, first = steps[-1], steps[-1 if s.skips else 0]
    keys, longest = last.tokens["attention_mask"].shape[1], first.tokens["attention_mask"].shape[1]
    rows = {"keys": {"key blocks": -(-longest // s.block), "in last block": longest % s.block, "at the end": keys}}
    for i in range(s.layers):
        prefix = f"text/layers/{i:02d}/"
        if s.attn[i]:
            rows[prefix + "indexer"] = block_choice(first, prefix + "attention/indexer/")
            rows[prefix + "indexer"]["ties"] += sum(
                block_choice(step, prefix + "attention/indexer/")["ties"] for step in steps[1:])
        if s.moe[i]:
            rows[prefix + "router"] = expert_choice(first, prefix + "moe/router/", s.top_k)
            rows[prefix + "router"]["ties"] += sum(
                expert_tie(step, prefix + "moe/router/choice", s.top_k) for step in steps[1:])
    for prefix, (count, gate, high, low) in clamps.items():
        rows[prefix.rstrip("/") + " clamp"] = {"gate": gate / count, "up": high / count, "-up": low / count}
    return rows


def expert_tie(step: Step, tap: str, k: int) -> int:
    ordered = step.taps[tap].sort(dim=-1, descending=True).values
    return (ordered[..., k - 1] == ordered[..., k]).sum().item()


def problems(rows: dict[str, dict], s: Settings) -> list[str]:
    found = []
    if s.images + s.videos and len({g[1:] for g in s.images + s.videos}) < 2:
        found.append("all images and videos have the same grid; change --images or --videos")
    blocks = rows["keys"]["key blocks"]
    if any(s.attn) and blocks < 17:
        found.append(f"the prefill has {blocks} key blocks, fewer than 17; give longer --lengths or a smaller --block")
    if any(s.attn) and rows["keys"]["in last block"] == 0:
        found.append("the last key block of the prefill is full, so no partial block is tested; change --lengths")
    if len(set(s.lengths)) == 1 and not s.even:
        found.append("all sequences have the same length, so padding is not tested; change --lengths, or give --even")
    limits = {"dropped": 0.2, "dropping": 0.4, "forced": 0.02, "groups differ": 0.2, "by bias": 0.2, "spread": 0.03,
              "gate": 1e-4, "up": 1e-4, "-up": 1e-4}
    for row, values in rows.items():
        for name, least in limits.items():
            if values.get(name) is not None and values[name] < least:
                found.append(f"{row}: '{name}' is {values[name]:.4f}, less than {least}; try another --seed")
        if values.get("ties"):
            found.append(f"{row}: {values['ties']} rows tie at the last chosen score, so the choice is arbitrary; "
                         "try another --seed")
        if "experts used" in values and values["experts used"] < 0.75 * s.experts:
            found.append(f"{row}: only {values['experts used']} of {s.experts} experts are used; try another --seed")
    return found


def table(rows: dict[str, dict]) -> str:
    lines = []
    for row, values in rows.items():
        cells = [f"{name} {value:.1%}" if isinstance(value, float) else f"{name} {value}"
                 for name, value in values.items() if value is not None]
        lines.append(f"  {row:<34}" + " · ".join(cells))
    return "\n".join(lines)
