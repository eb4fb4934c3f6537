#include "common/crypto/pem.h"

#include "common/base/text.h"

namespace paddock::crypto {

std::vector<std::string> pem_blocks(std::string_view text, std::string_view label) {
  const std::string first = cat("-----BEGIN ", label, "-----");
  const std::string last = cat("-----END ", label, "-----");
  std::vector<std::string> out;
  for (size_t begin = text.find(first); begin != text.npos; begin = text.find(first, begin + 1)) {
    const size_t end = text.find(last, begin);
    if (end == text.npos) break;
    out.push_back(cat(text.substr(begin, end + last.size() - begin), "\n"));
  }
  return out;
}

}  // namespace paddock::crypto
