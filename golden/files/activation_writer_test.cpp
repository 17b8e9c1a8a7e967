// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/files/activation_writer.hpp"

#include <gmock/gmock.h>

#include "golden/files/activation_file.hpp"
#include "golden/testing/test_support.hpp"

namespace parity::golden {
namespace {

using test::bytes_of;
using test::error_of;
using test::integers;
using test::random_bits;
using test::same_bits;
using ::testing::HasSubstr;

size_t files_in(const std::filesystem::path& folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(ActivationWriter, TheSameContentsGiveTheSameBytes) {
  const TemporaryFolder folder;
  test::write_golden(folder / "a");
  test::write_golden(folder / "b");

  EXPECT_EQ(bytes_of(folder / "a/activations.h5"), bytes_of(folder / "b/activations.h5"));
}

TEST(ActivationWriter, LeavesNothingWithoutCommit) {
  const TemporaryFolder folder;
  {
    ActivationWriter writer = ActivationWriter::create(folder / "a.h5", {});
    writer.write("x", integers({3}).view(), {"N", "output", "linear"});
    EXPECT_EQ(files_in(folder.path()), 1U);
    EXPECT_FALSE(std::filesystem::exists(folder / "a.h5"));
  }

  EXPECT_EQ(files_in(folder.path()), 0U);
}

TEST(ActivationWriter, AppendedRowsAreTheWholeTensor) {
  const TemporaryFolder folder;
  const Tensor whole = random_bits(DType::bf16, {301, 7, 400}, 3);  // two chunks; portions differ
  ActivationWriter writer = ActivationWriter::create(folder / "a.h5", {});

  writer.create_dataset("x", DType::bf16, whole.shape(), {"B,S,H", "output", "linear"});
  TensorView labelled = whole.view();
  labelled.axes = "B,S,H";
  for (const auto& [first, count] : {std::pair(0, 1), {1, 99}, {100, 0}, {100, 200}, {300, 1}}) {
    writer.append_rows("x", slice(labelled, 'B', first, count));
  }
  writer.commit();

  EXPECT_TRUE(same_bits(ActivationFile::open(folder / "a.h5").read("x").view(), whole.view()));
}

TEST(ActivationWriter, RefusesToCommitMissingRows) {
  const TemporaryFolder folder;
  ActivationWriter writer = ActivationWriter::create(folder / "a.h5", {});
  writer.create_dataset("x", DType::i64, {5}, {"N", "output", "linear"});
  writer.append_rows("x", integers({3}).view());

  EXPECT_THAT(error_of([&] { writer.commit(); }), HasSubstr("only 3 of 5 rows of dataset x were written"));
  EXPECT_THAT(error_of([&] { writer.append_rows("x", integers({3}).view()); }),
              HasSubstr("cannot be appended to dataset x of shape (5), which already has 3 rows"));
}

TEST(ActivationWriter, StridedViewsAreWrittenInTheirOwnOrder) {
  const TemporaryFolder folder;
  const Tensor source = integers({2, 3});
  TensorView transposed = source.view();
  transposed.shape = {3, 2};
  transposed.strides = {1, 3};
  ActivationWriter writer = ActivationWriter::create(folder / "a.h5", {});

  writer.write("x", transposed, {"S,B", "output", "linear"});
  writer.commit();

  const Tensor read = ActivationFile::open(folder / "a.h5").read("x");
  EXPECT_EQ(std::vector<int64_t>(read.i64(), read.i64() + 6), (std::vector<int64_t>{0, 3, 1, 4, 2, 5}));
}

TEST(ActivationWriter, MistakesAreNamed) {
  const TemporaryFolder folder;
  ActivationWriter writer = ActivationWriter::create(folder / "a.h5", {});
  const Tensor x = integers({2, 2});
  writer.write("x", x.view(), {"B,S", "output", "linear"});

  EXPECT_THAT(error_of([&] {
                writer.write("x", x.view(), {"B,S", "output", "linear"});
              }),
              HasSubstr("x is written twice"));
  EXPECT_THAT(error_of([&] {
                writer.write("y", x.view(), {"B", "output", "linear"});
              }),
              HasSubstr("axes 'B' do not fit shape (2, 2)"));
  EXPECT_THAT(error_of([&] { writer.write("y", x.view(), {"B,S", "result", "linear"}); }), HasSubstr("role 'result'"));
  EXPECT_THAT(error_of([&] {
                writer.write("/y", x.view(), {"B,S", "output", "linear"});
              }),
              HasSubstr("not a dataset path"));
  EXPECT_THAT(error_of([&] { writer.link("z", "nothing"); }), HasSubstr("no dataset nothing"));
  EXPECT_THAT(error_of([&] {
                writer.write("e", Tensor(DType::e4m3fn, {1}).view(), {"N", "output", "linear"});
              }),
              HasSubstr("as u8"));
  EXPECT_THAT(error_of([&] { (void)ActivationWriter::create(folder / "no/such/a.h5", {}); }),
              HasSubstr("cannot be created"));
  writer.commit();
  EXPECT_THAT(error_of([&] { writer.commit(); }), HasSubstr("already been completed"));
}

/// Any HDF5 program converts bf16 exactly, because the file describes the type instead of storing integers.
TEST(ActivationWriter, LibhdfReadsBf16AsTheSameNumbers) {
  const TemporaryFolder folder;
  const Tensor x = convert(integers({50, 60}, -1500).view(), DType::bf16);
  ActivationWriter writer = ActivationWriter::create(folder / "a.h5", {});
  writer.write("x", x.view(), {"B,S", "output", "linear"});
  writer.commit();

  std::vector<float> values(3000);
  const libhdf5::Session session;
  const auto file = libhdf5::checked(H5Fopen((folder / "a.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "file");
  const auto dataset = libhdf5::checked(H5Dopen2(file.get(), "x", H5P_DEFAULT), H5Dclose, "dataset");
  libhdf5::check(H5Dread(dataset.get(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "read");

  for (int64_t i = 0; i < 3000; ++i) ASSERT_EQ(static_cast<double>(values[static_cast<size_t>(i)]), x.view().value(i));
}

}  // namespace
}  // namespace parity::golden
