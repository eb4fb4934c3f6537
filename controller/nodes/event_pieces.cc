#include "controller/nodes/event_pieces.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::nodes {
namespace {

constexpr size_t kMostEscaped = 6;                 // \u001b
constexpr size_t kMostOfAByte = kMostEscaped + 2;  // with its part of the base64 beside it

size_t json_bytes(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte < 0x20) return kMostEscaped;
  return c == '"' || c == '\\' ? 2 : 1;
}

// How many bytes the first character has; 0 if the text begins with none.
size_t character_length(std::string_view text) {
  if (static_cast<unsigned char>(text[0]) < 0x80) return 1;  // most output is nothing else
  for (size_t length = 2; length <= std::min<size_t>(4, text.size()); ++length)
    if (is_utf8(text.substr(0, length))) return length;
  return 0;
}

// How many bytes of the text come into one event.
size_t piece_length(std::string_view text) {
  if (text.size() <= kMostEventJson / kMostOfAByte) return text.size();
  size_t taken = 0;
  bool is_text = true;
  for (size_t json = 0; taken < text.size();) {
    const size_t length = character_length(text.substr(taken));
    const size_t next = taken + std::max<size_t>(length, 1);
    is_text = is_text && length != 0;
    json += length == 0 ? 3 : std::max(length, json_bytes(text[taken]));
    if (json + (is_text ? 0 : base64_length(next)) > kMostEventJson) break;
    taken = next;
  }
  return taken;
}

}  // namespace

std::vector<std::string_view> event_pieces(std::string_view bytes) {
  std::vector<std::string_view> out;
  while (!bytes.empty()) {
    out.push_back(bytes.substr(0, piece_length(bytes)));
    bytes.remove_prefix(out.back().size());
  }
  return out;
}

}  // namespace paddock::nodes
