// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The PTX machine as a place: what it holds, what it refuses, and that its findings are errors that name the kernel.
#include "optimized/cuda_host/machine_place.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <map>
#include <thread>

#include <gmock/gmock.h>

#include "core/call.hpp"
#include "core/components/norm/rms_norm.hpp"
#include "optimized/cuda/modules.hpp"
#include "optimized/cuda_host/launch_counters.hpp"
#include "optimized/ptx/matrix/tensor_map.hpp"
#include "optimized/registry.hpp"

namespace parity::optimized::cuda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

template <class Body>
std::string error_of(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

template <size_t count>
std::array<std::byte, count> bytes_at(const CudaPlace& place, const std::byte* source) {
  std::array<std::byte, count> bytes{};
  place.read(bytes.data(), source, count);
  return bytes;
}

TEST(MachinePlace, HoldsWhatIsWrittenFilledAndCleared) {
  MachinePlace place(false);
  const std::array given{std::byte{1}, std::byte{2}};
  const auto memory = place.allocate(5, Place::kAlignment);

  place.fill(memory.get(), 5, given);
  EXPECT_EQ(bytes_at<5>(place, memory.get()), (std::array{given[0], given[1], given[0], given[1], given[0]}));
  place.clear(memory.get() + 1, 2);
  place.write(memory.get() + 3, given.data(), 2);
  EXPECT_EQ(bytes_at<5>(place, memory.get()), (std::array{given[0], std::byte{0}, std::byte{0}, given[0], given[1]}));
}

TEST(MachinePlace, NamesABarrierThatThreadsMissBeforeWhatFollowsFromIt) {
  const ptx::Program program(R"(.version 9.0
.target sm_80
.address_size 64
.visible .entry k() {
.shared .align 4 .b8 mine[256];
.reg .pred %p<2>; .reg .b32 %r<5>;
mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, mine; add.s32 %r3, %r3, %r2;
ld.shared.u32 %r4, [%r3];
setp.gt.u32 %p1, %r1, 31;
@%p1 ret;
bar.sync 0;
ret;
})");
  MachinePlace place(true);
  const std::string error = error_of([&] {
    place.launch(program, "own.ptx", {"own", "k", {1, 1, 1}, {64, 1, 1}}, {});
    place.wait();
  });

  EXPECT_THAT(error, HasSubstr("unwritten"));
  EXPECT_LT(error.find("early exit"), error.find("unwritten")) << error;
}

TEST(MachinePlace, TellsAnAccessOfGuardBytesByItsDistanceFromTheTensor) {
  const std::map<std::string, std::string> expected{
      {"ld.global.u32 %r1, [%rd1+16];", "read of 4 global bytes at offset 16 of the 16 bytes between its guards"},
      {"st.global.u32 [%rd1-4], 0;", "write of 4 global bytes at offset -4 of the 16 bytes between its guards"},
      {"atom.global.add.u32 %r1, [%rd1+20], 1;", "read of 4 global bytes at offset 20 of the 16 bytes between"},
      {"ld.global.u32 %r1, [%rd1+12];", ""}};
  for (const auto& [instruction, finding] : expected) {
    MachinePlace place(true);
    const Tensor tensor = Tensor::guarded(DType::f32, {4}, {}, place);
    place.clear(tensor.view().data, 16);
    const uint64_t address = std::bit_cast<uint64_t>(tensor.view().data);
    const ptx::Program program(
        ".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
        ".reg .b32 %r<2>; .reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\n" +
        instruction + "\nret;\n}");
    const std::string error = error_of([&] {
      place.launch(program, "own.ptx", {"own", "k", {1, 1, 1}, {1, 1, 1}}, std::as_bytes(std::span(&address, 1)));
    });

    EXPECT_EQ(error.empty(), finding.empty()) << instruction << error;
    EXPECT_THAT(error, HasSubstr(finding));
    EXPECT_THAT(error, ::testing::Not(HasSubstr("times"))) << "one access is one finding";
  }
}

TEST(MachinePlace, KnowsOfAnEmptyTensorThatNothingIsBetweenItsGuards) {
  MachinePlace place(true);
  const Tensor tensor = Tensor::guarded(DType::f32, {0}, {}, place);
  EXPECT_TRUE(tensor.guards_intact());
  const uint64_t address = std::bit_cast<uint64_t>(tensor.view().data);
  const ptx::Program program(R"(.version 9.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p) {
.reg .b64 %rd<2>;
ld.param.u64 %rd1, [p];
st.global.u32 [%rd1], 0;
ret;
})");
  EXPECT_THAT(
      error_of([&] {
        place.launch(program, "own.ptx", {"own", "k", {1, 1, 1}, {1, 1, 1}}, std::as_bytes(std::span(&address, 1)));
      }),
      HasSubstr("of the 0 bytes between its guards"));
}

TEST(MachinePlace, RefusesBytesBeyondAnAllocation) {
  MachinePlace place(false);
  const auto memory = place.allocate(4, Place::kAlignment);
  std::array<std::byte, 8> bytes{};

  EXPECT_THAT(error_of([&] { place.read(bytes.data(), memory.get(), 8); }),
              HasSubstr("not within a living allocation"));
}

TEST(MachinePlace, HasTheCapabilityThatItIsGiven) {
  EXPECT_EQ(MachinePlace(false).capability(), 80);
  EXPECT_EQ(MachinePlace(true, 90).capability(), 90);
  EXPECT_EQ(MachinePlace(true, 90).name(), "the PTX machine as compute capability 90, with checks");
}

/// Two matrices of 3 rows of 8 numbers, rows 16 numbers apart.
TensorBoxes some_boxes(std::byte* data) { return {data, {8, 3, 2, 1}, {1, 16, 48, 96}, {64, 2, 1, 1}}; }

TEST(MachinePlace, DescribesTensorsAsItsKernelsReadThem) {
  MachinePlace place(false);
  const auto memory = place.allocate(192, Place::kAlignment);

  const TensorMap map = place.tensor_map(some_boxes(memory.get()));
  const auto found = ptx::decode_tensor_map(std::as_bytes(std::span(map.bytes)));
  EXPECT_EQ(found.address, std::bit_cast<uint64_t>(memory.get()));
  EXPECT_EQ(found.size, (std::array<uint64_t, 5>{8, 3, 2, 1}));
  EXPECT_EQ(found.stride, (std::array<uint64_t, 4>{32, 96, 192}));
  EXPECT_EQ(found.box, (std::array<uint32_t, 5>{64, 2, 1, 1}));
}

TEST(MachinePlace, DescribesNoRowsThatBeginBetweenSixteenBytes) {
  MachinePlace place(false);
  const auto memory = place.allocate(192, Place::kAlignment);
  TensorBoxes boxes = some_boxes(memory.get());

  EXPECT_TRUE(boxes_fit(boxes));
  boxes.stride[1] = 12;
  EXPECT_FALSE(boxes_fit(boxes));
  EXPECT_THAT(error_of([&] { static_cast<void>(place.tensor_map(boxes)); }), HasSubstr("multiples of 16 bytes"));
  boxes = some_boxes(memory.get() + 2);
  EXPECT_FALSE(boxes_fit(boxes));
  boxes = some_boxes(memory.get());
  boxes.extent[2] = 0;
  EXPECT_FALSE(boxes_fit(boxes));
}

/// The kernels of this build; without nvcc there are none.
class MachineKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_modules()) GTEST_SKIP() << "this build has no nvcc";
  }

  /// rms_norm of one row of four elements.
  static KernelCall norm(const Tensor& x, const Tensor& weight) {
    KernelCall call(registry().component("rms_norm"));
    call.input("x", x);
    call.input("weight", weight);
    call.output("out", {DType::f32, {1, 4}});
    return call;
  }
  static const ErasedKernel& kernel() { return registry().kernel("rms_norm", "cuda-host", "f32").run; }
};

TEST_F(MachineKernels, RunAtTheirPlaceAlone) {
  const KernelCall call = norm(Tensor(DType::f32, {1, 4}), Tensor(DType::f32, {4}));
  const PlacedCall on_host(call);

  EXPECT_THAT(error_of([&] { on_host.run(kernel()); }),
              HasSubstr("which is neither a CUDA device nor the PTX machine"));
}

TEST_F(MachineKernels, CheckShapes) {
  MachinePlace place(false);
  const KernelCall call = norm(Tensor(DType::f32, {1, 4}), Tensor(DType::f32, {3}));

  EXPECT_THAT(error_of([&] { PlacedCall(call, place).run(kernel()); }), HasSubstr("rms_norm reads rows of 4 channels"));
}

/// What guarded() fills is no number that anybody wrote.
TEST_F(MachineKernels, WithChecksReadNothingThatNobodyWrote) {
  for (const bool checked : {false, true}) {
    MachinePlace place(checked);
    const std::array<float, 4> ones{1, 1, 1, 1};
    const Tensor x = Tensor::guarded(DType::f32, {1, 4}, {}, place);
    const Tensor weight = Tensor::guarded(DType::f32, {4}, {}, place);
    const KernelCall call = norm(x, weight);
    const PlacedCall placed(call, place, PlacedCall::Inputs::given);
    place.write(weight.view().data, std::as_bytes(std::span(ones)).data(), sizeof ones);

    const std::string found = error_of([&] { placed.run(kernel()); });
    if (checked) {
      EXPECT_THAT(found, AllOf(HasSubstr("unwritten: rms_norm_f32, block (0,0,0) thread (0,0,0)"),
                               HasSubstr("rms_norm.cu:"), HasSubstr("PTX line"), HasSubstr("fix the kernel")));
    } else {
      EXPECT_EQ(found, "");
    }
    place.write(x.view().data, std::as_bytes(std::span(ones)).data(), sizeof ones);
    EXPECT_EQ(error_of([&] { placed.run(kernel()); }), "");
  }
}

/// Two launches, of which another thread does the second.
std::vector<CountedLaunch> counted_of_two(const PlacedCall& placed, const ErasedKernel& kernel) {
  const LaunchCounters counters;
  placed.run(kernel);
  std::thread([&] { placed.run(kernel); }).join();
  return counters.launches();
}

TEST_F(MachineKernels, AreCountedInTheThreadThatAsks) {
  MachinePlace place(false);
  const KernelCall call = norm(Tensor(DType::f32, {1, 4}), Tensor(DType::f32, {4}));
  const PlacedCall placed(call, place);
  placed.run(kernel());
  const std::vector<CountedLaunch> counted = counted_of_two(placed, kernel());

  ASSERT_EQ(counted.size(), 1U);
  EXPECT_EQ(counted[0].what.module, "rms_norm");
  EXPECT_EQ(counted[0].counters.kernel, "rms_norm_f32");
  EXPECT_EQ(counted[0].counters.unique, (ptx::UniqueBytes{counted[0].counters.unique->by_traffic, 32, 16}));
  EXPECT_EQ(LaunchCounters::active(), nullptr);
}

TEST(LaunchCounters, TheNewestOfAThreadCounts) {
  const LaunchCounters outer;
  {
    const LaunchCounters inner({3, 1});
    EXPECT_EQ(LaunchCounters::active(), &inner);
    EXPECT_EQ(LaunchCounters::active()->sample().blocks, 3U);
  }
  EXPECT_EQ(LaunchCounters::active(), &outer);
}

TEST_F(MachineKernels, NameTheModuleAndTheKernelThatAreMissing) {
  MachinePlace place(false);
  Launch what{"rms_nrm", "rms_norm_f32", {1}, {32}};

  EXPECT_THAT(error_of([&] { place.launch(what, {}); }), HasSubstr("no module 'rms_nrm'"));
  what = {"rms_norm", "rms_norm_f16", {1}, {32}};
  EXPECT_THAT(error_of([&] { place.launch(what, {}); }), AllOf(HasSubstr("rms_norm.cu"), HasSubstr("rms_norm_f16")));
}

TEST_F(MachineKernels, RunUnderTheScheduleThatIsAskedFor) {
  MachinePlace place(true);
  const std::array<float, 4> ones{1, 1, 1, 1};
  Tensor x(DType::f32, {1, 4}), weight(DType::f32, {4});
  std::ranges::copy(ones, x.view().as<float, 2>().data);
  std::ranges::copy(ones, weight.view().as<float, 1>().data);
  const KernelCall call = norm(x, weight);
  const PlacedCall placed(call, place);

  setenv("PARITY_PTX_SEED", "7", 1);
  EXPECT_EQ(error_of([&] { placed.run(kernel()); }), "");
  setenv("PARITY_PTX_SEED", "7th", 1);
  EXPECT_THAT(error_of([&] { placed.run(kernel()); }), HasSubstr("PARITY_PTX_SEED is '7th'"));
  unsetenv("PARITY_PTX_SEED");
}

TEST_F(MachineKernels, AreThereForEachComputeCapabilityFromEight) {
  EXPECT_EQ(module_text("rms_norm", 80), module_text("rms_norm", 120));
  EXPECT_THAT(module_text("attention_sm90", 90), HasSubstr("sm_90a"));
  EXPECT_THAT(error_of([] { static_cast<void>(module_text("attention_sm90", 80)); }), HasSubstr("capability 80"));
  EXPECT_THAT(error_of([] { static_cast<void>(module_text("rms_norm", 75)); }), HasSubstr("compute capability 75"));
}

}  // namespace
}  // namespace parity::optimized::cuda
