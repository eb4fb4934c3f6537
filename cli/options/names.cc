#include "cli/options/names.h"

#include <vector>

#include "common/base/text.h"
#include "common/crypto/digest.h"
#include "common/os/file.h"

namespace paddock::cli {

std::string slug(std::string_view text, size_t max, std::string_view fallback) {
  std::string out;
  for (const char c : ascii_lower(text)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (plain) {
      out += c;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
    if (out.size() == max) break;
  }
  while (out.ends_with('-')) out.pop_back();
  return out.empty() ? std::string(fallback) : out;
}

std::string workspace_name(const std::string& absolute_folder) {
  return cat(slug(os::base_name(absolute_folder)), "-",
             crypto::sha256_hex(absolute_folder).substr(0, 10));
}

std::string absolute_path(const std::string& base, const std::string& path) {
  const std::string whole = path.starts_with('/') ? path : cat(base, "/", path);
  std::vector<std::string> parts;
  for (const std::string& part : split(whole, '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (!parts.empty()) {
      parts.pop_back();
    }
  }
  return cat("/", join(parts, "/"));
}

}  // namespace paddock::cli
