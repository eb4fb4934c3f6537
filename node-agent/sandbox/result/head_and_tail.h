// A text that may be longer than its budget: what is kept is its first bytes, handed on as they
// come, and its last ones, known at the end. Between them stands a marker: a line that says so, at
// once, and one that says how many bytes are left out. Exactly as many as the budget are whole, and
// the marker is outside of it. Characters of UTF-8 are not cut. Needs no more memory than the tail.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace paddock::sandbox {

class HeadAndTail {
 public:
  static constexpr int64_t kMostTail = int64_t{1} << 20;

  explicit HeadAndTail(int64_t budget);
  // What can be handed on now, with the marker's first line once more came than the budget. A
  // character that is not whole yet waits for its rest.
  std::string append(std::string_view bytes);
  // What follows all that was handed on, once nothing more comes.
  std::string rest() const;
  int64_t written() const { return written_; }
  bool cut() const { return written_ > budget_; }

 private:
  void keep_last(std::string_view bytes);
  std::string tail() const;

  int64_t budget_;
  int64_t head_left_;
  int64_t handed_on_ = 0;
  int64_t written_ = 0;
  std::string carry_;  // the beginning of a character
  std::string ring_;   // the last bytes; once it is full they begin at begin_
  size_t begin_ = 0;
  bool told_ = false;  // by the marker's first line
};

// The same for a text that is there.
std::string head_and_tail(std::string_view text, int64_t budget);

// How many bytes at the end are a character of UTF-8 whose rest is missing.
size_t unfinished_character(std::string_view text);

}  // namespace paddock::sandbox
