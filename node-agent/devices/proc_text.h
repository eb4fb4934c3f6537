// Small text files of the kernel and of drivers, below a root. What cannot be read is empty. For
// node-agent/devices only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::devices {

inline std::string read_or_empty(const std::string& root, std::string_view path) {
  constexpr size_t kMaxBytes = 4 << 20;
  auto text = os::read_file(os::join_path(root, path), kMaxBytes);
  return text ? std::move(*text) : std::string();
}

inline std::vector<std::string> list_or_empty(const std::string& root, std::string_view folder) {
  auto names = os::list_dir(os::join_path(root, folder));
  return names ? std::move(*names) : std::vector<std::string>();
}

// The value behind `key:` in text of the form "Key:   value".
inline std::string value_of(const std::string& text, std::string_view key) {
  for (const std::string& line : split(text, '\n')) {
    const size_t colon = line.find(':');
    if (colon != std::string::npos && trim(line.substr(0, colon)) == key) {
      return std::string(trim(std::string_view(line).substr(colon + 1)));
    }
  }
  return {};
}

}  // namespace paddock::devices
