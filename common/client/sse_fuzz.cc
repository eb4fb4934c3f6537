// Any bytes, cut anywhere, give the same events as in one piece; nothing crashes or grows.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "common/client/sse_parser.h"

namespace {

using paddock::client::SseEvent;
using paddock::client::SseParser;

std::vector<std::string> parse(std::string_view bytes, size_t piece) {
  std::vector<std::string> out;
  SseParser parser;
  while (!bytes.empty()) {
    const auto fed = parser.feed(bytes.substr(0, piece), [&](const SseEvent& event) {
      out.push_back(event.id + '|' + event.type + '|' + event.data);
      return true;
    });
    if (!fed.ok()) break;
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (parse(bytes, bytes.size()) != parse(bytes, size_t{1} + data[0] % 7)) std::abort();
  return 0;
}
