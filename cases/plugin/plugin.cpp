// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/plugin/plugin.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>

#include "cases/drawn/case.hpp"
#include "cases/plugin/plugin_word.hpp"
#include "core/text.hpp"
#include "optimized/registry.hpp"
#include "reference/reference.hpp"

namespace parity::cases {
namespace {

constexpr double kLoading = 120.0;  // s: a Python worker may import PyTorch
constexpr double kCall = 10.0;      // s: of one call; drawn cases are small
constexpr int kMostTimeouts = 3;

const Definition& definition_of_name(const std::string& component) {
  const auto known = drawn_cases();
  PARITY_CHECK(std::find(known.begin(), known.end(), component) != known.end(), usage,
               "it computes '{}', which is no component{}; add =COMPONENT to the word, or see parity list", component,
               did_you_mean(component, known));
  const auto fused = drawn_fusions();
  const bool is_fused = std::find(fused.begin(), fused.end(), component) != fused.end();
  return is_fused ? optimized::fusions().kernels().component(component) : reference::registry().component(component);
}

}  // namespace

/// Workers of one kernel: as many as threads call it, each with one call at a time.
class Plugin::Pool {
 public:
  explicit Pool(WorkerSource source) : source_(std::move(source)) {}

  Described describe() {
    auto process = std::make_unique<KernelProcess>(source_);
    Described described = process->describe(kLoading);
    idle_.push_back(std::move(process));
    return described;
  }

  void run(const ProcessCall& call) {
    PARITY_CHECK(timeouts_ < kMostTimeouts, device,
                 "not run: the kernel gave no answer within {} s in {} calls before; mend them first", kCall,
                 kMostTimeouts);
    std::unique_ptr<KernelProcess> process = take();
    const auto begin = std::chrono::steady_clock::now();
    try {
      process->call(call, kCall);
    } catch (const Error&) {
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      if (!process->lives() && took.count() >= kCall) ++timeouts_;
      if (process->lives()) give(std::move(process));
      throw;
    }
    give(std::move(process));
  }

 private:
  std::unique_ptr<KernelProcess> take() {
    {
      const std::scoped_lock lock(mutex_);
      if (!idle_.empty()) {
        auto process = std::move(idle_.back());
        idle_.pop_back();
        return process;
      }
    }
    auto process = std::make_unique<KernelProcess>(source_);
    static_cast<void>(process->describe(kLoading));
    return process;
  }
  void give(std::unique_ptr<KernelProcess> process) {
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(process));
  }

  WorkerSource source_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<KernelProcess>> idle_;
  std::atomic<int> timeouts_{0};
};

Plugin::Plugin(const std::string& word) {
  const PluginWord parsed(word);
  pool_ = std::make_shared<Pool>(parsed.source());
  with_context(word, [&] {
    try {
      described_ = pool_->describe();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::device) throw;
      throw Error(ErrorCode::usage, error.what());  // the kernel's process: the word is an argument
    }
    if (!parsed.component().empty())
      for (DescribedKernel& kernel : described_.kernels) kernel.component = parsed.component();
    for (const DescribedKernel& kernel : described_.kernels) add(word, kernel);
  });
}

void Plugin::add(const std::string& word, const DescribedKernel& kernel) {
  const Definition& definition = definition_of_name(kernel.component);
  for (const DType working : kernel.types) {
    const auto run = [pool = pool_, &definition, working](const Arguments& inputs, const ParamMap& params,
                                                          const Arguments& outputs, Context&) {
      pool->run({definition, working, inputs, params, outputs});
    };
    registry_.add_erased(definition, {kernel.component, word, to_string(working), run});
  }
}

const Plugin& Plugin::named(const std::string& word) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<const Plugin>> known;
  const std::scoped_lock lock(mutex);
  auto& plugin = known[word];
  if (plugin == nullptr) plugin.reset(new Plugin(word));
  return *plugin;
}

}  // namespace parity::cases
