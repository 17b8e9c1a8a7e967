// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Damaged or malicious files end in an Error of one line: no crash, no endless loop, little memory.
#include <cstdlib>
#include <functional>
#include <random>

#include <gmock/gmock.h>
#include <unistd.h>

#include "golden/checks/verify.hpp"
#include "golden/files/activation_file.hpp"
#include "golden/testing/test_support.hpp"

namespace parity::golden {
namespace {

using libhdf5::check;
using libhdf5::checked;
using libhdf5::Handle;
using test::bytes_of;
using test::error_of;
using test::write_bytes;
using ::testing::AnyOf;
using ::testing::HasSubstr;

enum class Outcome { fine, refused };

/// Opens, reads and verifies everything; any exception other than Error fails the test.
Outcome use(const std::filesystem::path& path) {
  Outcome outcome = Outcome::fine;
  try {
    const ActivationFile file = ActivationFile::open(path);
    for (const DatasetInfo& info : file.datasets()) {
      try {
        info.text ? (void)file.read_texts(info.path) : (void)file.read(info.path);
      } catch (const Error&) {
        outcome = Outcome::refused;
      }
    }
  } catch (const Error&) {
    outcome = Outcome::refused;
  }
  (void)verify(path);
  return outcome;
}

/// deflate expands 1032 times at most; the rest is memory of the program itself.
void expect_bounded_memory(const std::string& bytes) {
  EXPECT_LT(test::largest_allocation(), bytes.size() * 1032 + (32U << 20));
}

class HostileFilesTest : public ::testing::Test {
 protected:
  /// The bytes of a file of about 20 KB with chunks, links, texts and many attributes, as goldens have.
  std::string valid(H5F_libver_t low, H5F_libver_t high) {
    const std::filesystem::path path = folder_ / "valid.h5";
    if (low == H5F_LIBVER_V110) {
      test::SmallGolden options;
      options.more = [](ActivationWriter& writer) {
        writer.write("steps/000/x", test::integers({9, 300}).view(), {"N,H", "output", "linear"});
        for (int i = 0; i < 12; ++i) writer.group_attribute("many", fmt::format("a{}", i), std::string(20, 'x'));
      };
      test::write_golden(folder_ / "golden", options);
      return bytes_of(folder_ / "golden/activations.h5");
    }
    test::write_with_libhdf5(path, low, high, [](hid_t file) {
      const Handle group = checked(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, "group");
      for (int i = 0; i < 20; ++i) add(group.get(), fmt::format("x{}", i), {40, 30}, {7, 30}, i % 2 == 0);
    });
    return bytes_of(path);
  }

  static void add(hid_t file, const std::string& name, std::vector<hsize_t> extents, const std::vector<hsize_t>& chunk,
                  bool deflate, bool write = true) {
    const Handle properties = checked(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "properties");
    if (!chunk.empty()) check(H5Pset_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data()), "chunk");
    if (deflate) check(H5Pset_deflate(properties.get(), 1), "deflate");
    const Handle space =
        checked(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose, "space");
    const Handle dataset =
        checked(H5Dcreate2(file, name.c_str(), H5T_STD_U8LE, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
                H5Dclose, "dataset");
    if (!write) return;
    const std::vector<uint8_t> elements(static_cast<size_t>(H5Sget_simple_extent_npoints(space.get())), 3);
    check(H5Dwrite(dataset.get(), H5T_STD_U8LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements.data()), "write");
  }

  std::string refusal(const std::function<void(hid_t)>& body) {
    test::write_with_libhdf5(folder_ / "a.h5", H5F_LIBVER_V110, H5F_LIBVER_V110, body);
    return error_of([&] { (void)ActivationFile::open(folder_ / "a.h5"); });
  }

  TemporaryFolder folder_;
};

TEST_F(HostileFilesTest, EveryTruncationIsRefused) {
  for (const auto& [low, high] : {std::pair(H5F_LIBVER_V110, H5F_LIBVER_V110), {H5F_LIBVER_EARLIEST, H5F_LIBVER_V18}}) {
    const std::string bytes = valid(low, high);
    for (size_t length = 0; length < bytes.size(); length += 1 + bytes.size() / 150) {
      write_bytes(folder_ / "t.h5", bytes.substr(0, length));
      EXPECT_EQ(use(folder_ / "t.h5"), Outcome::refused) << length;
    }
  }
}

/// The bytes with a few of them overwritten at a random position: by a flipped bit, ones, zeros or random bits.
std::string damaged(std::string bytes, int kind, std::mt19937_64& random) {
  const size_t at = random() % bytes.size();
  const auto room = [&](size_t most) { return std::min(most, bytes.size() - at); };
  if (kind == 0) bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
  if (kind == 1) bytes.replace(at, room(8), 8, '\xFF');
  if (kind == 2) bytes.replace(at, room(32), 32, '\0');
  if (kind == 3) std::generate_n(bytes.begin() + static_cast<int64_t>(at), room(12), std::ref(random));
  return bytes;
}

/// Number of seeds, from PARITY_FUZZ_SEEDS: 1 in the gate, many in ci/nightly.sh.
uint64_t fuzz_seeds() {
  const char* named = std::getenv("PARITY_FUZZ_SEEDS");
  return named == nullptr ? 1 : std::stoull(named);
}

TEST_F(HostileFilesTest, RandomDamageEndsInAnErrorOrInNumbersSeed1) {
  ASSERT_GT(fuzz_seeds(), 0U);
  for (uint64_t seed = 1; seed <= fuzz_seeds(); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    for (const auto& [low, high] :
         {std::pair(H5F_LIBVER_V110, H5F_LIBVER_V110), {H5F_LIBVER_EARLIEST, H5F_LIBVER_V18}}) {
      const std::string bytes = valid(low, high);
      int refused = 0;
      for (int i = 0; i < 400; ++i) {
        write_bytes(folder_ / "d.h5", damaged(bytes, i % 4, random));
        test::reset_largest_allocation();
        refused += use(folder_ / "d.h5") == Outcome::refused ? 1 : 0;
        expect_bounded_memory(bytes);
      }
      EXPECT_GT(refused, 40);  // the damage reaches structures that the reader checks
    }
  }
}

TEST_F(HostileFilesTest, ADamagedHeaderIsCaughtByItsChecksum) {
  std::string bytes = valid(H5F_LIBVER_V110, H5F_LIBVER_V110);
  const size_t header = bytes.rfind("OHDR");
  bytes[header + 20] = static_cast<char>(bytes[header + 20] ^ 4);
  write_bytes(folder_ / "d.h5", bytes);

  EXPECT_THAT(error_of([&] { (void)ActivationFile::open(folder_ / "d.h5"); }),
              HasSubstr("is wrong: the file is damaged; copy it again"));
}

TEST_F(HostileFilesTest, WhatIsNoGoldenFileIsNamed) {
  write_bytes(folder_ / "empty.h5", "");
  write_bytes(folder_ / "text.h5", std::string(1000, 'a'));
  write_bytes(folder_ / "magic.h5", "\x89HDF\r\n\x1a\n");
  write_bytes(folder_ / "future.h5", "\x89HDF\r\n\x1a\n\x09" + std::string(100, '\0'));
  const auto open = [&](const char* name) { return error_of([&] { (void)ActivationFile::open(folder_ / name); }); };

  EXPECT_THAT(open("empty.h5"), HasSubstr("not an HDF5 file"));
  EXPECT_THAT(open("text.h5"), HasSubstr("not an HDF5 file"));
  EXPECT_THAT(open("magic.h5"), HasSubstr("superblock: "));
  EXPECT_THAT(open("future.h5"), HasSubstr("version 9 is newer"));
  EXPECT_THAT(open("none.h5"), HasSubstr("cannot be opened"));
  EXPECT_THAT(error_of([&] { (void)ActivationFile::open(folder_.path()); }), HasSubstr("not a regular file"));
  EXPECT_THAT(error_of([&] { (void)ActivationFile::open("/dev/zero"); }), HasSubstr("not a regular file"));
}

TEST_F(HostileFilesTest, AFileThatMayNotBeReadIsNamed) {
  if (geteuid() == 0) GTEST_SKIP() << "the superuser may read everything";
  write_bytes(folder_ / "a.h5", valid(H5F_LIBVER_V110, H5F_LIBVER_V110));
  std::filesystem::permissions(folder_ / "a.h5", std::filesystem::perms::none);

  EXPECT_THAT(error_of([&] { (void)ActivationFile::open(folder_ / "a.h5"); }), HasSubstr("Permission denied"));
}

TEST_F(HostileFilesTest, AbsurdShapesTakeNoMemory) {
  test::reset_largest_allocation();

  EXPECT_THAT(refusal([](hid_t file) {
                add(file, "x", {1U << 30, 1U << 30}, {}, false, false);
              }),
              HasSubstr("never written"));
  EXPECT_THAT(refusal([](hid_t file) {
                add(file, "x", {1U << 30, 1U << 30}, {1, 64}, true, false);
              }),
              HasSubstr("cannot be stored"));
  EXPECT_THAT(refusal([](hid_t file) {
                add(file, "x", {uint64_t{1} << 62, 8}, {}, false, false);
              }),
              AnyOf(HasSubstr("2^62"), HasSubstr("absurd")));
  EXPECT_THAT(refusal([](hid_t file) { add(file, "x", std::vector<hsize_t>(20, 1), {}, false); }),
              HasSubstr("has 20 axes"));
  EXPECT_LT(test::largest_allocation(), 1U << 20);
}

/// A chunk of equal bytes takes a thousandth of its size in the file.
TEST_F(HostileFilesTest, ChunksThatGrowTakeNoMemory) {
  constexpr hsize_t kMiB = hsize_t{1} << 20;
  EXPECT_THAT(refusal([](hid_t file) { add(file, "x", {40 * kMiB}, {40 * kMiB}, true); }),
              HasSubstr("to limit memory, at most 33554432 are allowed"));

  test::write_with_libhdf5(folder_ / "a.h5", H5F_LIBVER_V110, H5F_LIBVER_V110,
                           [](hid_t file) { add(file, "x", {160 * kMiB}, {32 * kMiB}, true); });
  const auto file = ActivationFile::open(folder_ / "a.h5");
  int64_t bytes = 0;
  test::reset_largest_allocation();
  file.for_each_block("x", 8 * kMiB, [&](const TensorView& block) { bytes += block.count(); });
  EXPECT_EQ(bytes, 160 * int64_t{kMiB});
  EXPECT_LE(test::largest_allocation(), 32 * kMiB) << "twice, with what it is decoded from";
}

TEST_F(HostileFilesTest, ElementsThatWereNeverWrittenAreNotZero) {
  EXPECT_THAT(refusal([](hid_t file) { add(file, "x", {5}, {}, false, false); }),
              HasSubstr("dataset x: the dataset has elements that were never written"));
  EXPECT_THAT(refusal([](hid_t file) { add(file, "x", {50}, {5}, false, false); }), HasSubstr("never written"));
}

TEST_F(HostileFilesTest, LinksOutOfTheFileAndCyclesAreRefused) {
  EXPECT_THAT(
      refusal([](hid_t f) { check(H5Lcreate_external("/etc/passwd", "/x", f, "x", H5P_DEFAULT, H5P_DEFAULT), ""); }),
      HasSubstr("x is a soft or external link"));
  EXPECT_THAT(refusal([](hid_t f) { check(H5Lcreate_soft("/y", f, "x", H5P_DEFAULT, H5P_DEFAULT), ""); }),
              HasSubstr("x is a soft or external link"));
  EXPECT_THAT(refusal([](hid_t f) {
                const Handle group = checked(H5Gcreate2(f, "a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, "");
                check(H5Lcreate_hard(f, "/", group.get(), "b", H5P_DEFAULT, H5P_DEFAULT), "");
              }),
              HasSubstr("contains itself"));
  EXPECT_THAT(refusal([](hid_t f) {
                std::string path = "a";
                for (int i = 0; i < 40; ++i, path += "/a")
                  H5Gclose(H5Gcreate2(f, path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
              }),
              HasSubstr("nested more than 32 levels deep"));
}

TEST_F(HostileFilesTest, StorageThatGoldensDoNotUseIsNamed) {
  const auto with = [](const std::function<void(hid_t)>& set, hsize_t most = 100) {
    return [=](hid_t file) {
      const Handle properties = checked(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "");
      set(properties.get());
      const hsize_t extent = 100;
      const Handle space = checked(H5Screate_simple(1, &extent, &most), H5Sclose, "");
      H5Dclose(H5Dcreate2(file, "x", H5T_STD_U8LE, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT));
    };
  };
  const auto chunked = [](hid_t properties) {
    const hsize_t chunk = 10;
    check(H5Pset_chunk(properties, 1, &chunk), "");
  };

  EXPECT_THAT(refusal(with([](hid_t p) { check(H5Pset_external(p, "elsewhere", 0, 100), ""); })),
              HasSubstr("in other files"));
  EXPECT_THAT(refusal(with([&](hid_t p) { chunked(p), check(H5Pset_fletcher32(p), ""); })),
              HasSubstr("filter 3 is neither"));
  EXPECT_THAT(refusal(with(chunked, H5S_UNLIMITED)), HasSubstr("can be resized"));
  EXPECT_THAT(refusal([](hid_t f) {
                const Handle space = checked(H5Screate(H5S_SCALAR), H5Sclose, "");
                H5Dclose(H5Dcreate2(f, "x", H5T_IEEE_F32BE, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
              }),
              HasSubstr("never written"));
  EXPECT_THAT(refusal([](hid_t f) {
                const Handle space = checked(H5Screate(H5S_SCALAR), H5Sclose, "");
                const Handle d =
                    checked(H5Dcreate2(f, "x", H5T_IEEE_F32BE, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                            H5Dclose, "");
                const float value = 1;
                check(H5Dwrite(d.get(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value), "");
              }),
              HasSubstr("of a type that goldens do not use"));
}

}  // namespace
}  // namespace parity::golden
