// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/driver/session.hpp"

#include <chrono>
#include <fstream>
#include <map>

#include "core/error.hpp"
#include "optimized/ptx/driver/parameters.hpp"
#include "optimized/ptx/machine/launch.hpp"

namespace parity::ptx {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  PARITY_CHECK(file.good() || file.eof(), io, "{} cannot be read; check the path", path.string());
  return bytes;
}

struct Buffer {
  uint64_t address = 0, bytes = 0;
};

Buffer make_buffer(Device& device, const Json& given, const fs::path& folder) {
  if (given.contains("file")) {
    const std::string bytes = bytes_of(folder / given.at("file").get<std::string>());
    return {device.upload<char>(bytes), bytes.size()};
  }
  Buffer buffer{0, given.at("bytes").get<uint64_t>()};
  buffer.address = device.allocate(buffer.bytes);
  if (given.contains("fill")) {
    const std::string fill(buffer.bytes, static_cast<char>(given.at("fill").get<uint8_t>()));
    device.write(buffer.address, fill.data(), fill.size());
  }
  return buffer;
}

Dim dim_of(const Json& launch, const char* key) {
  const auto sizes = launch.value(key, std::vector<uint32_t>{1, 1, 1});
  PARITY_CHECK(!sizes.empty() && sizes.size() <= 3, schema, "\"{}\" has {} sizes; use [x, y, z]", key, sizes.size());
  Dim dim{sizes[0], 1, 1};
  if (sizes.size() > 1) dim.y = sizes[1];
  if (sizes.size() > 2) dim.z = sizes[2];
  return dim;
}

Options options_of(const Json& given) {
  Options options;
  options.checks = given.value("checks", options.checks);
  options.seed = given.value("seed", options.seed);
  options.workers = given.value("workers", options.workers);
  options.approximation_seed = given.value("approximation_seed", options.approximation_seed);
  options.resident = given.value("resident", options.resident);
  options.most_findings = given.value("most_findings", options.most_findings);
  options.most_instructions = given.value("most_instructions", options.most_instructions);
  return options;
}

Json json_of(const Outcome& outcome) {
  Json findings = Json::array();
  for (const Finding& finding : outcome.findings) {
    findings.push_back({{"kind", to_string(finding.kind)},
                        {"text", describe(finding)},
                        {"times", finding.times},
                        {"line", finding.position.ptx_line},
                        {"other_line", finding.other_position.ptx_line}});
  }
  return {{"warp_instructions", outcome.warp_instructions}, {"findings", findings}, {"printed", outcome.printed}};
}

Json run_launch(const Program& program, Device& device, const std::map<std::string, Buffer>& buffers, const Json& given,
                const Options& options) {
  Launch launch;
  launch.kernel = given.at("kernel").get<std::string>();
  launch.grid = dim_of(given, "grid");
  launch.block = dim_of(given, "block");
  launch.cluster = dim_of(given, "cluster");
  launch.dynamic_shared = given.value("dynamic_shared", 0U);
  const AddressOf address_of = [&](const std::string& key, const std::string& name) {
    if (key == "symbol") return device.symbol(program, name);
    const auto found = buffers.find(name);
    PARITY_CHECK(found != buffers.end(), not_found, "there is no buffer {}; add it to \"buffers\"", name);
    return found->second.address;
  };
  const Function& function = *program.entry(launch.kernel).function;
  for (const uint8_t byte : parameter_bytes(given.at("parameters"), function, address_of)) launch.parameters.add(byte);
  const auto begin = std::chrono::steady_clock::now();
  Json result = json_of(run(program, device, launch, options));
  result["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result["kernel"] = launch.kernel;
  return result;
}

void write_output(const Device& device, const Buffer& buffer, const fs::path& path) {
  const std::vector<char> bytes = device.download<char>(buffer.address, buffer.bytes);
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  PARITY_CHECK(file.good(), io, "{} cannot be written; check the folder and the space left", path.string());
}

Json run_checked(const Json& description, const fs::path& folder) {
  const Program program(bytes_of(folder / description.at("ptx").get<std::string>()));
  Device device;
  std::map<std::string, Buffer> buffers;
  for (const auto& [name, given] : description.at("buffers").items()) {
    with_context("buffer " + name, [&] { buffers[name] = make_buffer(device, given, folder); });
  }
  const Options options = options_of(description.value("options", Json::object()));
  Json launches = Json::array();
  for (const Json& given : description.at("launches"))
    launches.push_back(run_launch(program, device, buffers, given, options));
  const Json outputs = description.value("outputs", Json::object());
  for (const auto& [name, path] : outputs.items()) {
    const auto found = buffers.find(name);
    PARITY_CHECK(found != buffers.end(), not_found, "outputs: there is no buffer {}; add it to \"buffers\"", name);
    write_output(device, found->second, folder / path.get<std::string>());
  }
  return {{"launches", launches}};
}

}  // namespace

Json run_session(const Json& description, const fs::path& folder) {
  try {
    return run_checked(description, folder);
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::schema, fmt::format("the description does not fit: {}; see session.hpp", error.what()));
  }
}

Json list_opcodes(const std::vector<std::string>& files) {
  std::map<std::string, uint64_t> opcodes;
  std::map<std::string, Json> refused;
  uint64_t instructions = 0;
  for (const std::string& file : files) {
    with_context(file, [&] {
      const Program program(bytes_of(file));
      for (const auto& [name, function] : program.module().functions) {
        for (const Instruction& instruction : function.body) ++opcodes[instruction.opcode];
        instructions += function.body.size();
      }
      for (const Unknown& unknown : program.unknown()) {
        Json& entry = refused[unknown.opcode];
        if (entry.is_null())
          entry = {{"opcode", unknown.opcode}, {"message", unknown.message}, {"file", file}, {"line", unknown.line}};
        entry["times"] = entry.value("times", 0) + 1;
      }
    });
  }
  Json list = Json::array();
  for (auto& [opcode, entry] : refused) list.push_back(std::move(entry));
  return {{"files", files.size()}, {"instructions", instructions}, {"opcodes", opcodes}, {"refused", list}};
}

}  // namespace parity::ptx
