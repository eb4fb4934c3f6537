#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <array>
#include <random>
#include <string_view>
#include <utility>

namespace paddock::fuzz {
namespace {

using namespace std::string_view_literals;

constexpr size_t kMostBytes = size_t{64} << 10;

// What parsers of text and of bytes stumble over.
constexpr std::array kTokens = {""sv,
                                "\0"sv,
                                "\n"sv,
                                "\r\n"sv,
                                "\xff"sv,
                                "\xc0\x80"sv,
                                "\xed\xa0\x80"sv,
                                "\xf4\x90\x80\x80"sv,
                                "\xe2\x80\xae"sv,
                                "\\"sv,
                                "\\u0000"sv,
                                "\\ud800"sv,
                                "\""sv,
                                "'"sv,
                                "{"sv,
                                "}"sv,
                                "["sv,
                                "]"sv,
                                "[[[[[[[["sv,
                                "{\"a\":"sv,
                                ","sv,
                                ":"sv,
                                ": "sv,
                                "- "sv,
                                "&a "sv,
                                "*a"sv,
                                "!!"sv,
                                "#"sv,
                                "%"sv,
                                "%00"sv,
                                "="sv,
                                ";"sv,
                                "/"sv,
                                "../"sv,
                                "//"sv,
                                "*"sv,
                                "**"sv,
                                "0"sv,
                                "-1"sv,
                                "1e999"sv,
                                "0.1"sv,
                                "00"sv,
                                "9223372036854775808"sv,
                                "18446744073709551616"sv,
                                "null"sv,
                                "true"sv,
                                "Ki"sv,
                                "ms"sv,
                                "\x7f"sv,
                                "\x80\x00\x00\x00"sv,
                                "\x00\x00\x00\x00\x00\x00\x00\x00"sv,
                                "\xff\xff\xff\xff"sv};

// Values that a field of another type or range finds.
constexpr std::array kWords = {"null"sv,
                               "true"sv,
                               "0"sv,
                               "-1"sv,
                               "1"sv,
                               "0.5"sv,
                               "1e300"sv,
                               "-0"sv,
                               "2147483648"sv,
                               "9223372036854775807"sv,
                               "-9223372036854775808"sv,
                               "18446744073709551615"sv,
                               "\"\""sv,
                               "\"0s\""sv,
                               "\"-1s\""sv,
                               "\"512Mi\""sv,
                               "\"2026-01-02T03:04:05.678Z\""sv,
                               "\"\\u0000\""sv,
                               "\"../x\""sv,
                               "\"*\""sv,
                               "\"Running\""sv,
                               "{}"sv,
                               "[]"sv,
                               "{\"a\":{}}"sv,
                               "[[],{}]"sv};

class Mutator {
 public:
  Mutator(const std::vector<std::string>& corpus, uint64_t seed) : corpus_(corpus), random_(seed) {}

  // Half of them stay well-formed for the most part, and reach what lies behind the parser.
  std::string run() {
    std::string out = any_input();
    const bool words = below(2) == 0;
    for (size_t changes = 1 + below(6); changes > 0; --changes)
      words ? change_word(out) : change(out);
    out.resize(std::min(out.size(), kMostBytes));
    return out;
  }

 private:
  // The library's distributions differ between libraries.
  size_t below(size_t bound) { return bound == 0 ? 0 : random_() % bound; }
  std::string any_input() {
    const std::string& chosen = corpus_[below(corpus_.size())];
    if (chosen.size() <= kMostBytes) return chosen;
    return chosen.substr(below(chosen.size() - kMostBytes), kMostBytes);
  }

  // A place, and some bytes from there on: mostly few.
  size_t place(const std::string& text) { return below(text.size() + 1); }
  size_t length() { return 1 + below(below(8) == 0 ? 512 : 8); }

  // Where a word begins, and its length: what lies between the marks of JSON, YAML and headers.
  std::pair<size_t, size_t> word(const std::string& text) {
    constexpr std::string_view kMarks = ",:;={}[] \n\r\t";
    size_t begin = text.find_first_not_of(kMarks, place(text));
    if (begin == std::string::npos) begin = text.size();
    while (begin > 0 && kMarks.find(text[begin - 1]) == std::string_view::npos) --begin;
    return {begin, std::min(text.find_first_of(kMarks, begin), text.size()) - begin};
  }

  void change_word(std::string& text) {
    const auto [at, length] = word(text);
    if (below(2) == 0) {
      text.replace(at, length, kWords[below(kWords.size())]);
    } else {
      const std::string other = any_input();
      const auto [from, bytes] = word(other);
      text.replace(at, length, other, from, bytes);
    }
  }

  void change(std::string& text) {
    const size_t at = place(text);
    switch (below(8)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        return;
      case 1:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        return;
      case 2:
        text.erase(at, length());
        return;
      case 3:
        text.insert(at, kTokens[below(kTokens.size())]);
        return;
      case 4:
        return replace(text, at);
      case 5:
        return repeat(text, at);
      case 6:
        return splice(text, at);
      default:
        text.resize(at);
    }
  }

  void replace(std::string& text, size_t at) {
    const std::string_view token = kTokens[below(kTokens.size())];
    text.replace(at, token.size(), token);
  }

  // A part of it once more. What is drawn first is said: the order of arguments is the compiler's.
  void repeat(std::string& text, size_t at) {
    const size_t to = place(text);
    text.insert(to, text.substr(at, length()));
  }

  // The front of this one and the back of another.
  void splice(std::string& text, size_t at) {
    const std::string other = any_input();
    text.replace(at, std::string::npos, other, place(other), std::string::npos);
  }

  const std::vector<std::string>& corpus_;
  std::mt19937_64 random_;
};

}  // namespace

std::string mutation(const std::vector<std::string>& corpus, uint64_t seed) {
  return Mutator(corpus, seed).run();
}

}  // namespace paddock::fuzz
