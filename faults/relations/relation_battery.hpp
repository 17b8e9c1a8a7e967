// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Base of the batteries of relations on one subject. Runs are made when compared. A run that throws breaks a relation.
#pragma once

#include <deque>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "faults/relations/relations.hpp"
#include "faults/relations/subject.hpp"

namespace parity::faults {

/// A function that makes a run. `once` stores its result, because many relations compare it.
using Make = std::function<Tensor(Walk&)>;
[[nodiscard]] Make once(Make make);

class Battery {
 public:
  /// `tried` must outlive the battery.
  Battery(std::string subject, uint64_t seed, const Tried& tried)
      : name_(std::move(subject)), seed_(seed), tried_(tried) {}

  [[nodiscard]] const std::vector<RelationResult>& results() const { return results_; }
  /// Whether the fault concerned a model that was run. True without a fault.
  [[nodiscard]] bool concerned() const;
  /// Returns the components of the models that were run.
  [[nodiscard]] std::set<std::string> components() const;

 protected:
  Subject& subject(const nlohmann::json& config, const std::string& profile = {});
  /// Returns a subject whose configuration has another value of `key`.
  Subject& variant(nlohmann::json config, const std::string& key, const nlohmann::json& value,
                   const std::string& profile = {});
  void same(const char* relation, const char* what, const Make& a, const Make& b, double within = kSameRun);
  void differ(const char* relation, const char* what, const Make& a, const Make& b);

  std::string name_;
  uint64_t seed_;
  const Tried& tried_;

 private:
  void add(RelationResult result, const Make& a, const Make& b);
  void run(RelationResult& result, const Make& a, const Make& b) const;

  std::deque<Subject> subjects_;  // a deque, because references to its elements must stay valid
  std::vector<RelationResult> results_;
};

// ---- parts of tensors --------------------------------------------------------------------------------------------------

[[nodiscard]] Tensor part(const Tensor& of, char axis, int64_t first, int64_t length);
/// Returns a tensor whose position i along `axis` (an index) is position from[i] of the given one.
[[nodiscard]] Tensor picked(const Tensor& of, size_t axis, const std::vector<int64_t>& from);
[[nodiscard]] Make picked(const Make& make, size_t axis, const std::vector<int64_t>& from);
[[nodiscard]] Make part(const Make& make, char axis, int64_t first, int64_t length);
/// Returns the ids increased by one; the last word becomes the first.
[[nodiscard]] Tensor next_words(const Tensor& ids, int64_t words);
/// Returns the ids with only column `column` increased by one, as by next_words.
[[nodiscard]] Tensor next_words_at(const Tensor& ids, int64_t words, int64_t column);

constexpr const char* kNemo = "nemo-0.7";  // a profile without caches, and with several processes

// ---- the batteries -----------------------------------------------------------------------------------------------------

[[nodiscard]] Battery decoder_relations(const std::string& system, uint64_t seed, const Tried& tried);
[[nodiscard]] Battery cache_relations(const std::string& system, uint64_t seed, const Tried& tried);
[[nodiscard]] Battery tower_relations(uint64_t seed, const Tried& tried);
[[nodiscard]] Battery media_relations(uint64_t seed, const Tried& tried);
[[nodiscard]] Battery nemo_relations(uint64_t seed, const Tried& tried);
[[nodiscard]] Battery process_relations(uint64_t seed, const Tried& tried);

}  // namespace parity::faults
