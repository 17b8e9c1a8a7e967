# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""MiniMax-M2: routing weights are taken from the biased scores (fault Q4)."""

import torch


def patch(model, modeling):
    def forward(self, hidden_states, bias):
        router_logits = torch.nn.functional.linear(hidden_states.reshape(-1, self.hidden_dim).to(self.weight.dtype), self.weight)
        routing_weights = torch.sigmoid(router_logits.float())
        scores_for_choice = routing_weights + bias
        top_k_index = torch.topk(scores_for_choice, self.top_k, dim=-1, sorted=False).indices
        top_k_weights = scores_for_choice.gather(1, top_k_index)
        return router_logits, top_k_weights / top_k_weights.sum(dim=-1, keepdim=True), top_k_index

    modeling.MiniMaxM2TopKRouter.forward = forward
