// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Launches that are described in JSON: what parity_ptx runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace parity::ptx {

/// Allocates the buffers, runs the launches in order, writes the outputs, and returns what came of it:
///   {"launches": [{"kernel", "warp_instructions", "seconds", "findings": [...], "printed": [...]}]}
/// The description (paths are relative to `folder`):
///   {"ptx": "k.ptx",
///    "buffers": {"x": {"file": "x.bin"}, "y": {"bytes": 4096}, "z": {"bytes": 64, "fill": 0}},
///    "launches": [{"kernel": "k", "grid": [8, 1, 1], "block": [128, 1, 1], "cluster": [1, 1, 1],
///                  "dynamic_shared": 0, "parameters": [{"buffer": "x", "offset": 0}, {"i32": 7}, {"f32": 1e-5}]}],
///    "options": {"checks": true, "seed": 1, "workers": 2},
///    "outputs": {"y": "y.bin"}}
/// A buffer without "file" or "fill" counts as unwritten. A parameter is {"buffer"}, {"symbol"} of a .global variable,
/// {"u8"|"i8"|"i16"|"i32"|"i64"|"f32"|"f64": number}, {"hex": "00ff", "align": 8}, or {"fields": [...], "align": 8} for
/// a struct. Error{schema} names the key that is wrong.
[[nodiscard]] nlohmann::json run_session(const nlohmann::json& description, const std::filesystem::path& folder);

/// Opcodes of PTX files and how often they stand there, and those that the machine refuses:
///   {"files", "instructions", "opcodes": {"add.s32": 7}, "refused": [{"opcode", "message", "times", "file", "line"}]}
[[nodiscard]] nlohmann::json list_opcodes(const std::vector<std::string>& files);

}  // namespace parity::ptx
