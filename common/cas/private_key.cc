#include "common/cas/private_key.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"

namespace paddock::cas {
namespace {

constexpr std::string_view kBegin = "-----BEGIN ";
constexpr std::string_view kEnd = "-----END ";
constexpr std::string_view kDashes = "-----";
// Beginnings of lines that only keys have.
constexpr std::array<std::string_view, 3> kOfKeys = {
    "PuTTY-User-Key-File-", "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY", "AGE-SECRET-KEY-1"};

bool is_key_label(std::string_view label) {
  return label.ends_with("PRIVATE KEY") || label == "PGP PRIVATE KEY BLOCK";
}

// `X` of a line `-----BEGIN X-----`; empty of any other line.
std::string_view label_of(std::string_view line) {
  if (!line.starts_with(kBegin)) return {};
  line.remove_prefix(kBegin.size());
  if (!line.ends_with(kDashes)) return {};
  line.remove_suffix(kDashes.size());
  return line;
}

// Looks for one character after the other, each at the speed of memory: find_first_of() asks for
// each byte of a line, and lines of data are long.
bool has_one_of(std::string_view line, std::string_view characters) {
  return std::ranges::any_of(characters,
                             [&](char each) { return line.find(each) != std::string_view::npos; });
}

// Whether the line may stand before a key: comments, and the attributes that openssl prints. No
// source code.
bool may_come_before(std::string_view line) {
  if (trim(line).empty() || line.starts_with('#') || line == "Bag Attributes") return true;
  const bool says_something = has_one_of(line, ":=");
  const bool is_code = has_one_of(line, "\"'`$;{") || line.find("<<") != std::string_view::npos;
  return says_something && !is_code;
}

std::string_view take_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// The file that a cloud gives for a service account: "private_key": "-----BEGIN PRIVATE KEY-----…
bool is_service_account(std::string_view text) {
  constexpr std::string_view kField = "\"private_key\"";
  const size_t field = text.find(kField);
  if (field == std::string_view::npos) return false;
  text.remove_prefix(field + kField.size());
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n:"), text.size()));
  if (!text.starts_with('"') || !text.substr(1).starts_with(kBegin)) return false;
  text.remove_prefix(1 + kBegin.size());
  return is_key_label(text.substr(0, text.find(kDashes)));
}

}  // namespace

bool begins_with_private_key(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (trim(text).starts_with('{')) return is_service_account(text);
  bool inside = false;  // of something else in PEM
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    const std::string_view label = label_of(line);
    const auto begins = [&](std::string_view word) { return line.starts_with(word); };
    if (is_key_label(label) || std::ranges::any_of(kOfKeys, begins)) return true;
    if (!inside && label.empty() && !may_come_before(line)) return false;
    inside = !label.empty() || (inside && !line.starts_with(kEnd));
  }
  return false;
}

}  // namespace paddock::cas
