// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include "cli/runs/run_parts.hpp"
#include "core/environment.hpp"
#include "core/shell.hpp"
#include "reference/meter.hpp"

namespace parity::cli {

std::string synthesized(const RunOptions& options, std::optional<golden::TemporaryFolder>& folder) {
  folder.emplace();
  SynthesizeOptions make = options.synthetic;
  make.out = folder->path().string();
  make.profile = options.profile;
  make.quiet = true;
  make.announce = !options.quiet;
  golden_synthesize(make);
  return make.out;
}

void rename_commands(compare::RunReport& report, const std::string& made, const RunOptions& options) {
  const std::string sizes = synthetic_arguments(options.synthetic);
  const std::string again = fmt::format("parity run --synthetic {}{}", options.synthetic.published, sizes);
  std::string folder = shell_quoted(made + "#");
  folder.pop_back();  // removes the closing quote
  const std::string prefix = "parity repro " + folder;
  for (compare::GoldenReport& golden : report.goldens) {
    for (compare::Record& record : golden.records) {
      if (!record.repro.starts_with(prefix)) continue;
      const std::string mode = record.repro.find(" --mode ") == std::string::npos ? " --mode isolated" : "";
      record.repro = fmt::format("{} --select '{}{}", again, record.repro.substr(prefix.size()), mode);
    }
    if (!golden.first_divergence) continue;
    std::string& text = golden.first_divergence->explanation;
    const size_t at = text.find("parity explain " + folder);
    if (at == std::string::npos) continue;
    const std::string explain = text.substr(at);
    text.replace(at, explain.size(),
                 fmt::format("parity golden synthesize OUT --drawn --published {}{} and parity explain 'OUT#{}",
                             options.synthetic.published, sizes,
                             explain.substr(std::string("parity explain ").size() + folder.size())));
  }
}

void print_work(std::chrono::steady_clock::time_point started) {
  constexpr long kSize = 1024;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  const reference::ProductMeter& products = reference::product_meter();
  const double eigen = reference::eigen_flops_per_second(kSize);
  const double ours = products.flops / products.seconds;
  fmt::print(stderr,
             "{:.0f} s, peak memory {:.2f} GiB; matrix products {:.0f} s ({:.0f} %), {:.2f} Tflop at {:.1f} Gflop/s, "
             "{:.0f} % of the {:.1f} Gflop/s of Eigen (square matrices of size {}, all threads, binary64, same run)\n",
             seconds, static_cast<double>(peak_resident_bytes()) / 0x1p30, products.seconds,
             100.0 * products.seconds / seconds, products.flops / 1e12, ours / 1e9, 100.0 * ours / eigen, eigen / 1e9,
             kSize);
}

}  // namespace parity::cli
