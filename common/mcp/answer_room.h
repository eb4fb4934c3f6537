// How much an answer may hold. Its text is there twice (as structured content, and once more as
// text for older hosts), within one line; hosts read lines of at most 64 KiB, and models pay for
// each word. What is left out is said, and how to get it. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/wire/value.h"

namespace paddock::mcp {

// Bytes of an answer's line.
inline constexpr size_t kMostLine = size_t{60} << 10;
// For the text of an answer, beside its other members.
inline constexpr size_t kTextRoom = size_t{40} << 10;

// The bytes of an answer's line that this text takes.
size_t room_for(std::string_view text);
size_t room_for_value(const wire::Value& value);

// The first bytes of it that fit, cut at a character.
size_t fitting(std::string_view text, size_t room);
// The last bytes that fit.
std::string_view fitting_end(std::string_view text, size_t room);
// Its beginning and its end, with a line between them that says how many bytes are missing.
std::string without_middle(std::string_view text, size_t room);
// A word or a sentence, with … where it was cut.
std::string clipped(std::string_view text, size_t room);

// A part of a list, from `offset` on: as many as fit, and where the next part begins, if any.
class ListPart {
 public:
  ListPart(size_t room, size_t most) : room_(room), most_(most) {}
  // False: it has no place any more.
  bool add(wire::Value item);
  wire::Value::Array take() { return std::move(items_); }
  size_t size() const { return items_.size(); }

 private:
  size_t room_;
  size_t most_;
  wire::Value::Array items_;
};

// Puts a command's output into an answer, as `stdout`, `stderr` and `truncated`. Each stream has
// half of the room, and what the other one leaves.
void set_output(wire::Value& answer, const std::string& out, const std::string& err);

// Puts bytes that were read from `offset` on into an answer: `text`, or `base64` where they are no
// text, and `next` if more follows. `more`: there is something behind `bytes`.
void set_bytes(wire::Value& answer, std::string_view bytes, int64_t offset, bool more);

}  // namespace paddock::mcp
