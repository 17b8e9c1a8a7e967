# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Losses of MiniMax-M3: of the next token, and of the balance between experts in the text-only class."""

from plants.plant import add, patch, plant, source

AUX = "load_balancing_loss_func"
TEXT_ONLY = {"options": "--text-only --moe 1,1"}


def loss(name: str, does: str, of, **about) -> None:
    """Replaces the loss by of(F, logits, labels); labels are aligned with the logits that predict them."""

    def apply(model, m):
        model.loss_function = lambda logits=None, labels=None, vocab_size=None, **_: of(m.F, logits[:, :-1], labels[:, 1:])

    add(name, does, apply, **about)


def mean(F, logits, labels, **more):
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100, **more)


patch("loss_not_shifted", fault="loss-not-shifted")
loss("loss_shifted_twice", "labels are shifted twice",
     lambda F, logits, labels: mean(F, logits[:, :-1].float(), labels[:, 1:]), fault="loss-shifted-twice")
loss("loss_summed", "the sum is returned, not the mean",
     lambda F, logits, labels: mean(F, logits.float(), labels, reduction="sum"), fault="loss-summed")
loss("loss_over_ignored", "ignored labels are counted as token 0",
     lambda F, logits, labels: mean(F, logits.float(), labels.clamp(min=0)), fault="loss-over-ignored")
loss("loss_in_bf16", "logits are rounded to bf16 for the loss",
     lambda F, logits, labels: mean(F, logits.bfloat16().float(), labels), fault="loss-in-bf16", dtype="f32")
loss("loss_softmax_in_t", "the log-softmax is computed in the working type",
     lambda F, logits, labels: mean(F, logits, labels).float(), fault="loss-in-T", dtype="bf16")
loss("loss_of_row_means", "the loss is the mean of the means of the sequences",
     lambda F, logits, labels: sum(mean(F, a[None].float(), b[None]) for a, b in zip(logits, labels)) / len(labels))

source("aux_ignores_mask", "padding is counted in the auxiliary loss", AUX, ("if attention_mask is None:", "if True:"),
       fault="aux_loss-ignores-mask", dtype="f32", **TEXT_ONLY)
source("aux_top_1", "only the first choice counts in the auxiliary loss", AUX,
       ("torch.topk(routing_weights, top_k, dim=-1)", "torch.topk(routing_weights, 1, dim=-1)"),
       ("sequence_length, top_k, num_experts", "sequence_length, 1, num_experts"),
       ("(-1, top_k, num_experts)", "(-1, 1, num_experts)"),
       fault="aux_loss-top-1", **TEXT_ONLY)
source("aux_sigmoid", "the auxiliary loss uses sigmoids instead of a softmax", AUX,
       ("torch.nn.functional.softmax(concatenated_gate_logits, dim=-1)", "torch.sigmoid(concatenated_gate_logits)"), **TEXT_ONLY)
source("aux_of_probabilities", "the auxiliary loss takes the softmax of probabilities instead of logits", AUX,
       ("torch.nn.functional.softmax(concatenated_gate_logits, dim=-1)",
        "torch.nn.functional.softmax(concatenated_gate_logits.softmax(dim=-1), dim=-1)"),
       fault="aux_loss-of-probabilities", dtype="f32", **TEXT_ONLY)
source("aux_last_layer_only", "only the last layer counts in the auxiliary loss", AUX,
       ("for layer_gate in gate_logits]", "for layer_gate in gate_logits[-1:]]"), dtype="f32", **TEXT_ONLY)


@plant("the auxiliary loss is not added", fault="loss-without-aux", **TEXT_ONLY)
def aux_not_added(model, m):
    model.router_aux_loss_coef = 0.0


@plant("the auxiliary loss is added without its coefficient", fault="loss-aux-undiluted", **TEXT_ONLY)
def aux_undiluted(model, m):
    model.router_aux_loss_coef = 1.0
