// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/text/format.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

namespace parity::reports {
namespace {

unsigned byte(std::string_view text, size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U; }

/// Returns the length in bytes of the valid UTF-8 sequence at the start of `text`, or 0 if it is invalid.
size_t sequence_length(std::string_view text) {
  const unsigned lead = byte(text, 0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(text, i) & 0xC0U) != 0x80U) return 0;
  }
  const unsigned second = byte(text, 1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool no_character = (lead == 0xED && second > 0x9F) || (lead == 0xF4 && second > 0x8F);
  return overlong || no_character ? 0 : length;
}

bool is_control(std::string_view sequence) {
  const unsigned first = byte(sequence, 0);
  // 0x80 to 0x9F are control characters too: on some terminals U+009B begins an escape sequence.
  return first < 0x20 || first == 0x7F || (first == 0xC2 && byte(sequence, 1) < 0xA0);
}

/// Returns "<open>S=17,H=6144<close>", or only the numbers if the letters do not fit them.
std::string lettered(const std::string& axes, const Shape& numbers, bool upper, char open, char close) {
  const std::vector<std::string> letters = split_axes(axes);
  std::string result(1, open);
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) result += ',';
    if (letters.size() == numbers.size()) {
      std::string letter = plain(letters[i]);
      if (!upper) {
        std::transform(letter.begin(), letter.end(), letter.begin(), [](unsigned char c) { return std::tolower(c); });
      }
      result += letter + '=';
    }
    result += std::to_string(numbers[i]);
  }
  return result + close;
}

}  // namespace

std::string plain(std::string_view text, bool keep_lines) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const size_t length = sequence_length(text);
    const std::string_view sequence = text.substr(0, std::max<size_t>(length, 1));
    if (length == 0 || sequence == "\xEF\xBF\xBE" || sequence == "\xEF\xBF\xBF") {  // U+FFFE and U+FFFF: invalid XML
      result += "\xEF\xBF\xBD";
    } else if (is_control(sequence) && !(keep_lines && sequence == "\n")) {
      result += '?';
    } else {
      result += sequence;
    }
    text.remove_prefix(sequence.size());
  }
  return result;
}

size_t columns(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xC0U) != 0x80U; }));
}

const char* non_finite_name(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return nullptr;
}

nlohmann::ordered_json json_number(double value) {
  const char* name = non_finite_name(value);
  return name != nullptr ? nlohmann::ordered_json(name) : nlohmann::ordered_json(value);
}

std::string number(double value, int significant_digits) {
  const char* name = non_finite_name(value);
  return name != nullptr ? name : fmt::format("{:.{}g}", value, significant_digits);
}

std::string element(DType dtype, double value) {
  if (!is_float(dtype)) return number(value, 19);
  constexpr double log10_of_2 = 0.30103;
  const int digits = 2 + static_cast<int>(format_of(dtype).significand_bits * log10_of_2);
  return number(value, std::max(digits, 5));
}

std::string of_limit(double used) {
  if (std::isnan(used)) return "NaN";
  if (std::isinf(used)) return "none";  // the limit is 0
  constexpr double kTelling = 1e6;      // above this the factor is not informative, but the worst element is
  if (used > kTelling) return ">1000000x";
  if (used <= 1.0) {
    const std::string text = fmt::format("{:.4g}", used * 100);
    return text == "100" && used != 1.0 ? "<100%" : text + "%";
  }
  const std::string text = used < 100.0 ? fmt::format("{:.3g}", used) : fmt::format("{:.0f}", used);
  return text == "1" ? ">1x" : text + "x";
}

std::string limit_text(double used) {
  if (std::isnan(used)) return "not a number";
  if (std::isinf(used)) return "no deviation is allowed";
  return of_limit(used) + (used <= 1.0 ? " of the limit" : " the limit");
}

std::string percent(double share) { return number(100.0 * share) + "%"; }

std::string share(const compare::BitEqual& bits) {
  if (bits.total == 0) return "-";
  if (bits.equal == bits.total) return "100%";
  constexpr double steps = 1e4;  // four decimals
  return fmt::format("{:.4f}%", std::floor(bits.share() * 100 * steps) / steps);
}

std::string count(int64_t value) { return value == 0 ? "-" : std::to_string(value); }

std::string shape_text(const std::string& axes, const Shape& shape) { return lettered(axes, shape, true, '(', ')'); }

std::string index_text(const std::string& axes, const Shape& index) { return lettered(axes, index, false, '[', ']'); }

}  // namespace parity::reports
