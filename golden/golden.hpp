// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A golden: a checkpoint and the activations recorded from it. A golden that opens without an Error can be replayed.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "golden/files/activation_file.hpp"
#include "golden/files/safetensors.hpp"
#include "golden/sources/decoded_source.hpp"
#include "golden/sources/synthetic_source.hpp"

namespace parity::golden {

using parity::to_string;  // so that the overloads below do not hide it

/// The recorded software and its settings, from attributes of the root. Texts that the file lacks are empty.
struct RootFacts {
  std::string system;        // minimax_m3_vl | minimax_m2 | minimax_text_01
  std::string oracle;        // "transformers 5.12.0"
  std::string profile;       // "hf-5.12.0"
  std::string attention;     // eager | sdpa | none
  DType dtype = DType::f32;  // the working type T
  int64_t seed = 0;
  std::string torch;
  std::string experts;
  std::string quantisation;   // mxfp8 | fp8 | empty
  int64_t max_cache_len = 0;  // slots of a static cache; 0: caches grow
  std::string model_class;    // "MiniMaxM3VLForCausalLM"; empty: the class in config.json
};

enum class StepKind : uint8_t { prefill, decode, chunk, vision, cache };
[[nodiscard]] const char* to_string(StepKind kind);

/// One step of a recording: a forward call, or edits of the caches between two calls (StepKind::cache).
struct StepInfo {
  std::string id;  // "000"
  StepKind kind = StepKind::prefill;
  int64_t B = 0;             // sequences
  int64_t S = 0;             // query tokens of this call
  int64_t K = 0;             // slots of all calls so far
  int64_t slots = 0;         // slots of the caches: K, or the length of a static cache
  bool has_tokens = true;    // false: only the vision tower ran (B, S, K are 0), or the step is an edit
  bool has_labels = false;   // labels, or the positions of an answer
  bool cache_rows = false;   // kind cache: tokens/cache_rows chooses rows
  bool reorder = false;      // kind cache: rows were chosen by the method for beam search
  int64_t crop = 0;          // kind cache: the argument of the crop; 0: none
  bool independent = false;  // shares no cache with the other steps; may lack position_ids and attention_mask

  [[nodiscard]] std::string tap(const std::string& name) const { return "steps/" + id + "/" + name; }
};

// The checks of Golden::open, one by one.
/// Throws Error{schema} for a file of another format or major version. It is for goldens and captures.
void check_format(const ActivationFile& file);
[[nodiscard]] std::filesystem::path activations_of(const std::filesystem::path& path);
/// The attribute max_cache_len: slots of a static cache, 0 if there is none.
[[nodiscard]] int64_t static_length(const ActivationFile& file);
[[nodiscard]] RootFacts read_facts(const ActivationFile& file);
/// The steps in order. Throws Error{not_found} when an obligatory tap (tokens, or a tower's pixel_values) is missing.
[[nodiscard]] std::vector<StepInfo> read_steps(const ActivationFile& file);
/// checkpoint/config.json, which must equal /config. If one is missing, returns the other and adds a warning.
[[nodiscard]] nlohmann::json read_config(const ActivationFile& file, const std::filesystem::path& checkpoint,
                                         std::vector<std::string>& warnings);

/// Whether the checkpoint contains safetensors; goldens of processors only have none.
[[nodiscard]] bool has_weights(const std::filesystem::path& checkpoint);

class Golden {
 public:
  /// Opens a golden, given its folder or its activations.h5. The Error names the file, the problem and the remedy.
  [[nodiscard]] static Golden open(const std::filesystem::path& path);

  [[nodiscard]] const std::string& name() const { return name_; }  // "m3-text-bf16"
  [[nodiscard]] std::filesystem::path folder() const { return activations_.path().parent_path(); }
  [[nodiscard]] std::filesystem::path checkpoint() const { return folder() / "checkpoint"; }
  [[nodiscard]] const ActivationFile& activations() const { return activations_; }
  [[nodiscard]] const RootFacts& facts() const { return facts_; }
  [[nodiscard]] const nlohmann::json& config() const { return config_; }
  [[nodiscard]] const std::vector<StepInfo>& steps() const { return steps_; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  /// The stored weights, opened at the first call; thread-safe. The reference is valid as long as the golden.
  [[nodiscard]] const SafetensorsSource& weights() const;
  /// The parameters for evaluations: drawn if the checkpoint is a synthetic.json, else the weights, which are decoded
  /// if the configuration says that they are quantised.
  [[nodiscard]] const WeightSource& parameters() const;
  /// Problems of a quantised checkpoint, one line each; empty for other checkpoints.
  [[nodiscard]] std::vector<std::string> quantisation_problems() const;

 private:
  struct Lazy;
  explicit Golden(ActivationFile activations);

  ActivationFile activations_;
  std::string name_;
  RootFacts facts_;
  nlohmann::json config_;
  std::vector<StepInfo> steps_;
  std::vector<std::string> warnings_;
  std::shared_ptr<Lazy> lazy_;
};

}  // namespace parity::golden
