#include "common/cas/wildmatch.h"

#include <optional>
#include <vector>

namespace paddock::cas {
namespace {

// POSIX character classes in ASCII, whatever the locale.
std::optional<bool> in_class(std::string_view name, unsigned char c) {
  const bool lower = c >= 'a' && c <= 'z';
  const bool upper = c >= 'A' && c <= 'Z';
  const bool digit = c >= '0' && c <= '9';
  const bool graph = c > 0x20 && c < 0x7F;
  if (name == "alnum") return lower || upper || digit;
  if (name == "alpha") return lower || upper;
  if (name == "blank") return c == ' ' || c == '\t';
  if (name == "cntrl") return c < 0x20 || c == 0x7F;
  if (name == "digit") return digit;
  if (name == "graph") return graph;
  if (name == "lower") return lower;
  if (name == "print") return graph || c == ' ';
  if (name == "punct") return graph && !lower && !upper && !digit;
  if (name == "space") return c == ' ' || (c >= '\t' && c <= '\r');
  if (name == "upper") return upper;
  if (name == "xdigit") return digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  return std::nullopt;
}

// A set `[…]`, read item by item. `at` is behind the opening bracket.
class Set {
 public:
  Set(std::string_view pattern, size_t at) : pattern_(pattern), at_(at) {}

  // Whether `c` is in the set; nothing if the set is malformed (then nothing matches).
  std::optional<bool> contains(char c) {
    const auto byte = static_cast<unsigned char>(c);
    const bool negated = peek() == '!' || peek() == '^';
    if (negated) ++at_;
    bool found = false;
    bool first = true;
    while (first || peek() != ']') {
      first = false;
      const std::optional<bool> hit = item(byte);
      if (!hit) return std::nullopt;
      found = found || *hit;
    }
    ++at_;
    return found != negated;
  }
  size_t end() const { return at_; }  // behind the closing bracket

 private:
  int peek(size_t ahead = 0) const {
    return at_ + ahead < pattern_.size() ? static_cast<unsigned char>(pattern_[at_ + ahead]) : -1;
  }

  std::optional<bool> item(unsigned char c) {
    if (peek() == '[' && peek(1) == ':') {
      if (const auto named = named_class(c); named.has_value()) return *named;
    }
    const bool range = peek() == '-' && previous_ >= 0 && peek(1) >= 0 && peek(1) != ']';
    if (range) ++at_;
    if (peek() == '\\') ++at_;
    const int value = peek();
    if (value < 0) return std::nullopt;
    ++at_;
    if (!range) {
      previous_ = value;
      return c == value;
    }
    const int from = previous_;
    previous_ = -1;
    return c >= from && c <= value;
  }

  // Nothing: it is not a named class after all. An inner nothing: malformed.
  std::optional<std::optional<bool>> named_class(unsigned char c) {
    const size_t close = pattern_.find(']', at_ + 2);
    if (close == std::string_view::npos) return std::optional<bool>();
    if (close < at_ + 3 || pattern_[close - 1] != ':') return std::nullopt;
    const std::string_view name = pattern_.substr(at_ + 2, close - 1 - (at_ + 2));
    at_ = close + 1;
    previous_ = -1;
    return in_class(name, c);
  }

  std::string_view pattern_;
  size_t at_;
  int previous_ = -1;  // a range may start with it
};

class Matcher {
 public:
  Matcher(std::string_view pattern, std::string_view text) : pattern_(pattern), text_(text) {}
  bool run() { return match(0, 0); }

 private:
  bool match(size_t p, size_t t) {
    while (p < pattern_.size()) {
      if (pattern_[p] == '*') return match_stars(p, t);
      if (t == text_.size() || !match_one(p, text_[t])) return false;
      ++t;
    }
    return t == text_.size();
  }

  // Matches one character and moves `p` behind what matched it.
  bool match_one(size_t& p, char c) const {
    if (pattern_[p] == '?') return ++p, c != '/';
    if (pattern_[p] == '[') {
      Set set(pattern_, p + 1);
      const std::optional<bool> hit = set.contains(c);
      p = set.end();
      return hit.value_or(false) && c != '/';
    }
    if (pattern_[p] == '\\' && ++p == pattern_.size()) return false;
    return pattern_[p++] == c;
  }

  bool match_stars(size_t first, size_t t) {
    size_t p = first;
    while (p < pattern_.size() && pattern_[p] == '*') ++p;
    const std::string_view rest = pattern_.substr(p);
    const bool bounded = (first == 0 || pattern_[first - 1] == '/') &&
                         (rest.empty() || rest[0] == '/' || rest.starts_with("\\/"));
    const bool crosses = p - first > 1 && bounded;
    if (rest.empty()) return crosses || text_.find('/', t) == std::string_view::npos;
    if (failed(first, t)) return false;
    if (crosses && rest[0] == '/' && match(p + 1, t)) return true;
    // Where these stars failed before, all that they can still reach was tried too.
    for (; !failed(first, t); ++t) {
      if (match(p, t)) return true;
      failed_[index(first, t)] = true;
      if (t == text_.size() || (!crosses && text_[t] == '/')) return false;
    }
    return false;
  }

  size_t index(size_t p, size_t t) const { return p * (text_.size() + 1) + t; }
  bool failed(size_t p, size_t t) {
    if (failed_.empty()) failed_.resize(pattern_.size() * (text_.size() + 1));
    return failed_[index(p, t)];
  }

  std::string_view pattern_;
  std::string_view text_;
  std::vector<bool> failed_;  // stars at this place of the pattern, from this place of the text on
};

}  // namespace

bool wildmatch(std::string_view pattern, std::string_view text) {
  return Matcher(pattern, text).run();
}

}  // namespace paddock::cas
