// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/captures/candidate_file.hpp"

#include "compare/captures/capture_inputs.hpp"
#include "golden/sources/capture_attributes.hpp"

namespace parity::compare {

CandidateFile open_candidate(const golden::Golden& golden, const RunOptions& options) {
  CandidateFile candidate;
  candidate.implementation = implementation_of(golden);
  if (options.candidate != RunOptions::Candidate::capture) return candidate;
  candidate.file = golden::ActivationFile::open(options.capture);
  candidate.implementation = implementation_of(golden, *candidate.file);
  candidate.declared = golden::declaration_of(*candidate.file);
  candidate.implementation.stated = candidate.declared.stated;
  if (!candidate.declared.nothing) candidate.declared.nothing = options.nothing;
  check_same_tokens(golden, *candidate.file, candidate.declared.calls);
  check_same_run(golden, *candidate.file, options.profile);
  check_same_layout(*candidate.file, options.layout);
  golden::check_attributes(*candidate.file, golden.activations());
  if (candidate.declared.own_weights)
    candidate.weights = std::make_unique<OwnWeights>(golden.parameters(), *candidate.file, golden.facts().dtype);
  return candidate;
}

BlockOrder block_order_of(const golden::Declaration& declared, const RunOptions& options, Policy policy) {
  using Candidate = RunOptions::Candidate;
  const bool oracle = options.candidate == Candidate::golden || options.candidate == Candidate::reference ||
                      policy == Policy::bits || options.known_origin;
  if (oracle) return BlockOrder::list;
  if (declared.ids_order == golden::IdsOrder::unstated) return BlockOrder::either;
  return declared.ids_order == golden::IdsOrder::set ? BlockOrder::set : BlockOrder::list;
}

}  // namespace parity::compare
