#include "common/requirements/requirement_line.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "common/base/relative_path.h"
#include "common/base/text.h"

namespace paddock::requirements {
namespace {

constexpr size_t kShown = 60;
constexpr const char* kWheelInstead =
    "; write NAME==VERSION and have a wheel of it put into the node's wheel folder";

std::string shown(std::string_view text) { return std::string(text.substr(0, kShown)); }

bool is_alphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool is_name_char(char c) { return is_alphanumeric(c) || c == '.' || c == '_' || c == '-'; }

bool is_name(std::string_view text) {
  return !text.empty() && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
         std::all_of(text.begin(), text.end(), is_name_char);
}

bool names_archive(std::string_view name) {
  const std::string lower = ascii_lower(name);
  constexpr std::array<std::string_view, 10> kEndings = {
      ".whl", ".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz", ".tar.xz", ".txz", ".egg"};
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return lower.ends_with(ending); });
}

bool is_version(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_name_char(c) || c == '*' || c == '+' || c == '!';
  });
}

bool is_specifier(std::string_view text) {
  text = trim(text);
  for (const std::string_view op : {"===", "~=", "==", "!=", "<=", ">=", "<", ">"}) {
    if (text.starts_with(op)) return is_version(trim(text.substr(op.size())));
  }
  return false;
}

bool all_specifiers(std::string_view text) {
  text = trim(text);
  if (text.empty()) return true;
  if (text.front() == '(' && text.back() == ')') text = text.substr(1, text.size() - 2);
  const std::vector<std::string> parts = split(text, ',');
  return std::all_of(parts.begin(), parts.end(),
                     [](const auto& each) { return is_specifier(each); });
}

bool all_extras(std::string_view text) {
  const std::vector<std::string> parts = split(text, ',');
  return std::all_of(parts.begin(), parts.end(),
                     [](const auto& each) { return is_name(trim(each)); });
}

bool is_marker(std::string_view text) {
  return !trim(text).empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_alphanumeric(c) ||
           std::string_view(" _.'\"<>=!~(),-*+").find(c) != std::string_view::npos;
  });
}

bool is_hash_option(std::string_view text) {
  for (const std::string_view kind : {"--hash=sha256:", "--hash=sha384:", "--hash=sha512:"}) {
    if (!text.starts_with(kind)) continue;
    const std::string_view digest = text.substr(kind.size());
    return !digest.empty() && std::all_of(digest.begin(), digest.end(), [](char c) {
      return std::isxdigit(static_cast<unsigned char>(c)) != 0;
    });
  }
  return false;
}

// Why a requirement without its --hash options cannot pass; empty if it can.
std::string fault_of_name_and_version(std::string_view text) {
  if (text.find("://") != std::string_view::npos) return cat("URLs are not allowed", kWheelInstead);
  if (text.find('@') != std::string_view::npos)
    return cat("references with @ are not allowed", kWheelInstead);
  if (text.find('/') != std::string_view::npos || text.find('\\') != std::string_view::npos ||
      text.starts_with('.') || text.starts_with('~')) {
    return cat("paths are not allowed", kWheelInstead);
  }
  const size_t semicolon = text.find(';');
  if (semicolon != std::string_view::npos && !is_marker(text.substr(semicolon + 1))) {
    return "the environment marker cannot be read";
  }
  const std::string_view head = trim(text.substr(0, semicolon));
  size_t end = 0;
  while (end < head.size() && is_name_char(head[end])) ++end;
  const std::string_view name = head.substr(0, end);
  if (!is_name(name)) return "not a requirement, such as numpy==1.26.4";
  if (names_archive(name)) return cat("archives are not allowed", kWheelInstead);
  std::string_view rest = trim(head.substr(end));
  if (rest.starts_with('[')) {
    const size_t close = rest.find(']');
    if (close == std::string_view::npos || !all_extras(rest.substr(1, close - 1))) {
      return "the extras cannot be read";
    }
    rest = trim(rest.substr(close + 1));
  }
  return all_specifiers(rest) ? ""
                              : "the version specifier cannot be read, such as ==1.26.4 or >=2,<3";
}

std::string_view without_comment(std::string_view line) {
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
      return line.substr(0, i);
    }
  }
  return line;
}

// `--name value`, `--name=value`, or `-x value`, `-xvalue`. Nothing where it has no value.
std::optional<std::string> value_of(const std::vector<std::string>& words, std::string_view name) {
  if (words[0] == name) return words.size() == 2 ? std::optional(words[1]) : std::nullopt;
  const bool letter = !name.starts_with("--");
  const std::string start = letter ? std::string(name) : cat(name, "=");
  if (words.size() != 1 || !words[0].starts_with(start)) return std::nullopt;
  return words[0].substr(start.size());
}

bool is_option(const std::string& word, std::string_view name) {
  return word == name || word.starts_with(name.starts_with("--") ? cat(name, "=") : name);
}

struct Option {
  std::string_view name;
  OptionLine::Kind kind;
};
using Kind = OptionLine::Kind;
constexpr std::array kValued = {Option{"--requirement", Kind::kFile},
                                Option{"--constraint", Kind::kConstraints},
                                Option{"--index-url", Kind::kIndex},
                                Option{"--pypi-url", Kind::kIndex},
                                Option{"-r", Kind::kFile},
                                Option{"-c", Kind::kConstraints},
                                Option{"-i", Kind::kIndex}};
constexpr std::array kAlone = {
    Option{"--require-hashes", Kind::kPassed}, Option{"--prefer-binary", Kind::kPassed},
    Option{"--pre", Kind::kPassed}, Option{"--only-binary :all:", Kind::kIgnored},
    Option{"--only-binary=:all:", Kind::kIgnored}};

std::string fault_of_option(const std::string& word) {
  const std::string start = cat("options are not allowed: ", shown(word));
  if (is_option(word, "--editable") || is_option(word, "-e"))
    return cat(start,
               "; leave it out: the command starts in the project's folder, where Python finds "
               "its modules (those beneath src/ with --env PYTHONPATH=/workspace/src); name the "
               "packages that it needs");
  for (const std::string_view each :
       {"--extra-index-url", "--find-links", "--trusted-host", "--no-index", "-f"})
    if (is_option(word, each))
      return cat(start, "; leave it out: packages come from where the node's operator says");
  if (is_option(word, "--no-binary"))
    return cat(start, "; leave it out: only wheels are installed");
  return cat(start, "; leave it out");
}

}  // namespace

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> out;
  std::string word;
  for (const char c : line) {
    if (c != ' ' && c != '\t') {
      word += c;
    } else if (!word.empty()) {
      out.push_back(std::exchange(word, {}));
    }
  }
  if (!word.empty()) out.push_back(std::move(word));
  return out;
}

std::vector<LogicalLine> logical_lines(std::string_view file) {
  std::vector<LogicalLine> out;
  size_t number = 0;
  bool continued = false;
  for (std::string& raw : split(file, '\n')) {
    ++number;
    if (raw.ends_with('\r')) raw.pop_back();
    const bool comment = trim(raw).starts_with('#');
    const bool goes_on = !comment && raw.ends_with('\\');
    if (goes_on) raw.pop_back();
    if (continued) {
      out.back().text += comment ? cat(" ", raw) : raw;
    } else {
      out.push_back({number, std::move(raw)});
    }
    continued = goes_on;
  }
  for (LogicalLine& line : out) line.text = std::string(without_comment(line.text));
  return out;
}

std::string fault_of_requirement(const std::vector<std::string>& words) {
  const auto options = std::find_if(words.begin(), words.end(),
                                    [](const std::string& word) { return word.starts_with('-'); });
  const auto bad = std::find_if_not(options, words.end(), is_hash_option);
  if (bad != words.end()) return cat("only --hash=… may follow a requirement: ", shown(*bad));
  return fault_of_name_and_version(join({words.begin(), options}, " "));
}

OptionLine read_option_line(const std::vector<std::string>& words) {
  const std::string line = join(words, " ");
  for (const Option& each : kAlone)
    if (line == each.name) return {each.kind, line, ""};
  for (const Option& each : kValued) {
    if (!is_option(words[0], each.name)) continue;
    if (const auto value = value_of(words, each.name); value && !value->empty())
      return {each.kind, *value, ""};
  }
  return {Kind::kRefused, "", fault_of_option(words[0])};
}

std::optional<std::string> included_path(std::string_view from, std::string_view name) {
  if (name.starts_with('/') || name.starts_with('~') ||
      name.find_first_of(":\\") != std::string_view::npos)
    return std::nullopt;
  return path_beside(from, name);
}

}  // namespace paddock::requirements
