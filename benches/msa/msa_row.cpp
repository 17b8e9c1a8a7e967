// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Makes one row: judges each column, then times the columns in turns.
#include <algorithm>
#include <cmath>
#include <list>
#include <memory>

#include "benches/msa/msa_table.hpp"
#include "benches/msa/naive_msa.hpp"
#include "benches/msa/top_k.hpp"
#include "optimized/backends.hpp"
#include "optimized/registry.hpp"
#include "optimized/torch/torch.hpp"

namespace parity::benches {
namespace {

/// A timed column: a task with a name.
struct Column {
  std::string name;
  std::function<void()> run;
  std::vector<const Prepared*> operands{};  // calls whose operands are flushed; empty: only timed warm
  /// Runs the column again and returns how its outputs differ from the judged ones. Empty for columns without a judge.
  std::function<std::optional<std::string>()> changed{};

  void flush() const {
    for (const Prepared* each : operands) each->flush();
  }
  [[nodiscard]] int64_t flushes() const {
    int64_t all = 0;
    for (const Prepared* each : operands) all += each->flushes();
    return all;
  }
};

/// A judged call that other columns use.
struct Part {
  const Call& call;
  const Prepared& prepared;
  std::shared_ptr<const JudgedOutputs> judged;
};

/// Builds the columns of one row, with their operands, and times them.
class Row {
 public:
  Row(const TableOptions& options, Phase phase, const AttentionShape& shape, const std::set<std::string>* wanted)
      : options_(options),
        wanted_(wanted),
        type_(to_string(options.type)),
        own_(own_of(options).name),
        place_(own_of(options).place(0)),
        row_(phase, shape, options.type) {}

  TableRow take() {
    double judged = 0.0;
    const double all = host().seconds([&] { add_columns(); });
    for (const auto& [name, cell] : row_.cells) judged += cell.cost;
    row_.overhead = all - judged;
    {
      const torch_backend::Delivery stay(false);
      time();
    }
    repeat();
    return std::move(row_);
  }

 private:
  [[nodiscard]] const ErasedKernel* kernel_of(const std::string& component, const std::string& backend,
                                              const std::string& variant) const {
    const Registry& registry = backend == "naive" ? naive_registry() : kernels_of(options_);
    const KernelEntry* entry = registry.find(component, backend, variant);
    return entry == nullptr ? nullptr : &entry->run;
  }

  [[nodiscard]] bool on_host() const { return place_.is_host_memory(); }

  void add_columns() {
    const Call& dense = calls_.emplace_back(dense_call(row_.shape, options_.type, options_.seed).at(place_));
    const Tensor model = indexed();
    add_sparse(model);
    add("dense", dense, kernel_of("attention_dense", own_, type_));
    if (!on_host()) return;  // all else runs on the host alone
    add("sdpa", dense, kernel_of("attention_dense", optimized::library_backend(), type_));
    add("mask", dense, kernel_of("attention_dense", optimized::library_backend(), type_ + "-mask"));
    add_framework();
  }

  bool is_wanted(const std::string& column) {
    if (wanted_ == nullptr || wanted_->contains(column)) return true;
    row_.cells[column].why = kNoTime;
    return false;
  }

  /// Adds the columns of the indexer and returns the blocks that it selects; empty if a kernel is missing.
  Tensor indexed() {
    if (!row_.selects()) return drawn_blocks(row_.shape, Selection::random, options_.seed);
    const Call& index = calls_.emplace_back(index_call(row_.shape, options_.type, options_.seed).at(place_));
    if (!add("index", index, own_or_torch("index_block_scores"))) return {};
    const Tensor scores = index.of("block_scores");  // what one part writes the next one reads
    const Call& select = calls_.emplace_back(
        with(select_call(row_.shape, options_.type, scores.on_host()).at(place_), "block_scores", scores));
    if (!add("select", select, own_or_torch("index_select"))) return {};
    if (on_host() && torch_backend::built() && is_wanted("topk")) {
      top_k_ = std::make_unique<BareTopK>(index.of("block_scores"));
      Cell& cell = row_.cells["topk"];
      cell.cost = host().seconds([&] { cell.why = top_k_->why_wrong().value_or(""); });
      cell.wrong = !cell.why.empty();
      if (!cell.wrong)
        columns_.push_back({"topk", [this] { top_k_->run(); }, {}, [this] { return top_k_->why_wrong(); }});
    }
    return select.of("blocks");
  }

  /// Returns our kernel, or else LibTorch's; the column then names LibTorch.
  const ErasedKernel* own_or_torch(const std::string& component) {
    const ErasedKernel* own = kernel_of(component, own_, type_);
    if (!on_host()) return own;
    if (own == nullptr) substitutes_ = true;
    return own != nullptr ? own : kernel_of(component, optimized::library_backend(), type_);
  }

  /// Adds the sparse attention with each selection, on the same queries, keys and values.
  void add_sparse(const Tensor& model) {
    const Call* first = nullptr;
    for (const Selection selection : {options_.selection, Selection::model, Selection::sticky, Selection::random}) {
      const bool chosen = first == nullptr;
      if (!chosen && selection == options_.selection) continue;
      const std::string column = chosen ? "sparse" : std::string("sparse ") + to_string(selection);
      if (!is_wanted(column)) continue;
      const Tensor blocks = selection == Selection::model ? model : drawn_blocks(row_.shape, selection, options_.seed);
      if (blocks.empty()) {
        row_.cells[column].why = "no indexer: its time is not measured";
        if (chosen) return;
        continue;
      }
      const Tensor here = blocks.on_host();
      row_.overlaps[to_string(selection)] = overlap_of(here, row_.shape);
      Call made = chosen ? sparse_call(row_.shape, options_.type, options_.seed, here).at(place_) : *first;
      const Call& sparse = calls_.emplace_back(with(std::move(made), "blocks", blocks).at(place_));
      add(column, sparse, kernel_of("attention_block_sparse", own_, type_));
      if (!chosen) continue;
      first = &sparse;
      add_msa();
      if (on_host()) add("naive", sparse, kernel_of("attention_block_sparse", "naive", type_));
    }
  }

  /// The call on another operand, in whose memory another call may write.
  static Call with(Call call, const std::string& field, const Tensor& tensor) {
    for (CallOperand& operand : call.inputs) {
      if (operand.field == field) operand.tensor = tensor;
    }
    return call;
  }

  /// Adds index, selection and sparse attention as one timed call, so that its time is no sum of medians.
  void add_msa() {
    std::vector<const Part*> parts;
    std::vector<const Prepared*> operands;
    for (const char* column : {"index", "select", "sparse"}) {
      if (!row_.selects() && std::string(column) != "sparse") continue;
      if (!parts_.contains(column)) {
        row_.cells["msa"].why = fmt::format("no {}", column);
        return;
      }
      parts.push_back(&parts_.at(column));
      operands.push_back(&parts.back()->prepared);
    }
    if (!is_wanted("msa")) return;
    const std::function<void()> run = [operands] {
      for (const Prepared* part : operands) part->run();
    };
    std::vector<const Part*> ends{parts.back()};
    if (options_.selection != Selection::model && parts.size() > 1) ends.push_back(parts[1]);
    columns_.push_back({"msa", run, operands, [parts, ends, run] { return why_msa_changed(parts, ends, run); }});
  }

  /// Runs the timed call over poisoned outputs of all parts, and compares the outputs in `ends` with the judged ones.
  /// No later part reads the outputs in `ends`; with a drawn selection, they include the list of top-k.
  static std::optional<std::string> why_msa_changed(const std::vector<const Part*>& parts,
                                                    const std::vector<const Part*>& ends,
                                                    const std::function<void()>& run) {
    for (const Part* held : ends) {
      const Prepared whole(held->call, [&](const auto&, const auto&, const auto&, auto&) {
        for (const Part* part : parts) poison_outputs(part->call);
        run();
      });
      if (const auto changed = held->judged->why_changed(whole)) return "as one call: " + *changed;
    }
    return std::nullopt;
  }

  /// Judges a kernel on the operands of this row and adds its column. Returns whether the outputs are correct.
  bool add(const std::string& column, const Call& call, const ErasedKernel* kernel) {
    if (!is_wanted(column)) return false;
    Cell& cell = row_.cells[column];
    if (kernel == nullptr) {
      cell.why = "no kernel";
      return false;
    }
    cell.cost =
        host().seconds([&] { cell.why = why_wrong(call, *kernel, distinct_slices(call, options_.seed)).value_or(""); });
    cell.wrong = !cell.why.empty();
    if (cell.wrong) return false;
    const Prepared& prepared = prepared_.emplace_back(call, *kernel);
    const auto judged = std::make_shared<const JudgedOutputs>(call);
    if (!on_host()) prepared.run();  // takes scratch memory, which no graph can hold
    parts_.emplace(column, Part{call, prepared, judged});
    columns_.push_back({column,
                        [&prepared] { prepared.run(); },
                        {&prepared},
                        [&prepared, judged] { return judged->why_changed(prepared); }});
    return true;
  }

  /// Adds the tasks of frameworks around attention: building a mask, and in decode concatenating a cache anew.
  void add_framework() {
    if (!torch_backend::built()) {
      row_.cells["mask building"].why = "no LibTorch";
      return;
    }
    const AttentionShape shape = row_.shape;
    if (is_wanted("mask building")) {
      columns_.push_back({"mask building", [shape, type = options_.type] {
                            torch_backend::build_mask(shape.queries, shape.slots, type);
                          }});
    }
    if (row_.phase != Phase::decode || !is_wanted("concatenation")) return;
    const Tensor keys = calls_.front().of("k");
    const TensorView past = slice(keys.view(), 'K', 0, shape.slots - 1), fresh = slice(keys.view(), 'K', 0, 1);
    columns_.push_back({"concatenation", [past, fresh] {  // for keys and for values
                          torch_backend::concatenate(past, fresh);
                          torch_backend::concatenate(past, fresh);
                        }});
  }

  void time() {
    std::vector<Timed> warm, cold;
    std::vector<size_t> flushed;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const Column& column = columns_[i];
      warm.push_back({column.run, {}, 0, &place_});
      if (row_.caches() == Caches::warm || column.operands.empty()) continue;
      cold.push_back({column.run, [&column] { column.flush(); }, 0, &place_});
      flushed.push_back(i);
    }
    time_warm(warm);
    const int calls = std::min(row_.calls, kColdCalls);
    for (const size_t i : flushed) row_.cells[columns_[i].name].flushes = -columns_[i].flushes();
    const auto samples = interleaved(cold, options_.rounds, calls);
    for (const size_t i : flushed) row_.cells[columns_[i].name].flushes += columns_[i].flushes();
    for (size_t i = 0; i < flushed.size(); ++i) {
      const Column& column = columns_[flushed[i]];
      Cell& cell = row_.cells[column.name];
      cell.cold = samples[i];
      cell.cost += options_.rounds * calls * (cell.seconds(Caches::cold) + host().seconds([&] { column.flush(); }));
    }
    if (!substitutes_) return;
    for (const char* column : {"index", "select"}) {
      if (row_.cells.contains(column) && row_.cells[column].timed()) row_.cells[column].why = "LibTorch's";
    }
  }

  /// Times the warm columns. A first turn measures the calls; if they are short, it is dropped and samples get several.
  void time_warm(const std::vector<Timed>& warm) {
    auto samples = interleaved(warm, 1);
    double slowest = 0.0;
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].name == "dense" || columns_[i].name == "msa") slowest = std::max(slowest, samples[i].front());
    }
    row_.calls = calls_per_sample(slowest);
    const bool kept = row_.calls == 1;
    const auto more = interleaved(warm, options_.rounds - (kept ? 1 : 0), row_.calls);
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (!kept) samples[i].clear();
      samples[i].insert(samples[i].end(), more[i].begin(), more[i].end());
      Cell& cell = row_.cells[columns_[i].name];
      cell.samples = std::move(samples[i]);
      cell.cost += options_.rounds * row_.calls * cell.seconds(Caches::warm);
    }
  }

  /// Compares the outputs of each column with the judged ones once more. If a part of MSA is wrong, MSA is too.
  void repeat() {
    for (const Column& column : columns_) {
      if (!column.changed) continue;
      Cell& cell = row_.cells[column.name];
      std::optional<std::string> changed;
      cell.cost += host().seconds([&] { changed = column.changed(); });
      if (!changed) continue;
      for (Cell* each :
           {&cell, column.name == "index" || column.name == "select" || column.name == "sparse" ? &row_.cells["msa"]
                                                                                                : &cell}) {
        each->samples.clear();
        each->cold.clear();
        each->why = *changed;
        each->wrong = true;
      }
    }
  }

  static constexpr int kColdCalls = 3;  // few, because flushing takes longer than the calls

  const TableOptions& options_;
  const std::set<std::string>* wanted_;
  std::string type_, own_;
  Place& place_;  // of our kernels
  TableRow row_;
  bool substitutes_ = false;
  std::list<Call> calls_;
  std::list<Prepared> prepared_;
  std::map<std::string, Part> parts_;
  std::unique_ptr<BareTopK> top_k_;
  std::vector<Column> columns_;
};

}  // namespace

TableRow timed_row(const TableOptions& options, Phase phase, const AttentionShape& shape,
                   const std::set<std::string>* wanted) {
  return Row(options, phase, shape, wanted).take();
}

}  // namespace parity::benches
