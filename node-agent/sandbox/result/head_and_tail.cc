#include "node-agent/sandbox/result/head_and_tail.h"

#include <algorithm>
#include <utility>

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

size_t bytes_of_character(char first) {
  const auto byte = static_cast<unsigned char>(first);
  if (byte >= 0xc2 && byte <= 0xdf) return 2;
  if (byte >= 0xe0 && byte <= 0xef) return 3;
  return byte >= 0xf0 && byte <= 0xf4 ? 4 : 1;
}

// How many bytes at the beginning are the rest of a character.
size_t rest_of_character(std::string_view text) {
  size_t count = 0;
  while (count < std::min<size_t>(3, text.size()) && continues_character(text[count])) ++count;
  return count;
}

}  // namespace

size_t unfinished_character(std::string_view text) {
  for (size_t back = 1; back <= std::min<size_t>(3, text.size()); ++back) {
    const char c = text[text.size() - back];
    if (!continues_character(c)) return bytes_of_character(c) > back ? back : 0;
  }
  return 0;
}

HeadAndTail::HeadAndTail(int64_t budget)
    : budget_(budget), head_left_(budget - std::min(budget / 2, kMostTail)) {}

std::string HeadAndTail::append(std::string_view bytes) {
  written_ += static_cast<int64_t>(bytes.size());
  const auto taken = static_cast<size_t>(std::min<int64_t>(head_left_, std::ssize(bytes)));
  head_left_ -= static_cast<int64_t>(taken);
  std::string head = std::exchange(carry_, {});
  head += bytes.substr(0, taken);
  const size_t whole = head.size() - unfinished_character(head);
  carry_ = head.substr(whole);
  head.resize(whole);
  handed_on_ += std::ssize(head);
  if (head_left_ > 0) return head;
  keep_last(std::exchange(carry_, {}));
  keep_last(bytes.substr(taken));
  if (cut() && !std::exchange(told_, true)) head += cat("\n[TRUNCATED at ", budget_, " bytes]\n");
  return head;
}

// Keeps the last bytes that are not handed on, as many as the budget has left.
void HeadAndTail::keep_last(std::string_view bytes) {
  const auto room = static_cast<size_t>(budget_ - handed_on_);
  if (bytes.size() >= room) {
    ring_.assign(bytes.substr(bytes.size() - room));
    begin_ = 0;
    return;
  }
  const std::string_view fits = bytes.substr(0, room - ring_.size());
  ring_ += fits;
  bytes.remove_prefix(fits.size());
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, room - begin_);
    ring_.replace(begin_, piece.size(), piece);
    begin_ = (begin_ + piece.size()) % room;
    bytes.remove_prefix(piece.size());
  }
}

std::string HeadAndTail::tail() const { return ring_.substr(begin_) + ring_.substr(0, begin_); }

std::string HeadAndTail::rest() const {
  const std::string last = tail();
  if (!cut()) return carry_ + last;
  const std::string_view shown = std::string_view(last).substr(rest_of_character(last));
  const int64_t left_out = written_ - handed_on_ - std::ssize(shown);
  return cat("[", left_out, " bytes are left out here]\n", shown);
}

std::string head_and_tail(std::string_view text, int64_t budget) {
  HeadAndTail kept(budget);
  std::string out = kept.append(text);
  return out + kept.rest();
}

}  // namespace paddock::sandbox
