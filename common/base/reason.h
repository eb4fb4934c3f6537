// Why something failed, as one stable word: a row of reason_table.h, or a word that another program
// said.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "common/base/reason_table.h"

namespace paddock {

class Reason {
 public:
  static constexpr size_t kMaxBytes = 64;

  constexpr Reason() = default;
  // From a literal or a constant. A word that is not in the table does not compile.
  consteval Reason(const char* word) : Reason(checked(word)) {}  // NOLINT: implicit by design
  // What another program or a stored object says. It may be a word that this version does not
  // know: a letter, then letters, digits and underscores, 64 together. None if it is no such word.
  static Reason parse(std::string_view text);
  // The reason about objects of a kind: `Run` and `NOT_FOUND` make RUN_NOT_FOUND. Stops the process
  // if the table lacks it.
  static Reason of_kind(std::string_view kind, std::string_view what);

  constexpr std::string_view text() const { return {word_.data(), size_}; }
  std::string str() const { return std::string(text()); }
  constexpr operator std::string_view() const { return text(); }  // NOLINT
  operator std::string() const { return str(); }                  // NOLINT
  constexpr bool empty() const { return size_ == 0; }

  // Its row; nullptr for none and for a word of another program.
  const reasons::Row* row() const;
  // Meaning and what to do, in Markdown; empty without a row.
  std::string_view remedy() const;

  friend constexpr bool operator==(const Reason& left, const Reason& right) {
    return left.text() == right.text();
  }
  // With a field of an object, which may hold any text.
  template <class Text>
  requires(std::same_as<Text, std::string> ||
           std::same_as<Text, std::string_view>) friend constexpr bool
  operator==(const Reason& reason, const Text& text) {
    return reason.text() == std::string_view(text);
  }

 private:
  struct Known {
    std::string_view word;
  };
  constexpr explicit Reason(Known known) : size_(static_cast<uint8_t>(known.word.size())) {
    for (size_t i = 0; i < size_; ++i) word_[i] = known.word[i];
  }
  static consteval Known checked(std::string_view word) {
    for (const reasons::Row& row : reasons::kRows) {
      if (row.word[0] == word[0] && word == row.word) return Known{word};
    }
    no_such_reason();
    return Known{};
  }
  // Never defined: to come here while compiling is the error of an unknown word.
  static void no_such_reason();

  std::array<char, kMaxBytes> word_ = {};
  uint8_t size_ = 0;
};

// For an error's reason, or for a field of an object, which may hold any text.
bool is_one_of(std::string_view text, std::initializer_list<Reason> reasons);

}  // namespace paddock
