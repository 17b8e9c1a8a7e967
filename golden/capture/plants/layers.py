# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Embedding, projections, residual stream and logits of MiniMax-M3."""

from plants.plant import layers_of, plant, source, text_of

LAYER = "DecoderLayer.forward"
NORMED = "hidden_states = self.input_layernorm(hidden_states)"
FIRST_SUM = "hidden_states = residual + hidden_states\n    residual = hidden_states"
LAST_SUM = "hidden_states = residual + hidden_states\n    return"

source("residual_from_norm", "the residual stream continues from the normalised values", LAYER,
       (NORMED, f"{NORMED}\n    residual = hidden_states"), fault="residual-from-norm")
source("residual_lost", "the residual is not added to the attention's output", LAYER,
       (FIRST_SUM, "hidden_states = hidden_states * 1\n    residual = hidden_states"), fault="residual-stream-missing")
source("residual_branch_missing", "the attention's output is not added", LAYER,
       (FIRST_SUM, "hidden_states = residual + 0 * hidden_states\n    residual = hidden_states"), fault="residual-branch-missing")
source("residual_of_layer_input", "the second residual is the layer's input", LAYER,
       (FIRST_SUM, "start = residual\n    hidden_states = residual + hidden_states\n    residual = start"),
       fault="residual-of-layer-input")
source("residual_from_second_norm", "the second residual is the normed value", LAYER,
       ("hidden_states = self.mlp(hidden_states)", "residual = hidden_states\n    hidden_states = self.mlp(hidden_states)"),
       fault="residual-of-second-norm")
source("residual_branch_twice", "the MLP's output is added twice", LAYER,
       (LAST_SUM, LAST_SUM.replace("hidden_states\n", "2 * hidden_states\n")), fault="residual-branch-twice")
source("layers_in_parallel", "the MLP reads the layer's input in parallel with the attention, not after it", LAYER,
       (NORMED, f"start = hidden_states\n    {NORMED}"),
       ("self.post_attention_layernorm(hidden_states)", "0 * self.post_attention_layernorm(hidden_states * 1) "
        "+ self.post_attention_layernorm.forward(start)"))


def to_and_back(weight, dtype) -> None:
    weight.data = weight.data.to(dtype).to(weight.dtype)


@plant("weights of projections are held in fp8 without a scale", fault="linear-weights-in-fp8")
def projections_in_fp8(model, m):
    for layer in layers_of(model):
        for name in "qkvo":
            to_and_back(getattr(layer.self_attn, name + "_proj").weight, m.torch.float8_e4m3fn)


@plant("weights of projections are held in bf16", fault="linear-weights-in-bf16", dtype="f32")
def projections_in_bf16(model, m):
    for layer in layers_of(model):
        for name in "qkvo":
            to_and_back(getattr(layer.self_attn, name + "_proj").weight, m.torch.bfloat16)


@plant("the weights of the next layer's query projection are used", fault="q_proj-of-next-layer")
def q_proj_of_next_layer(model, m):
    layers_of(model)[0].self_attn.q_proj.weight = layers_of(model)[1].self_attn.q_proj.weight


@plant("the key projection is used for the values", fault="v_proj-is-k_proj")
def v_proj_is_k_proj(model, m):
    for layer in layers_of(model):
        layer.self_attn.v_proj.weight = layer.self_attn.k_proj.weight


@plant("the query projection is loaded one row off", fault="q_proj-rows-rolled")
def q_proj_rows_rolled(model, m):
    for layer in layers_of(model):
        layer.self_attn.q_proj.weight.data = layer.self_attn.q_proj.weight.data.roll(1, 0)


@plant("the query projection is loaded transposed")
def q_proj_transposed(model, m):
    for layer in layers_of(model):
        weight = layer.self_attn.q_proj.weight
        weight.data = weight.data.T.reshape(weight.shape).contiguous()


@plant("one input channel of the output projection is left out", fault="o_proj-one-column")
def o_proj_one_column(model, m):
    for layer in layers_of(model):
        layer.self_attn.o_proj.weight.data[:, 5] = 0


@plant("gate_proj and up_proj of the dense MLP are joined in the wrong order", fault="gate_up-exchanged")
def gate_up_joined_wrongly(model, m):
    for layer in layers_of(model):
        for mlp in (layer.mlp, getattr(layer.mlp, "shared_experts", None)):
            if hasattr(mlp, "gate_up_proj"):
                gate, up = mlp.gate_up_proj.weight.data.chunk(2)
                mlp.gate_up_proj.weight.data = m.torch.cat([up, gate])


@plant("embeddings are multiplied by the square root of the width, as Gemma's are", fault="embedding-scaled")
def embedding_scaled(model, m):
    text_of(model).embed_tokens.register_forward_hook(lambda module, _, rows: rows * module.weight.shape[1] ** 0.5)


@plant("every token reads the row of the neighbouring token", fault="embedding-shifted")
def embedding_shifted(model, m):
    text_of(model).embed_tokens.register_forward_pre_hook(lambda _, ids: (ids[0].roll(1, 1),))


@plant("the table of embeddings is held in fp8", fault="embedding-in-fp8")
def embedding_in_fp8(model, m):
    to_and_back(text_of(model).embed_tokens.weight, m.torch.float8_e4m3fn)


@plant("logits come from the table of embeddings", fault="lm_head-tied")
def lm_head_tied(model, m):
    model.lm_head.weight = text_of(model).embed_tokens.weight


@plant("logits are capped softly at 30")
def logits_capped(model, m):
    model.lm_head.forward = lambda x: m.torch.tanh(m.F.linear(x, model.lm_head.weight) / 30) * 30
