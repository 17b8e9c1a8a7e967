// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Runs calls through a GGUF model with llama.cpp, and writes the value of every node of every graph.
//
// usage: llama_cpp_dump MODEL.gguf CALLS FOLDER CACHE(f16|f32) FLASH(on|off)
// CALLS has a line for each call: B S, then B*S token ids, then B*S positions. FOLDER gets nodes.txt and values.bin;
// ../ggml_taps.py describes both. llama.cpp computes node by node for an observer, so no two nodes are fused.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include <ggml-backend.h>
#include <ggml.h>
#include <llama.h>

#include "llama_cpp_input.hpp"

namespace {

struct Files {
  std::ofstream nodes, values;
  int64_t written = 0;  // bytes of values
  size_t call = 0;
};

bool has_plain_elements(const ggml_tensor* node) {
  return node->type == GGML_TYPE_F32 || node->type == GGML_TYPE_F16 || node->type == GGML_TYPE_I32;
}

// The elements in the order of the extents, without the gaps and permutations of a view.
void write_values(const ggml_tensor* node, Files& files) {
  const size_t width = ggml_type_size(node->type);
  std::vector<char> memory(ggml_nbytes(node)), row(static_cast<size_t>(node->ne[0]) * width);
  ggml_backend_tensor_get(node, memory.data(), 0, memory.size());
  for (int64_t n = 0; n < ggml_nrows(node); ++n) {
    const size_t i1 = static_cast<size_t>(n % node->ne[1]), i2 = static_cast<size_t>(n / node->ne[1] % node->ne[2]);
    const size_t i3 = static_cast<size_t>(n / node->ne[1] / node->ne[2]);
    const char* first = memory.data() + i1 * node->nb[1] + i2 * node->nb[2] + i3 * node->nb[3];
    for (size_t i0 = 0; i0 < static_cast<size_t>(node->ne[0]); ++i0) {
      std::copy_n(first + i0 * node->nb[0], width, row.data() + i0 * width);
    }
    files.values.write(row.data(), static_cast<std::streamsize>(row.size()));
  }
  files.written += ggml_nelements(node) * static_cast<int64_t>(width);
}

bool observe(ggml_tensor* node, bool is_question, void* data) {
  if (is_question) return true;  // yes, the value of this node is wanted
  auto& files = *static_cast<Files*>(data);
  const bool has_values = has_plain_elements(node);
  files.nodes << files.call << '\t' << node << '\t' << ggml_op_name(node->op) << '\t' << ggml_type_name(node->type)
              << '\t' << node->ne[3] << ',' << node->ne[2] << ',' << node->ne[1] << ',' << node->ne[0] << '\t'
              << (has_values ? files.written : -1) << '\t' << node->name;
  for (const ggml_tensor* source : node->src) {
    if (source == nullptr) break;
    files.nodes << '\t' << source << '=' << source->name;
  }
  files.nodes << '\n';
  if (has_values) write_values(node, files);
  return true;  // go on
}

llama_context* context_for(llama_model* model, const std::vector<Call>& calls, const Arguments& given, Files& files) {
  int64_t sequences = 0, most = 0, slots = 0;
  for (const Call& call : calls) {
    sequences = std::max(sequences, call.sequences);
    most = std::max(most, call.sequences * call.tokens);
    slots += call.tokens;
  }
  auto params = llama_context_default_params();
  params.n_ctx = static_cast<uint32_t>(sequences * slots);  // llama.cpp rounds the slots of a sequence up
  params.n_batch = params.n_ubatch = static_cast<uint32_t>(most);
  params.n_seq_max = static_cast<uint32_t>(sequences);
  params.n_threads = params.n_threads_batch = 1;
  params.type_k = params.type_v = given.half_cache ? GGML_TYPE_F16 : GGML_TYPE_F32;
  params.flash_attn_type = given.flash ? LLAMA_FLASH_ATTN_TYPE_ENABLED : LLAMA_FLASH_ATTN_TYPE_DISABLED;
  params.cb_eval = observe;
  params.cb_eval_user_data = &files;
  llama_context* context = llama_init_from_model(model, params);
  if (context == nullptr) fail("llama.cpp makes no context; its messages above say why");
  return context;
}

void run(llama_context* context, const Call& call) {
  llama_batch batch = llama_batch_init(static_cast<int32_t>(call.ids.size()), 0, 1);
  batch.n_tokens = static_cast<int32_t>(call.ids.size());
  for (size_t i = 0; i < call.ids.size(); ++i) {
    batch.token[i] = call.ids[i];
    batch.pos[i] = call.positions[i];
    batch.n_seq_id[i] = 1;
    batch.seq_id[i][0] = static_cast<int32_t>(i) / static_cast<int32_t>(call.tokens);
    batch.logits[i] = 1;
  }
  const int status = llama_decode(context, batch);
  llama_batch_free(batch);
  if (status != 0) fail("llama_decode returned " + std::to_string(status));
}

}  // namespace

int main(int argc, char** argv) {
  end_with_parent();
  const Arguments given = read_arguments(argc, argv);
  const std::vector<Call> calls = read_calls(given.calls);
  Files files{std::ofstream(given.folder + "/nodes.txt"),
              std::ofstream(given.folder + "/values.bin", std::ios::binary)};
  llama_backend_init();
  auto params = llama_model_default_params();
  params.use_extra_bufts = false;  // weights in the layout of the file
  llama_model* model = llama_model_load_from_file(given.model.c_str(), params);
  if (model == nullptr) fail("llama.cpp does not load " + given.model + "; its messages above say why");
  llama_context* context = context_for(model, calls, given, files);
  for (const Call& call : calls) {
    run(context, call);
    ++files.call;
  }
  files.nodes.close(), files.values.close();
  if (!files.nodes || !files.values) fail("cannot write to " + given.folder);
  llama_free(context);
  llama_model_free(model);
  return 0;
}
