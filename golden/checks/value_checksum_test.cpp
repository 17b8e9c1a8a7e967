// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Values that changed after they were written, and weights that were not those of the recording: `verify` reports them.
#include "golden/checks/value_checksum.hpp"

#include <gmock/gmock.h>

#include "golden/checks/verify.hpp"
#include "golden/files/sha256.hpp"
#include "golden/testing/test_support.hpp"

namespace parity::golden {
namespace {

using test::random_bits;
using ::testing::Contains;
using ::testing::HasSubstr;

std::vector<std::string> errors(const std::filesystem::path& folder) {
  std::vector<std::string> messages;
  for (const Finding& finding : verify(folder).findings) {
    if (finding.severity == Severity::error) messages.push_back(finding.path + ": " + finding.message);
  }
  return messages;
}

/// Changes one byte of the elements, which HDF5 itself does not detect.
void damage(const std::filesystem::path& file, const Tensor& values) {
  std::string bytes = test::bytes_of(file);
  const auto size = static_cast<size_t>(values.bytes());
  const size_t at = bytes.find(std::string(reinterpret_cast<const char*>(values.view().data), size));
  ASSERT_NE(at, std::string::npos);
  bytes[at + size / 2] = static_cast<char>(bytes[at + size / 2] ^ 1);
  test::write_bytes(file, bytes);
}

TEST(ValueChecksum, IsThatOfTheBytesInOrder) {
  const Tensor nine(DType::u8, {9}, "N");
  for (int i = 0; i < 9; ++i) nine.view().data[i] = static_cast<std::byte>('1' + i);

  EXPECT_EQ(ValueChecksum().add(nine.view()).text(), "crc32:cbf43926") << "the published check value of CRC-32";
  const TensorView all = nine.view();
  EXPECT_EQ(ValueChecksum().add(slice(all, 'N', 0, 4)).add(slice(all, 'N', 4, 5)).text(), "crc32:cbf43926");
}

TEST(ValueChecksum, IsComparedByVerify) {
  const TemporaryFolder folder;
  const Tensor small = random_bits(DType::u8, {2, 3, 7}, 5), large = random_bits(DType::u8, {64, 9, 4000}, 6);
  test::SmallGolden options;
  options.more = [&](ActivationWriter& writer) {
    writer.keep_checksums();
    writer.write("steps/000/text/small", small.view(), {"M,P,Q", "output", "linear"});
    writer.write("steps/000/text/large", large.view(), {"M,P,Q", "output", "linear"});
    writer.create_dataset("steps/000/text/rows", DType::u8, small.shape(), {"M,P,Q", "output", "linear"});
    TensorView labelled = small.view();
    labelled.axes = "M,P,Q";
    writer.append_rows("steps/000/text/rows", slice(labelled, 'M', 0, 1));
    writer.append_rows("steps/000/text/rows", slice(labelled, 'M', 1, 1));
  };
  const auto golden = test::write_golden(folder / "g", options);
  EXPECT_THAT(errors(golden), ::testing::IsEmpty());

  damage(golden / "activations.h5", small);  // the first of the two datasets with these bytes

  EXPECT_THAT(errors(golden), Contains(HasSubstr("the values have changed since they were written")));
}

TEST(ValueChecksum, OfTheCheckpointIsComparedByVerify) {
  const TemporaryFolder folder;
  const auto other = test::write_golden(folder / "other");
  test::SmallGolden options;
  options.root["sha256:checkpoint/config.json"] = sha256_of_file(other / "checkpoint/config.json");
  options.root["sha256:checkpoint/model.safetensors"] = std::string(64, '0');
  options.root["sha256:../g/activations.h5"] = std::string(64, '0');

  const auto found = errors(test::write_golden(folder / "g", options));

  EXPECT_EQ(found.size(), 2U);
  EXPECT_THAT(found, Contains(HasSubstr("model.safetensors: its SHA-256 is not that of the recorded file")));
  EXPECT_THAT(found, Contains(HasSubstr("does not name a file of the checkpoint")));
}

}  // namespace
}  // namespace parity::golden
