// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/foreign/launch.hpp"

#include <array>
#include <limits>
#include <span>

#include "optimized/cuda_host/machine_place.hpp"

namespace parity::cases {
namespace {

using optimized::cuda::Dim;
using Kind = BoundArgument::Kind;

uint64_t bytes_of(Kind kind) {
  if (kind == Kind::boolean) return 1;
  return kind == Kind::i32 || kind == Kind::f32 ? 4 : 8;
}

int64_t value_in(const Binding& binding, const IntegerExpression& expression, const CallValues& values,
                 const char* what, int64_t least, int64_t most) {
  const int64_t value = with_context(binding.file.string(), [&] {
    return expression.value([&](const std::string& name) { return values.whole(name); });
  });
  PARITY_CHECK(value >= least && value <= most, unsupported, "{}: {} '{}' is {}; the allowed range is {} to {}",
               binding.file.string(), what, expression.text(), value, least, most);
  return value;
}

Dim extents(const Binding& binding, const std::vector<IntegerExpression>& of, const CallValues& values,
            const char* what, int64_t least, int64_t most) {
  Dim dim;
  std::array<uint32_t*, 3> axes{&dim.x, &dim.y, &dim.z};
  for (size_t i = 0; i < of.size(); ++i)
    *axes[i] = static_cast<uint32_t>(
        value_in(binding, of[i], values, what, least, i == 0 ? most : std::min<int64_t>(most, 65535)));
  return dim;
}

/// What the machine executes in minutes, not hours.
void require_few_threads(const Binding& binding, const Dim& grid, const Dim& block) {
  constexpr uint64_t kMost = uint64_t{1} << 26U;
  const uint64_t blocks = uint64_t{grid.x} * grid.y, threads = uint64_t{block.x} * block.y * block.z;
  PARITY_CHECK(threads <= 1024, unsupported, "{}: 'block' has {} threads; at most 1024 are allowed",
               binding.file.string(), threads);
  const bool few = blocks <= kMost && blocks * grid.z <= kMost && blocks * grid.z * threads <= kMost;
  PARITY_CHECK(
      few, unsupported,
      "{}: 'grid' {} x {} x {} launches more than 2^26 threads, the most that parity simulates; use a smaller grid",
      binding.file.string(), grid.x, grid.y, grid.z);
}

class Packed {
 public:
  Packed(const Binding& binding, const CallValues& values, Context& context)
      : binding_(binding), values_(values), context_(context) {}

  void add(const BoundArgument& argument) {
    constexpr int64_t kMostBytes = int64_t{1} << 30U, kMost = std::numeric_limits<int64_t>::max();
    const auto whole = [&](int64_t least, int64_t most) {
      return value_in(binding_, *argument.expression, values_, "argument", least, most);
    };
    switch (argument.kind) {
      case Kind::operand:
        if (!binding_.passes_strides_of(argument.text)) values_.require_contiguous(argument.text);
        parameters_.add(values_.address(argument.text));
        break;
      case Kind::boolean:
        parameters_.add(static_cast<uint8_t>(whole(0, 1)));
        break;
      case Kind::i32:
        parameters_.add(
            static_cast<int32_t>(whole(std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max())));
        break;
      case Kind::i64:
        parameters_.add(whole(-kMost, kMost));
        break;
      case Kind::f32:
        parameters_.add(static_cast<float>(values_.real(argument.text)));
        break;
      case Kind::f64:
        parameters_.add(values_.real(argument.text));
        break;
      case Kind::workspace:
        add_scratch(whole(0, kMostBytes));
    }
  }
  /// A null pointer for no bytes.
  void add_scratch(int64_t bytes) {
    const std::byte* memory = bytes == 0 ? nullptr : context_.workspace->take(static_cast<size_t>(bytes));
    parameters_.add(reinterpret_cast<uint64_t>(memory));
  }
  [[nodiscard]] const std::vector<uint8_t>& bytes() const { return parameters_.bytes(); }

 private:
  const Binding& binding_;
  const CallValues& values_;
  Context& context_;
  ptx::Parameters parameters_;
};

/// Of warps. A second for the small calls of most lanes, some seconds for large ones: far more than products of each
/// element with each other one of its row need.
uint64_t most_instructions(const CallValues& values) {
  constexpr uint64_t kLeast = uint64_t{1} << 25U, kOfElement = uint64_t{1} << 11U;
  return kLeast + kOfElement * static_cast<uint64_t>(values.elements());
}

}  // namespace

void check_parameters(const Binding& binding, const ptx::Function& kernel) {
  constexpr size_t kScratch = 2;  // pointers that Triton adds: scratch memory, and that of its profiler
  const size_t given = binding.arguments.size(), wanted = kernel.parameters.size();
  const bool theirs = binding.triton && wanted > given && wanted <= given + kScratch;
  PARITY_CHECK(given == wanted || theirs, usage, "{}: 'arguments' lists {} arguments; kernel {} has {} parameters",
               binding.file.string(), given, kernel.name, wanted);
  for (size_t i = 0; i < wanted; ++i) {
    const uint64_t bytes = i < given ? bytes_of(binding.arguments[i].kind) : 8;
    const uint64_t takes = kernel.parameters[i].second.bytes;
    PARITY_CHECK(bytes == takes, usage,
                 "{}: argument {} of 'arguments', '{}', has {} bytes; parameter {} of kernel {} has {} bytes",
                 binding.file.string(), i, i < given ? binding.arguments[i].text : "scratch", bytes, i, kernel.name,
                 takes);
  }
}

void launch_bound(const BoundKernel& bound, const CallValues& values, Context& context) {
  const Binding& binding = *bound.binding;
  constexpr int64_t kMostGrid = std::numeric_limits<int32_t>::max(), kMostBlock = 1024, kMostShared = 227 * 1024;
  const Dim grid = extents(binding, binding.grid, values, "'grid'", 0, kMostGrid);
  const Dim block = extents(binding, binding.block, values, "'block'", 1, kMostBlock);
  require_few_threads(binding, grid, block);
  const auto shared = static_cast<uint32_t>(value_in(binding, binding.shared, values, "'shared'", 0, kMostShared));
  Packed packed(binding, values, context);
  for (const BoundArgument& argument : binding.arguments) packed.add(argument);
  const size_t given = binding.arguments.size();
  for (size_t i = given; i < bound.kernel->parameters.size(); ++i) {
    const int64_t blocks = int64_t{grid.x} * grid.y * grid.z;
    packed.add_scratch(i == given ? binding.triton->scratch * blocks : 0);
  }
  auto* place = dynamic_cast<optimized::cuda::MachinePlace*>(context.place);
  PARITY_CHECK(place != nullptr, internal, "kernel {} is called on {}, for which it is not registered", bound.source,
               context.place->name());
  place->launch(*bound.program, bound.source, {bound.source, bound.kernel->name, grid, block, {}, shared},
                std::as_bytes(std::span(packed.bytes())), most_instructions(values));
}

}  // namespace parity::cases
