# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Caches of MiniMax-M3: keys after the rotation, values as projected, and index keys."""

from plants.plant import source

UPDATE = "key_states, value_states = past_key_values.update(key_states, value_states, self.layer_idx)"
OWN = "past_key_values.layers[self.layer_idx]"
ROPE = "query_states, key_states = apply_rotary_pos_emb(query_states, key_states, cos, sin)"
EVERY_CALL = {"options": "--decode 1 --chunk 0"}  # caches are recorded after the first and the last call only
FP8 = "{0}.to(torch.float8_e4m3fn).to({0}.dtype)"


def update(name: str, does: str, new: str, *pieces: tuple[str, str], **about) -> None:
    source(name, does, "Attention.forward", (UPDATE, new), *pieces, **about)


update("cache_keys_before_rope", "keys are stored before their rotation",
       "fresh = key_states\n        key_states, value_states = past_key_values.update(plain, value_states, self.layer_idx)\n"
       "        key_states = torch.cat([key_states[:, :, :-fresh.shape[2]], fresh], 2)",
       (ROPE, f"plain = key_states\n    {ROPE}"), fault="cache-keys-before-rope")
update("cache_values_one_late", "values are written one slot late",
       "value_states = torch.cat([value_states[:, :, :1] * 0, value_states[:, :, :-1]], 2)\n        " + UPDATE,
       fault="cache-values-one-late")
update("cache_rows_exchanged", "sequences continue each other's history",
       f"if {OWN}.get_seq_length() > 0:\n            {OWN}.reorder_cache(torch.tensor([1, 0]))\n        {UPDATE}",
       fault="cache-rows-exchanged", **EVERY_CALL)
update("cache_last_slot_repeated", "a decoded value overwrites the one before it as well",
       f"decoding = key_states.shape[2] == 1\n        {UPDATE}\n"
       "        if decoding: value_states[:, :, -2] = value_states[:, :, -1]",
       fault="cache-last-slot-repeated", **EVERY_CALL)
update("cache_in_fp8", "keys and values are kept in fp8 without a scale",
       f"key_states, value_states = {FP8.format('key_states')}, {FP8.format('value_states')}\n        {UPDATE}",
       fault="cache-in-fp8")
update("cache_keys_and_values_exchanged", "keys and values are kept in each other's place",
       "value_states, key_states = past_key_values.update(value_states, key_states, self.layer_idx)",
       fault="cache-keys-are-values")
update("cache_keys_are_values_in_layer_1", "one layer stores values as keys",
       "key_states, value_states = past_key_values.update(value_states if self.layer_idx == 1 else key_states, value_states, "
       "self.layer_idx)", fault="cache-keys-are-values")
