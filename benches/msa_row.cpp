// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One row: judges what is there, then times it in turns.
#include <cmath>
#include <limits>
#include <list>
#include <memory>
#include <optional>

#include "benches/msa_table.hpp"
#include "benches/naive_msa.hpp"
#include "benches/statistics.hpp"
#include "optimized/registry.hpp"
#include "optimized/torch/torch.hpp"

namespace parity::benches {
namespace {

const char* const kNoKernel = "no kernel";

const ErasedKernel* kernel_of(const std::string& component, const std::string& backend, const std::string& variant) {
  const Registry& registry = backend == "naive" ? naive_registry() : optimized::registry_with_libraries();
  const KernelEntry* entry = registry.find(component, backend, variant);
  return entry == nullptr ? nullptr : &entry->run;
}

/// The columns of one row, with their operands.
class Row {
 public:
  Row(const TableOptions& options, Phase phase, const AttentionShape& shape, const TableRow* before, double seconds)
      : options_(options), before_(before), seconds_(seconds), type_(to_string(options.type)) {
    row_.phase = phase;
    row_.shape = shape;
    row_.dense = dense_work(shape, options.type);
    row_.sparse = sparse_work(shape, options.type);
    row_.index = index_work(shape, options.type);
  }

  TableRow take() {
    const Call& dense = calls_.emplace_back(dense_call(row_.shape, options_.type, options_.seed));
    add("sdpa", dense, kernel_of("attention_dense", "torch", type_));
    add("mask", dense, kernel_of("attention_dense", "torch", type_ + "-mask"));
    add("dense", dense, kernel_of("attention_dense", "cpu", type_));
    const Tensor model = indexed();
    for (const Selection selection : {Selection::model, Selection::sticky, Selection::random}) {
      const bool own = selection == Selection::model;
      const Tensor blocks = own ? model : drawn_blocks(row_.shape, selection, options_.seed);
      if (blocks.empty()) continue;
      row_.overlaps[to_string(selection)] = overlap_of(blocks, row_.shape);
      const Call& sparse = calls_.emplace_back(sparse_call(row_.shape, options_.type, options_.seed, blocks));
      const bool chosen = selection == options_.selection;
      add(chosen ? "sparse" : std::string("sparse ") + to_string(selection), sparse,
          kernel_of("attention_block_sparse", "cpu", type_));
      if (chosen) add("naive", sparse, kernel_of("attention_block_sparse", "naive", type_));
    }
    if (!row_.cells.contains("sparse")) row_.cells["sparse"].why = "no selection: the indexer has no kernel";
    add_framework();
    time();
    return std::move(row_);
  }

 private:
  /// The indexer's columns, and what it selects; empty without kernels.
  Tensor indexed() {
    if (row_.shape.blocks() <= kTopK) return drawn_blocks(row_.shape, Selection::random, options_.seed);
    const Call& index = calls_.emplace_back(index_call(row_.shape, options_.type, options_.seed));
    if (!add("index", index, own_or_torch("index_block_scores"))) return {};
    const Call& select = calls_.emplace_back(select_call(row_.shape, options_.type, index.of("block_scores")));
    return add("select", select, own_or_torch("index_select")) ? select.of("blocks") : Tensor{};
  }

  /// The model's selection can be had from LibTorch where no kernel of our own is: the column says so.
  const ErasedKernel* own_or_torch(const std::string& component) {
    const ErasedKernel* own = kernel_of(component, "cpu", type_);
    if (own == nullptr) substitutes_ = true;
    return own != nullptr ? own : kernel_of(component, "torch", type_);
  }

  /// Judged on this row's own operands; true when its outputs are right.
  bool add(const std::string& column, const Call& call, const ErasedKernel* kernel) {
    Cell& cell = row_.cells[column];
    if (kernel == nullptr) {
      cell.why = kNoKernel;
      return false;
    }
    if (before_ != nullptr && before_->cells.contains(column)) {
      const Cell& last = before_->cells.at(column);
      const double growth = row_.phase == Phase::prefill ? 4.0 : 2.0;
      const double expected = growth * last.seconds() * (options_.rounds + 2);
      if (last.timed() && expected > seconds_ / 3.0) cell.why = "no time left";
      if (!last.timed() && last.why == "no time left") cell.why = last.why;
      if (!cell.why.empty()) return false;
    }
    if (const auto wrong = why_wrong(call, *kernel, slices_of(call, options_.seed))) {
      cell.why = *wrong;
      cell.wrong = true;
      return false;
    }
    const Prepared& prepared = prepared_.emplace_back(call, *kernel);
    names_.push_back(column);
    timed_.push_back({[&prepared] { prepared.run(); }});
    return true;
  }

  /// What frameworks do around attention: a mask in prefill, a cache that is concatenated anew in decode.
  void add_framework() {
    if (!torch_backend::built()) {
      row_.cells["framework"].why = "no LibTorch";
      return;
    }
    const AttentionShape shape = row_.shape;
    names_.emplace_back("mask building");
    timed_.push_back({[shape, type = options_.type] { torch_backend::build_mask(shape.queries, shape.slots, type); }});
    if (row_.phase != Phase::decode) return;
    const Tensor keys = calls_.front().of("k");
    const TensorView past = slice(keys.view(), 'K', 0, shape.slots - 1), fresh = slice(keys.view(), 'K', 0, 1);
    names_.emplace_back("concatenation");
    timed_.push_back({[past, fresh] {  // keys and values
      torch_backend::concatenate(past, fresh);
      torch_backend::concatenate(past, fresh);
    }});
  }

  void time() {
    // Short calls are repeated: a sample is the fastest of as many as fit into 20 ms, so that one interruption spoils none.
    const auto samples = interleaved(timed_, options_.rounds, row_.phase == Phase::decode ? 5 : 1);
    for (size_t i = 0; i < names_.size(); ++i) row_.cells[names_[i]].samples = samples[i];
    if (!substitutes_) return;
    for (const char* column : {"index", "select"}) {
      if (row_.cells.contains(column) && row_.cells[column].timed()) row_.cells[column].why = "LibTorch's";
    }
  }

  const TableOptions& options_;
  const TableRow* before_;
  double seconds_;
  std::string type_;
  TableRow row_;
  bool substitutes_ = false;
  std::list<Call> calls_;
  std::list<Prepared> prepared_;
  std::vector<std::string> names_;
  std::vector<Timed> timed_;
};

}  // namespace

double Cell::seconds() const { return timed() ? median(samples) : std::numeric_limits<double>::quiet_NaN(); }

double TableRow::seconds(const std::string& column) const {
  const auto found = cells.find(column);
  return found == cells.end() ? std::numeric_limits<double>::quiet_NaN() : found->second.seconds();
}

double TableRow::msa() const {
  if (shape.blocks() <= kTopK) return seconds("sparse");
  return seconds("index") + seconds("select") + seconds("sparse");
}

TableRow timed_row(const TableOptions& options, Phase phase, const AttentionShape& shape, const TableRow* before,
                   double seconds) {
  return Row(options, phase, shape, before, seconds).take();
}

}  // namespace parity::benches
