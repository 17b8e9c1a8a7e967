# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Labels of tokens are shifted by one, as for the next token."""

from transformers.loss.loss_utils import ForCausalLMLoss


def patch(model, modeling):
    model.loss_function = lambda logits, labels, config: ForCausalLMLoss(logits, labels, config.num_labels)
