// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/files/sha256.hpp"

#include <array>
#include <fstream>
#include <memory>
#include <vector>

#include <openssl/evp.h>

#include "core/error.hpp"

namespace parity::golden {

std::string sha256_of_file(const std::filesystem::path& path) {
  std::error_code error;
  PARITY_CHECK(std::filesystem::exists(path, error), not_found, "{}: no such file", path.string());
  PARITY_CHECK(std::filesystem::is_regular_file(path, error), io, "{}: not a regular file; name a file", path.string());
  std::ifstream stream(path, std::ios::binary);
  PARITY_CHECK(stream.good(), io, "{}: cannot be opened for reading; check its permissions", path.string());

  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  bool done = context != nullptr && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  std::vector<char> buffer(size_t{1} << 18);
  while (done && stream.good()) {
    stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    done = EVP_DigestUpdate(context.get(), buffer.data(), static_cast<size_t>(stream.gcount())) == 1;
  }
  PARITY_CHECK(!stream.bad(), io, "{}: cannot be read to its end; copy it again", path.string());
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  done = done && EVP_DigestFinal_ex(context.get(), digest.data(), &length) == 1;
  PARITY_CHECK(done, internal, "libcrypto cannot compute SHA-256");
  return fmt::format("{:02x}", fmt::join(digest.begin(), digest.begin() + length, ""));
}

}  // namespace parity::golden
