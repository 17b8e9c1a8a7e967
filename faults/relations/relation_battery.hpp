// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What the relations on one subject share: runs are made when they are compared, and a run that stops is a broken relation.
#pragma once

#include <deque>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "faults/relations/relations.hpp"
#include "faults/relations/subject.hpp"

namespace parity::faults {

/// A run to be made; many relations compare the same one.
using Make = std::function<Tensor(Walk&)>;
[[nodiscard]] Make once(Make make);

class Battery {
 public:
  /// `tried` must outlive it.
  Battery(std::string subject, uint64_t seed, const Tried& tried)
      : name_(std::move(subject)), seed_(seed), tried_(tried) {}

  [[nodiscard]] const std::vector<RelationResult>& results() const { return results_; }
  /// Whether a model that was run had a place for the fault; true without a fault.
  [[nodiscard]] bool concerned() const;
  /// Of the models that were run.
  [[nodiscard]] std::set<std::string> components() const;

 protected:
  Subject& subject(const nlohmann::json& config, const std::string& profile = {});
  /// … whose configuration has another value of `key`.
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

  std::deque<Subject> subjects_;  // stay where they are
  std::vector<RelationResult> results_;
};

// ---- parts of tensors --------------------------------------------------------------------------------------------------

[[nodiscard]] Tensor part(const Tensor& of, char axis, int64_t first, int64_t length);
/// Position i along `axis` (its index) from position from[i]; fewer or more of them than there are.
[[nodiscard]] Tensor picked(const Tensor& of, size_t axis, const std::vector<int64_t>& from);
[[nodiscard]] Make picked(const Make& make, size_t axis, const std::vector<int64_t>& from);
[[nodiscard]] Make part(const Make& make, char axis, int64_t first, int64_t length);
/// Every id one further, around the end of the vocabulary.
[[nodiscard]] Tensor next_words(const Tensor& ids, int64_t words);
/// … of column `column` alone.
[[nodiscard]] Tensor next_words_at(const Tensor& ids, int64_t words, int64_t column);

constexpr const char* kNemo = "nemo-0.7";  // a profile without caches, with several processes

// ---- the batteries -----------------------------------------------------------------------------------------------------

[[nodiscard]] Battery decoder_relations(const std::string& system, uint64_t seed, const Tried& tried);
[[nodiscard]] Battery cache_relations(const std::string& system, uint64_t seed, const Tried& tried);
[[nodiscard]] Battery tower_relations(uint64_t seed, const Tried& tried);
[[nodiscard]] Battery media_relations(uint64_t seed, const Tried& tried);
[[nodiscard]] Battery nemo_relations(uint64_t seed, const Tried& tried);
[[nodiscard]] Battery process_relations(uint64_t seed, const Tried& tried);

}  // namespace parity::faults
