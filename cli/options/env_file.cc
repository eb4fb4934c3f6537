#include "cli/options/env_file.h"

#include <optional>

#include "common/base/text.h"
#include "common/contracts/inner_paths.h"

namespace paddock::cli {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kBlank = " \t";

// Behind a closing quote: nothing, or a comment.
bool is_over(std::string_view rest) {
  rest = trim(rest);
  return rest.empty() || rest[0] == '#';
}

std::optional<std::string> single_quoted(std::string_view text) {
  const size_t end = text.find('\'', 1);
  if (end == std::string_view::npos || !is_over(text.substr(end + 1))) return std::nullopt;
  return std::string(text.substr(1, end - 1));
}

char escaped(char letter) {
  switch (letter) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    default:
      return letter;
  }
}

std::optional<std::string> double_quoted(std::string_view text) {
  std::string out;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') return is_over(text.substr(i + 1)) ? std::optional(out) : std::nullopt;
    const bool escape = text[i] == '\\' && i + 1 < text.size();
    out += escape ? escaped(text[++i]) : text[i];
  }
  return std::nullopt;
}

std::string plain(std::string_view text) {
  for (size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1)) {
    if (at == 0 || kBlank.find(text[at - 1]) != std::string_view::npos) {
      text = text.substr(0, at);
      break;
    }
  }
  return std::string(trim(text));
}

std::optional<std::string> value_of(std::string_view text) {
  text = trim(text);
  if (text.starts_with('\'')) return single_quoted(text);
  if (text.starts_with('"')) return double_quoted(text);
  return plain(text);
}

// Takes in one line. Returns what is wrong with it; empty: it was taken in, or it has nothing.
std::string take_line(std::string_view line, const Variables& own, Variables& out) {
  line = trim(line);
  if (line.empty() || line[0] == '#') return {};
  if (line.starts_with("export ")) line = trim(line.substr(7));
  const size_t equals = line.find('=');
  const std::string name(trim(line.substr(0, equals)));
  // Such a line may be part of a value, which no log is to have.
  if (equals == std::string_view::npos && !contracts::variable_fault(name, "").empty())
    return "the line has no `=`, and is no variable's name; a value of several lines needs quotes";
  if (std::string fault = contracts::variable_fault(name, ""); !fault.empty())
    return cat("`", name, "` ", fault);
  if (equals == std::string_view::npos) {
    if (const auto mine = own.find(name); mine != own.end()) out[name] = mine->second;
    return {};
  }
  const auto value = value_of(line.substr(equals + 1));
  if (!value) return cat("the quote of ", name, " is not closed, or something follows it");
  out[name] = *value;
  return {};
}

}  // namespace

Result<Variables> parse_env_file(std::string_view text, const std::string& file,
                                 const Variables& own, std::string_view option) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Variables out;
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    if (std::string fault = take_line(line, own, out); !fault.empty())
      return invalid_argument("INVALID_ENV_FILE", cat(file, ":", number, ": ", fault),
                              std::string(option));
  }
  return out;
}

Status add_variable(const std::string& text, const Variables& own, Variables& out) {
  const size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  if (const std::string fault = contracts::variable_fault(name, ""); !fault.empty())
    return invalid_argument("INVALID_OPTION",
                            cat("`", name, "` ", fault, "; expected NAME=VALUE or NAME"), "--env");
  if (equals != std::string::npos) {
    out[name] = text.substr(equals + 1);
  } else if (const auto mine = own.find(name); mine != own.end()) {
    out[name] = mine->second;
  }
  return {};
}

}  // namespace paddock::cli
