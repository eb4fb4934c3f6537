#include "common/base/reason.h"

#include <algorithm>
#include <iterator>

#include "common/base/result.h"
#include "common/base/text.h"

namespace paddock {
namespace {

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= Reason::kMaxBytes && is_letter(text[0]) &&
         std::ranges::all_of(
             text, [](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

consteval bool is_in_order() {
  for (const reasons::Row& row : reasons::kRows) {
    if (std::string_view(row.word).size() > Reason::kMaxBytes) return false;
  }
  return reasons::kRows[0].remedy[0] != 0;
}
static_assert(is_in_order(), "a word is too long, or the first row is to be like the one above it");

}  // namespace

Reason Reason::parse(std::string_view text) { return Reason(Known{is_word(text) ? text : ""}); }

Reason Reason::of_kind(std::string_view kind, std::string_view what) {
  std::string word;
  for (const char c : kind) word += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  const Reason made = parse(cat(word, "_", what));
  if (made.row() == nullptr) panic(cat("no reason ", word, "_", what));
  return made;
}

const reasons::Row* Reason::row() const {
  const auto* found = std::ranges::find(reasons::kRows, text(), &reasons::Row::word);
  return found == std::end(reasons::kRows) ? nullptr : found;
}

std::string_view Reason::remedy() const {
  const reasons::Row* found = row();
  if (found == nullptr) return {};
  while (*found->remedy == 0) --found;
  return found->remedy;
}

bool is_one_of(std::string_view text, std::initializer_list<Reason> reasons) {
  return std::ranges::any_of(reasons, [&](const Reason& each) { return each.text() == text; });
}

}  // namespace paddock
