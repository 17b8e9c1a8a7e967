// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/files/activation_file.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "golden/files/activation_index.hpp"
#include "golden/files/mapped_file.hpp"
#include "golden/files/one_line.hpp"
#include "golden/hdf5/dataset.hpp"
#include "golden/sources/blocks.hpp"

namespace parity::golden {
namespace {

std::string_view without_slash(std::string_view path) {
  return path.substr(std::min(path.find_first_not_of('/'), path.size()));
}

void check_signature(const MappedFile& file) {
  constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
  const std::string_view bytes(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  PARITY_CHECK(bytes.starts_with(kSignature), schema,
               "not an HDF5 file (its first 8 bytes are not HDF5's); name an activations.h5");
}

}  // namespace

struct ActivationFile::State {
  std::filesystem::path path;
  MappedFile file;
  hdf5::Image image;
  ActivationIndex index;

  explicit State(const std::filesystem::path& p) : path(p), file(p), image(file.bytes()) {}

  template <class Body>
  auto with_dataset(const DatasetInfo& info, const Body& body) const {
    return with_context(fmt::format("{}: dataset {}", path.string(), info.path), [&] {
      const auto entry = static_cast<size_t>(&info - index.datasets.data());
      hdf5::Dataset dataset(image, hdf5::ObjectHeader(image, index.addresses[entry]));
      return body(dataset);
    });
  }
};

ActivationFile::ActivationFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
ActivationFile::ActivationFile(ActivationFile&&) noexcept = default;
ActivationFile& ActivationFile::operator=(ActivationFile&&) noexcept = default;
ActivationFile::~ActivationFile() = default;

ActivationFile ActivationFile::open(const std::filesystem::path& path) {
  auto state = std::make_unique<State>(path);
  with_context(path.string(), [&] {
    check_signature(state->file);
    state->index = index_of(state->image);
  });
  return ActivationFile(std::move(state));
}

const std::filesystem::path& ActivationFile::path() const { return state_->path; }
int64_t ActivationFile::file_bytes() const { return state_->file.size(); }
const std::vector<DatasetInfo>& ActivationFile::datasets() const { return state_->index.datasets; }
const std::map<std::string, Attributes, std::less<>>& ActivationFile::groups() const { return state_->index.groups; }

const DatasetInfo* ActivationFile::find(std::string_view path) const {
  const auto& all = datasets();
  const std::string_view name = without_slash(path);
  const auto found = std::lower_bound(all.begin(), all.end(), name,
                                      [](const auto& info, std::string_view n) { return info.path < n; });
  return found != all.end() && found->path == name ? &*found : nullptr;
}

const DatasetInfo& ActivationFile::at(std::string_view path) const {
  if (const DatasetInfo* found = find(path)) return *found;
  std::vector<std::string> names;
  for (const DatasetInfo& info : datasets()) names.push_back(info.path);
  const std::string name = one_line(without_slash(path));
  throw Error(ErrorCode::not_found, fmt::format("{}: no dataset {} among its {} datasets{}", state_->path.string(),
                                                name, names.size(), did_you_mean(name, names)));
}

const Attributes& ActivationFile::group_attributes(std::string_view group) const {
  static const Attributes none;
  const auto found = groups().find(without_slash(group));
  return found == groups().end() ? none : found->second;
}

Tensor ActivationFile::read(std::string_view path) const {
  const DatasetInfo& info = at(path);
  return read_rows(path, 0, info.shape.empty() ? 1 : info.shape.front());
}

Tensor ActivationFile::read_rows(std::string_view path, int64_t first, int64_t count) const {
  const DatasetInfo& info = at(path);
  PARITY_CHECK(!info.text, schema, "{}: dataset {} holds text, not numbers", state_->path.string(), info.path);
  const int64_t rows = info.shape.empty() ? 1 : info.shape.front();
  PARITY_CHECK(first >= 0 && count >= 0 && count <= rows && first <= rows - count, internal,
               "{}: from row {} on, {} rows are outside of dataset {} of shape {}", state_->path.string(), first, count,
               info.path, to_string(info.shape));
  Shape start(info.shape.size(), 0);
  Shape shape = info.shape;
  if (!shape.empty()) {
    start.front() = first;
    shape.front() = count;
  }
  Tensor result(info.dtype, shape, info.axes);
  constexpr int64_t kPortion = 32 << 20;  // bytes to read before the file's pages are released
  const int64_t row_bytes = std::max<int64_t>(result.bytes() / std::max<int64_t>(count, 1), 1);
  const int64_t portion = shape.empty() ? 1 : std::max<int64_t>(kPortion / row_bytes, 1);
  state_->with_dataset(info, [&](hdf5::Dataset& dataset) {
    for (int64_t done = 0; done < count || shape.empty(); done += portion) {
      if (!shape.empty()) {
        start.front() = first + done;
        shape.front() = std::min(portion, count - done);
      }
      dataset.read(start, shape, result.view().data + done * row_bytes);
      if (state_->file.size() > kPortion) state_->file.release();
      if (shape.empty()) break;
    }
  });
  return result;
}

Tensor ActivationFile::read_box(std::string_view path, const Shape& start, const Shape& extents) const {
  const DatasetInfo& info = at(path);
  PARITY_CHECK(!info.text, schema, "{}: dataset {} holds text, not numbers", state_->path.string(), info.path);
  Tensor result(info.dtype, extents, info.axes);
  state_->with_dataset(info, [&](hdf5::Dataset& dataset) { dataset.read(start, extents, result.view().data); });
  constexpr int64_t kMapped = 32 << 20;  // bytes; the pages of smaller files are not released
  if (state_->file.size() > kMapped) state_->file.release();
  return result;
}

void ActivationFile::for_each_block(std::string_view path, int64_t most_bytes,
                                    const std::function<void(const TensorView&)>& body) const {
  const DatasetInfo& info = at(path);
  PARITY_CHECK(!info.text, schema, "{}: dataset {} holds text, not numbers", state_->path.string(), info.path);
  state_->with_dataset(info, [&](hdf5::Dataset& dataset) {
    for (Blocks block(info.shape, size_of(info.dtype), most_bytes); !block.done(); block.advance()) {
      const Tensor part(info.dtype, block.extents(), info.axes);
      dataset.read(block.start(), block.extents(), part.view().data);
      body(part.view());
    }
  });
}

std::vector<std::string> ActivationFile::read_texts(std::string_view path) const {
  return state_->with_dataset(at(path), [](hdf5::Dataset& dataset) { return dataset.texts(); });
}

std::string ActivationFile::read_text(std::string_view path) const {
  auto texts = read_texts(path);
  PARITY_CHECK(texts.size() == 1, schema, "{}: dataset {} holds {} texts, expected one", state_->path.string(),
               at(path).path, texts.size());
  return std::move(texts.front());
}

}  // namespace parity::golden
