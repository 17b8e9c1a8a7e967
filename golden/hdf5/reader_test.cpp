// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Our reader against libhdf5: for files that the library writes in all its layouts, both read the same elements.
#include <gmock/gmock.h>

#include "golden/files/activation_file.hpp"
#include "golden/hdf5/image.hpp"
#include "golden/testing/test_support.hpp"

namespace parity::golden {
namespace {

using libhdf5::check;
using libhdf5::checked;
using libhdf5::Handle;
using test::random_bits;
using test::same_bits;

struct Bounds {
  const char* name;
  H5F_libver_t low, high;
};

struct Storage {
  const char* name;
  std::vector<hsize_t> chunk;  // empty: no chunks
  bool shuffle = false;
  int deflate = 0;
  bool early = false;    // space is allocated before the first write; the newest format then lists no chunks
  bool compact = false;  // elements are in the header
};

const std::vector<Storage> kStorages{
    {"contiguous", {}},
    {"compact", {}, false, 0, false, true},
    {"one_chunk", {23, 31, 3}},
    {"one_filtered_chunk", {23, 31, 3}, true, 6},
    {"chunks_with_edges", {4, 7, 2}},
    {"filtered_chunks", {4, 7, 2}, true, 1},
    {"deflated_only", {5, 31, 3}, false, 9},
    {"shuffled_only", {5, 5, 3}, true, 0},
    {"implicit", {4, 7, 2}, false, 0, true},
    {"many_chunks_in_pages", {1, 1, 1}, false, 1},
};
const Shape kShape{23, 31, 3};

void make_dataset(hid_t file, const Storage& storage, const Tensor& tensor) {
  const Handle properties = checked(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "properties");
  if (storage.compact) check(H5Pset_layout(properties.get(), H5D_COMPACT), "layout");
  if (!storage.chunk.empty()) check(H5Pset_chunk(properties.get(), 3, storage.chunk.data()), "chunk");
  if (storage.early) check(H5Pset_alloc_time(properties.get(), H5D_ALLOC_TIME_EARLY), "early");
  if (storage.shuffle) check(H5Pset_shuffle(properties.get()), "shuffle");
  if (storage.deflate > 0) check(H5Pset_deflate(properties.get(), static_cast<unsigned>(storage.deflate)), "deflate");
  const std::vector<hsize_t> extents(kShape.begin(), kShape.end());
  const Handle space = checked(H5Screate_simple(3, extents.data(), nullptr), H5Sclose, "space");
  const Handle dataset =
      checked(H5Dcreate2(file, storage.name, H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
              H5Dclose, "dataset");
  check(H5Dwrite(dataset.get(), H5T_IEEE_F64LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, tensor.view().data), "write");
}

void make_attribute(hid_t object, const std::string& name, const std::string& text, bool variable) {
  const Handle type = checked(H5Tcopy(H5T_C_S1), H5Tclose, "type");
  check(H5Tset_size(type.get(), variable ? H5T_VARIABLE : text.size() + 1), "size");
  const Handle space = checked(H5Screate(H5S_SCALAR), H5Sclose, "space");
  const Handle attribute = checked(H5Acreate2(object, name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
                                   H5Aclose, "attribute");
  const char* chars = text.c_str();
  check(H5Awrite(attribute.get(), type.get(), variable ? static_cast<const void*>(&chars) : chars), "write");
}

class ReaderTest : public ::testing::TestWithParam<Bounds> {
 protected:
  ActivationFile written(const std::function<void(hid_t)>& body) {
    test::write_with_libhdf5(folder_ / "a.h5", GetParam().low, GetParam().high, body);
    return ActivationFile::open(folder_ / "a.h5");
  }

  TemporaryFolder folder_;
};

TEST_P(ReaderTest, ElementsOfEveryStorageLayoutAreThoseWritten) {
  const auto tensor = [](size_t i) { return random_bits(DType::f64, kShape, 100 + i); };
  const ActivationFile file = written([&](hid_t h5) {
    for (size_t i = 0; i < kStorages.size(); ++i) make_dataset(h5, kStorages[i], tensor(i));
  });

  for (size_t i = 0; i < kStorages.size(); ++i) {
    EXPECT_TRUE(same_bits(file.read(kStorages[i].name).view(), tensor(i).view())) << kStorages[i].name;
    const Tensor rows = file.read_rows(kStorages[i].name, 6, 11);
    EXPECT_TRUE(std::equal(rows.f64(), rows.f64() + 11 * 93, tensor(i).f64() + 6 * 93,
                           [](double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }));
  }
}

TEST_P(ReaderTest, ThousandsOfNamesAreFound) {
  const ActivationFile file = written([](hid_t h5) {
    const Handle group = checked(H5Gcreate2(h5, "many", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, "group");
    const Handle space = checked(H5Screate(H5S_SCALAR), H5Sclose, "space");
    for (int64_t i = 0; i < 3000; ++i) {
      const std::string name = fmt::format("a_name_that_is_not_short_{:04}", i);
      const Handle dataset = checked(
          H5Dcreate2(group.get(), name.c_str(), H5T_STD_I64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
          H5Dclose, "dataset");
      check(H5Dwrite(dataset.get(), H5T_STD_I64LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &i), "write");
    }
  });

  ASSERT_EQ(file.datasets().size(), 3000U);
  for (const int64_t i : {0, 1, 1777, 2999}) {
    EXPECT_EQ(*file.read(fmt::format("many/a_name_that_is_not_short_{:04}", i)).i64(), i);
  }
}

TEST_P(ReaderTest, AttributesAreReadInAnyNumberAndLength) {
  const ActivationFile file = written([](hid_t h5) {
    for (int i = 0; i < 40; ++i)
      make_attribute(h5, fmt::format("text{}", i), std::string(static_cast<size_t>(i * 7), 'a'), i % 2 == 0);
  });

  EXPECT_EQ(file.attributes().size(), 40U);
  for (int i = 0; i < 40; ++i)
    EXPECT_EQ(file.attributes().at(fmt::format("text{}", i)), std::string(static_cast<size_t>(i * 7), 'a'));
}

TEST_P(ReaderTest, TextsOfAnyLengthAreRead) {
  const std::vector<std::string> texts{"a", "", std::string(10000, 'x'), "ü"};
  const ActivationFile file = written([&](hid_t h5) {
    const Handle type = libhdf5::checked(H5Tcopy(H5T_C_S1), H5Tclose, "type");
    check(H5Tset_size(type.get(), H5T_VARIABLE), "size");
    const hsize_t count = texts.size();
    const Handle space = checked(H5Screate_simple(1, &count, nullptr), H5Sclose, "space");
    const Handle dataset = checked(H5Dcreate2(h5, "x", type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                                   H5Dclose, "dataset");
    std::vector<const char*> chars;
    for (const std::string& text : texts) chars.push_back(text.c_str());
    check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, chars.data()), "write");
  });

  EXPECT_EQ(file.read_texts("x"), texts);
}

INSTANTIATE_TEST_SUITE_P(Bounds, ReaderTest,
                         ::testing::Values(Bounds{"earliest", H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST},
                                           Bounds{"v18", H5F_LIBVER_V18, H5F_LIBVER_V18},
                                           Bounds{"v110", H5F_LIBVER_V110, H5F_LIBVER_V110}),
                         [](const auto& bounds) { return bounds.param.name; });

/// Expected values are those in the self test of the published algorithm (lookup3.c, hashlittle with 0).
TEST(Checksum, IsLookup3) {
  const std::string_view text = "Four score and seven years ago";

  EXPECT_EQ(hdf5::checksum({reinterpret_cast<const std::byte*>(text.data()), text.size()}), 0x17770551U);
  EXPECT_EQ(hdf5::checksum({}), 0xDEADBEEFU);
}

}  // namespace
}  // namespace parity::golden
