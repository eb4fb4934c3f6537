// Output as events that every client can read: many read lines of at most 64 KiB. Pure.
#pragma once

#include <string_view>
#include <vector>

namespace paddock::nodes {

// The most bytes of one event's text as JSON: with its time and its field names, the event is then
// a line under 64 KiB.
inline constexpr size_t kMostEventJson = 60 << 10;

// The bytes in pieces that have at most that much as JSON each, whatever they hold: a control
// character has six bytes there, and one that is no UTF-8 three. A piece that is no text has its
// base64 beside that. No character is cut in two.
std::vector<std::string_view> event_pieces(std::string_view bytes);

}  // namespace paddock::nodes
