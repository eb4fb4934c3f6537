#include "common/mcp/shell_words.h"

#include <algorithm>
#include <array>
#include <vector>

#include "common/base/text.h"

namespace paddock::mcp {
namespace {

// The words of the line. Those with a quote or a backslash in them are empty.
std::vector<std::string> bare_words(std::string_view line) {
  std::vector<std::string> out;
  std::string word;
  char quote = 0;
  bool bare = true;
  bool in_word = false;
  const auto end_word = [&] {
    if (in_word) out.push_back(bare ? word : std::string());
    word.clear();
    bare = true;
    in_word = false;
  };
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
      end_word();
      continue;
    }
    in_word = true;
    word += c;
    if (c == '\\' && quote != '\'') ++i;  // whatever follows is no quote
    if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    }
    bare = bare && c != '\'' && c != '"' && c != '\\';
  }
  end_word();
  return out;
}

// A `;` alone is also how `find` is told where the command of its -exec ends.
bool is_operator(std::string_view word, bool of_find) {
  constexpr std::array<std::string_view, 9> kOperators = {"&&", "||", "|",   "|&", "&",
                                                          "<",  "<<", "<<<", "&>"};
  constexpr std::array<std::string_view, 4> kRedirections = {">", "1>", "2>", "&>"};
  if (word.ends_with(';')) return word[0] != '-' && (!of_find || word.size() > 1);
  return std::ranges::find(kOperators, word) != kOperators.end() ||
         std::ranges::any_of(kRedirections, [&](auto start) { return word.starts_with(start); });
}

// Commands that only a shell has, and `NAME=value` before a command.
bool is_of_a_shell(std::string_view program) {
  constexpr std::array<std::string_view, 4> kBuiltIn = {"cd", "export", "source", "set"};
  const size_t equals = program.find('=');
  return std::ranges::find(kBuiltIn, program) != kBuiltIn.end() ||
         (equals != std::string_view::npos && program.find('/') > equals);
}

}  // namespace

std::optional<std::string> shell_word(std::string_view line) {
  const std::vector<std::string> words = bare_words(line);
  if (words.empty()) return std::nullopt;
  if (is_of_a_shell(words[0])) return words[0];
  const bool of_find = words[0] == "find" || words[0].ends_with("/find");
  const auto found = std::ranges::find_if(
      words, [&](const std::string& word) { return is_operator(word, of_find); });
  return found == words.end() ? std::nullopt : std::optional(*found);
}

}  // namespace paddock::mcp
