// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Without a driver the backend cuda says why. With one, be it the stand-in of testing/driver, its memory keeps what is
// written, kernels run, and their times are those of graphs.
#include "optimized/cuda/driver_place.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "core/call.hpp"
#include "core/components/norm/rms_norm.hpp"
#include "optimized/backends.hpp"
#include "optimized/cuda/modules.hpp"
#include "optimized/registry.hpp"

namespace parity::optimized::cuda {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(DriverPlace, SaysWhatToDoWithoutADriver) {
  if (has_driver()) GTEST_SKIP() << "an NVIDIA driver is there";
  try {
    static_cast<void>(driver_place(0));
    FAIL() << "a place without a driver";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::device);
    EXPECT_THAT(error.what(), HasSubstr("use cuda-host"));
  }
  EXPECT_THAT(find_backend("cuda")->version(), HasSubstr(has_modules() ? "driver" : "ci/setup.sh cuda"));
}

std::vector<float> floats_of(const Tensor& tensor) {
  const Tensor here = tensor.on_host();
  const auto* first = reinterpret_cast<const float*>(here.view().data);
  return {first, first + here.view().count()};
}

std::string error_with_driver(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// What the machine reads in a map is what the stand-in was asked to write.
TEST(DriverStandIn, WritesTensorMapsByTheRulesOfTheDriver) {
  using Encode = int (*)(void*, int, unsigned, void*, const uint64_t*, const uint64_t*, const unsigned*,
                         const unsigned*, int, int, int, int);
  if (!has_driver()) GTEST_SKIP() << "no GPU";
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  const auto encode = reinterpret_cast<Encode>(dlsym(library, "cuTensorMapEncodeTiled"));
  ASSERT_NE(encode, nullptr);
  constexpr int kBf16 = 9, kSwizzle128 = 3;
  const std::array<uint64_t, 2> size{64, 8};
  const std::array<uint64_t, 1> stride{128}, odd_stride{120};
  const std::array<unsigned, 2> box{64, 8}, step{1, 1};
  alignas(64) std::array<std::byte, 128> map{};
  void* address = reinterpret_cast<void*>(uintptr_t{1} << 20U);
  const auto status = [&](const uint64_t* strides) {
    return encode(map.data(), kBf16, 2, address, size.data(), strides, box.data(), step.data(), 0, kSwizzle128, 2, 0);
  };

  EXPECT_EQ(status(stride.data()), 0);
  EXPECT_NE(map, (std::array<std::byte, 128>{}));
  EXPECT_NE(status(odd_stride.data()), 0);
}

/// A call that a graph cannot hold fails and spoils the capture, as the driver's documentation has it.
TEST(DriverStandIn, RefusesMemoryAndWaitingDuringACapture) {
  if (!has_driver()) GTEST_SKIP() << "no GPU";
  const Driver& driver = cuda::driver();
  constexpr int kUnsupported = 900, kInvalidated = 901;
  void *stream = nullptr, *graph = nullptr;
  static_cast<void>(driver_place(0).room());  // its context is this thread's
  ASSERT_EQ(driver.create_stream(&stream, 0), 0);
  DevicePointer address = 0;

  ASSERT_EQ(driver.begin_capture(stream, capture_of_thread), 0);
  EXPECT_EQ(driver.allocate(&address, 16), kUnsupported);
  EXPECT_EQ(driver.end_capture(stream, &graph), kInvalidated);
  ASSERT_EQ(driver.begin_capture(stream, capture_of_thread), 0);
  EXPECT_EQ(driver.wait_for_stream(stream), kUnsupported);
  EXPECT_EQ(driver.end_capture(stream, &graph), kInvalidated);
  EXPECT_EQ(graph, nullptr);
}

class DriverPlaceWithDriver : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_driver()) GTEST_SKIP() << "no GPU";
    if (!has_modules()) GTEST_SKIP() << "this build has no nvcc";
  }

  /// rms_norm of 1, 1, 1, 1 with a gain of 1, 2, 3, 4.
  struct Norm {
    DriverPlace& place = driver_place(0);
    Tensor x{DType::f32, {1, 4}}, weight{DType::f32, {4}};
    KernelCall call{registry().component("rms_norm")};
    const ErasedKernel& kernel = registry().kernel("rms_norm", "cuda", "f32").run;

    Norm() {
      std::fill_n(x.view().as<float, 2>().data, 4, 1.0F);
      std::iota(weight.view().as<float, 1>().data, weight.view().as<float, 1>().data + 4, 1.0F);
      call.params = {{"eps", 0.0}, {"gain_offset", 0.0}};
      call.input("x", x);
      call.input("weight", weight);
      call.output("out", {DType::f32, {1, 4}});
    }
  };
};

TEST_F(DriverPlaceWithDriver, HoldsWhatIsWrittenFilledAndCleared) {
  DriverPlace& place = driver_place(0);
  const std::array given{std::byte{1}, std::byte{2}};
  std::array<std::byte, 5> found{};
  const auto memory = place.allocate(5, Place::kAlignment);

  place.fill(memory.get(), 5, given);
  place.clear(memory.get() + 1, 2);
  place.write(memory.get() + 3, given.data(), 2);
  place.read(found.data(), memory.get(), 5);

  EXPECT_EQ(found, (std::array{given[0], std::byte{0}, std::byte{0}, given[0], given[1]}));
}

TEST_F(DriverPlaceWithDriver, RunsKernels) {
  Norm norm;
  const PlacedCall placed(norm.call, norm.place);

  placed.run(norm.kernel);

  EXPECT_THAT(floats_of(placed.output("out")), ElementsAre(1.0F, 2.0F, 3.0F, 4.0F));
}

TEST_F(DriverPlaceWithDriver, TimesWhatAGraphHolds) {
  Norm norm;
  const PlacedCall placed(norm.call, norm.place);
  placed.run(norm.kernel);
  placed.poison(Poison::nan);

  ::testing::internal::CaptureStderr();
  const double seconds = norm.place.seconds([&] { placed.run(norm.kernel); });

  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_GT(seconds, 0.0);
  EXPECT_THAT(floats_of(placed.output("out")), ElementsAre(1.0F, 2.0F, 3.0F, 4.0F));
}

TEST_F(DriverPlaceWithDriver, SaysWhatAGraphCannotHold) {
  DriverPlace& place = driver_place(0);
  const auto memory = place.allocate(1, Place::kAlignment);
  std::byte byte{};

  ::testing::internal::CaptureStderr();
  const double seconds = place.seconds([&] {
    place.clear(memory.get(), 1);
    place.read(&byte, memory.get(), 1);
  });

  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("the host reads a result while a graph is recorded"));
  EXPECT_GE(seconds, 0.0);
  EXPECT_EQ(byte, std::byte{0});
}

TEST_F(DriverPlaceWithDriver, CopiesFromTheHostAsPartOfAGraph) {
  DriverPlace& place = driver_place(0);
  const auto memory = place.allocate(1, Place::kAlignment);
  std::byte byte{};

  static_cast<void>(place.seconds([&] {
    const std::byte gone{7};  // when the graph runs
    place.write(memory.get(), &gone, 1);
  }));
  place.read(&byte, memory.get(), 1);

  EXPECT_EQ(byte, std::byte{7});
}

TEST_F(DriverPlaceWithDriver, LaunchesOneGraphAsOftenAsAsked) {
  Norm norm;
  const PlacedCall placed(norm.call, norm.place);
  placed.run(norm.kernel);
  const auto graph = norm.place.record([&] { placed.run(norm.kernel); });
  const PlaceTraffic before = norm.place.traffic();

  for (int launch = 0; launch < 3; ++launch) {
    placed.poison(Poison::other);
    launch == 0 ? graph->launch() : static_cast<void>(graph->seconds());
    EXPECT_THAT(floats_of(placed.output("out")), ElementsAre(1.0F, 2.0F, 3.0F, 4.0F)) << launch;
  }

  PlaceTraffic done = norm.place.traffic();
  done -= before;
  EXPECT_EQ(done.graph_launches, 3);
  EXPECT_EQ(done.launches, 3);
  EXPECT_EQ(done.written, 0) << "poison is written on the device";
  EXPECT_EQ(done.read, 3 * 4 * 4);
}

TEST_F(DriverPlaceWithDriver, RunsNothingWhileItRecords) {
  Norm norm;
  const PlacedCall placed(norm.call, norm.place);
  placed.run(norm.kernel);
  placed.poison(Poison::nan);

  const auto graph = norm.place.record([&] { placed.run(norm.kernel); });

  EXPECT_TRUE(std::isnan(floats_of(placed.output("out")).front()));
}

TEST_F(DriverPlaceWithDriver, RefusesToRecordWhatAGraphCannotHold) {
  DriverPlace& place = driver_place(0);
  const auto memory = place.allocate(1, Place::kAlignment);
  std::byte byte{};

  const auto record = [&](const std::function<void()>& work) {
    return error_with_driver([&] { static_cast<void>(place.record(work)); });
  };
  EXPECT_THAT(record([&] { place.read(&byte, memory.get(), 1); }),
              HasSubstr("the host reads a result while a graph is recorded"));
  EXPECT_THAT(record([&] { static_cast<void>(place.allocate(1, Place::kAlignment)); }),
              HasSubstr("memory is allocated while a graph is recorded"));
  EXPECT_NE(place.record([&] { place.clear(memory.get(), 1); }), nullptr) << "the stream captures again";
}

TEST_F(DriverPlaceWithDriver, KnowsItsRoom) {
  DriverPlace& place = driver_place(0);
  const auto before = place.room();
  const auto memory = place.allocate(size_t{1} << 20U, Place::kAlignment);

  ASSERT_TRUE(before.has_value());
  EXPECT_LE(before->free, before->total);
  EXPECT_LE(place.room()->free, before->free - (int64_t{1} << 20));
}

TEST_F(DriverPlaceWithDriver, FillsWithPatternsOfAnyLength) {
  DriverPlace& place = driver_place(0);
  const auto memory = place.allocate(64, Place::kAlignment);
  for (const size_t length : {1, 2, 4, 8}) {
    std::vector<std::byte> pattern(length), found(61);
    for (size_t i = 0; i < length; ++i) pattern[i] = static_cast<std::byte>(i + 1);

    place.fill(memory.get(), found.size(), pattern);
    place.read(found.data(), memory.get(), found.size());

    for (size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], pattern[i % length]) << length << " " << i;
  }
}

TEST_F(DriverPlaceWithDriver, FlushesByLinesOfACache) {
  std::array<std::byte, 129> memory{};

  EXPECT_EQ(driver_place(0).flush(memory), 2);
}

/// A folder whose module has this text, in place of the one that is built in.
class OwnModule {
 public:
  OwnModule(const std::string& name, const char* text)
      : folder_(std::filesystem::path(::testing::TempDir()) / fmt::format("own_module_{}", ::getpid())) {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / (name + ".80.ptx")) << ".version 8.0\n.target sm_80\n.address_size 64\n" << text;
    setenv("PARITY_CUDA_MODULES", folder_.c_str(), 1);
  }
  OwnModule(const OwnModule&) = delete;
  OwnModule& operator=(const OwnModule&) = delete;
  ~OwnModule() {
    unsetenv("PARITY_CUDA_MODULES");
    std::filesystem::remove_all(folder_);
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(DriverPlaceWithDriver, NamesTheKernelOfARefusedLaunch) {
  DriverPlace& place = driver_place(0);

  EXPECT_THAT(error_with_driver([&] {
                place.launch({"rms_norm", "rms_norm_f16", {1}, {32}}, {});
              }),
              HasSubstr("rms_norm_f16 in rms_norm.cu: named symbol not found"));
  EXPECT_THAT(error_with_driver([&] {
                place.launch({"rms_norm", "rms_norm_f32", {1}, {32}}, {});
              }),
              ::testing::ContainsRegex("rms_norm_f32 in rms_norm.cu takes [1-9][0-9]+ bytes of parameters, not 0"));
  const OwnModule module("splice", ".visible .entry splice_f32() .maxntid 32, 1, 1 { ret; }");
  EXPECT_THAT(error_with_driver([&] {
                place.launch({"splice", "splice_f32", {1}, {64}}, {});
              }),
              HasSubstr("launch of splice_f32 in splice.cu: invalid argument"));
  EXPECT_THAT(error_with_driver([&] {
                place.launch({"rms_norm", "rms_norm_f32", {1}, {32}, {}, 1U << 20U}, {});
              }),
              HasSubstr("1048576 bytes of shared memory for rms_norm_f32: invalid argument"));
}

TEST_F(DriverPlaceWithDriver, NamesTheKernelThatFailedAndRunsNothingAfterIt) {
  const auto fail = [] {
    const OwnModule module("gelu",
                           ".visible .entry gelu_f32() { .reg .b64 %a; mov.b64 %a, 8; st.global.u32 [%a], 1; ret; }");
    DriverPlace& place = driver_place(0);
    std::array<std::byte, 1> byte{};
    place.launch({"gelu", "gelu_f32", {1}, {32}}, {});
    std::fprintf(stderr, "%s\n", error_with_driver([&] { place.wait(); }).c_str());
    std::fprintf(stderr, "%s\n", error_with_driver([&] { place.write(byte.data(), byte.data(), 1); }).c_str());
    return true;
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // the process is of no use afterwards
  EXPECT_EXIT(std::exit(fail() ? 0 : 1), ::testing::ExitedWithCode(0),
              "a kernel or copy .one of gelu_f32.: .*not run, because the GPU refuses .*one of gelu_f32");
}

TEST_F(DriverPlaceWithDriver, ShowsWhatTheDriversCompilerSays) {
  const OwnModule module("gelu", ".visible nonsense");

  const std::string found = error_with_driver([&] { driver_place(0).launch({"gelu", "gelu_f32", {1}, {32}}, {}); });

  EXPECT_THAT(found, HasSubstr("cuModuleLoadDataEx of gelu.cu: "));
  EXPECT_THAT(found, HasSubstr("nonsense"));
}

}  // namespace
}  // namespace parity::optimized::cuda
