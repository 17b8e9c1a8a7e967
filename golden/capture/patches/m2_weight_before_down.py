# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""MiniMax-M2: the routing weight is applied before the down projection (NeMo); bf16 rounds it there."""

import torch


def patch(model, modeling):
    def forward(self, hidden_states, top_k_index, top_k_weights):
        final_hidden_states = torch.zeros_like(hidden_states)
        for expert in top_k_index.unique():
            token_idx, top_k_pos = torch.where(top_k_index == expert)
            gate, up = torch.nn.functional.linear(hidden_states[token_idx], self.gate_up_proj[expert]).chunk(2, dim=-1)
            weights = top_k_weights[token_idx, top_k_pos, None]
            weighted = (self.act_fn(gate) * up * weights).to(hidden_states.dtype)
            final_hidden_states.index_add_(0, token_idx, torch.nn.functional.linear(weighted, self.down_proj[expert]))
        return final_hidden_states

    modeling.MiniMaxM2Experts.forward = forward
