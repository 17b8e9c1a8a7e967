// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/plugin/plugin.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
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
constexpr int kMostTimeouts = 3;

thread_local double g_seconds = 0.0;

/// Seconds of one call. Drawn cases are small.
double seconds_of_call() {
  constexpr double kUsual = 10.0, kMost = 86400.0;
  const char* given = std::getenv("PARITY_PLUGIN_SECONDS");
  if (given == nullptr) return kUsual;
  char* end = nullptr;
  const double seconds = std::strtod(given, &end);
  PARITY_CHECK(*given != 0 && *end == 0 && seconds > 0.0 && seconds <= kMost, usage,
               "PARITY_PLUGIN_SECONDS is '{}'; give the seconds of one call, above 0 and up to {}", given, kMost);
  return seconds;
}

const Definition& definition_of_name(const std::string& component) {
  const auto known = drawn_cases();
  PARITY_CHECK(std::find(known.begin(), known.end(), component) != known.end(), usage,
               "it computes '{}', which is not a component{}; append =COMPONENT to the value of --kernel (parity list "
               "prints all)",
               component, did_you_mean(component, known));
  const auto fused = drawn_fusions();
  const bool is_fused = std::find(fused.begin(), fused.end(), component) != fused.end();
  return is_fused ? optimized::fusions().kernels().component(component) : reference::registry().component(component);
}

}  // namespace

/// Workers of one kernel: as many as threads call it, each with one call at a time.
class Plugin::Pool {
 public:
  explicit Pool(WorkerSource source) : source_(std::move(source)), seconds_(seconds_of_call()) {}

  Described describe() {
    auto process = std::make_unique<KernelProcess>(source_);
    Described described = process->describe(kLoading);
    idle_.push_back(std::move(process));
    return described;
  }

  void run(const ProcessCall& call) {
    PARITY_CHECK(timeouts_ < kMostTimeouts, device,
                 "not run: the kernel gave no answer within {} s in {} earlier calls; fix these first", seconds_,
                 kMostTimeouts);
    std::unique_ptr<KernelProcess> process = take();
    const auto begin = std::chrono::steady_clock::now();
    try {
      process->call(call, seconds_);
    } catch (const Error&) {
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      if (!process->lives() && took.count() >= seconds_) ++timeouts_;
      if (process->lives()) give(std::move(process));
      throw;
    }
    g_seconds = process->seconds();
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
  double seconds_;
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

double Plugin::seconds_of_last_call() { return g_seconds; }

const Plugin& Plugin::named(const std::string& word) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<const Plugin>> known;
  const std::scoped_lock lock(mutex);
  auto& plugin = known[word];
  if (plugin == nullptr) plugin = std::make_unique<const Plugin>(word);
  return *plugin;
}

}  // namespace parity::cases
