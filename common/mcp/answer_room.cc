#include "common/mcp/answer_room.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/wire/json.h"

namespace paddock::mcp {
namespace {

using wire::Value;

// The room that one byte takes twice: in a string of JSON, and in a string of JSON within such a
// string.
size_t room_for_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (c == '"' || c == '\\') return 2 + 4;
  if (c == '\b' || c == '\f' || c == '\n' || c == '\r' || c == '\t') return 2 + 3;
  return byte < 0x20 || byte == 0x7f ? 6 + 7 : 2;
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

size_t room_for(std::string_view text) {
  size_t out = 0;
  for (const char c : text) out += room_for_byte(c);
  return out;
}

size_t room_for_value(const Value& value) {
  const std::string json = wire::to_json(value);
  return 2 * json.size() + static_cast<size_t>(std::ranges::count_if(
                               json, [](char c) { return c == '"' || c == '\\'; }));
}

size_t fitting(std::string_view text, size_t room) {
  size_t end = 0;
  for (size_t used = 0; end < text.size(); ++end) {
    used += room_for_byte(text[end]);
    if (used > room) break;
  }
  while (end > 0 && end < text.size() && continues_character(text[end])) --end;
  return end;
}

std::string_view fitting_end(std::string_view text, size_t room) {
  size_t begin = text.size();
  for (size_t used = 0; begin > 0; --begin) {
    used += room_for_byte(text[begin - 1]);
    if (used > room) break;
  }
  while (begin > 0 && begin < text.size() && continues_character(text[begin])) ++begin;
  return text.substr(begin);
}

std::string without_middle(std::string_view text, size_t room) {
  if (room_for(text) <= room) return std::string(text);
  const std::string_view head = text.substr(0, fitting(text, room / 2));
  const std::string_view tail = fitting_end(text.substr(head.size()), room / 2);
  return cat(head, "\n[", text.size() - head.size() - tail.size(), " bytes are left out here]\n",
             tail);
}

std::string clipped(std::string_view text, size_t room) {
  const size_t end = fitting(text, room);
  return end == text.size() ? std::string(text) : cat(text.substr(0, end), "…");
}

bool ListPart::add(Value item) {
  const size_t needed = room_for_value(item) + 2;
  if (items_.size() == most_ || (needed > room_ && !items_.empty())) return false;
  room_ -= std::min(room_, needed);
  items_.push_back(std::move(item));
  return true;
}

void set_output(Value& answer, const std::string& out, const std::string& err) {
  const size_t errors_room =
      std::max(kTextRoom / 2, kTextRoom - std::min(kTextRoom, room_for(out)));
  const std::string errors = without_middle(err, errors_room);
  const std::string output = without_middle(out, kTextRoom - std::min(kTextRoom, room_for(errors)));
  answer.set("stdout", output);
  answer.set("stderr", errors);
  answer.set("truncated", output.size() != out.size() || errors.size() != err.size());
}

void set_bytes(Value& answer, std::string_view bytes, int64_t offset, bool more) {
  constexpr size_t kMostBinary = size_t{12} << 10;
  const size_t whole = utf8_prefix(bytes);
  // Only the last character may be incomplete, and only where more follows.
  const bool plain = whole == bytes.size() || (more && whole + 3 >= bytes.size() && whole > 0);
  const size_t taken =
      plain ? fitting(bytes.substr(0, whole), kTextRoom) : std::min(bytes.size(), kMostBinary);
  if (plain)
    answer.set("text", bytes.substr(0, taken));
  else
    answer.set("base64", base64(bytes.substr(0, taken)));
  if (more || taken < bytes.size()) answer.set("next", offset + static_cast<int64_t>(taken));
}

}  // namespace paddock::mcp
