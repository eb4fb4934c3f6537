#include "node-agent/runtimes/requirements.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "common/base/text.h"

namespace paddock::runtimes {
namespace {

constexpr size_t kMostRequirementsBytes = 1 << 20;
constexpr size_t kMaxLines = 10'000;

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

// Why a requirement without its --hash options cannot pass; empty if it can.
std::string fault_of_requirement(std::string_view text) {
  if (text.find("://") != std::string_view::npos) return "URLs are not allowed";
  if (text.find('@') != std::string_view::npos) return "references with @ are not allowed";
  if (text.find('/') != std::string_view::npos || text.find('\\') != std::string_view::npos ||
      text.starts_with('.') || text.starts_with('~')) {
    return "paths are not allowed";
  }
  const size_t semicolon = text.find(';');
  if (semicolon != std::string_view::npos && !is_marker(text.substr(semicolon + 1))) {
    return "the environment marker cannot be read";
  }
  const std::string_view head = trim(text.substr(0, semicolon));
  size_t end = 0;
  while (end < head.size() && is_name_char(head[end])) ++end;
  const std::string_view name = head.substr(0, end);
  if (!is_name(name)) return "not a requirement";
  if (names_archive(name)) return "archives are not allowed";
  std::string_view rest = trim(head.substr(end));
  if (rest.starts_with('[')) {
    const size_t close = rest.find(']');
    if (close == std::string_view::npos || !all_extras(rest.substr(1, close - 1))) {
      return "the extras cannot be read";
    }
    rest = trim(rest.substr(close + 1));
  }
  return all_specifiers(rest) ? "" : "the version specifier cannot be read";
}

// Why a whole line cannot pass; empty if it can.
std::string fault_of_line(const std::vector<std::string>& words) {
  if (words[0].starts_with('-')) return cat("options are not allowed: ", words[0].substr(0, 40));
  const auto options = std::find_if(words.begin(), words.end(),
                                    [](const std::string& word) { return word.starts_with('-'); });
  const auto bad = std::find_if_not(options, words.end(), is_hash_option);
  if (bad != words.end())
    return cat("only --hash=… may follow a requirement: ", bad->substr(0, 40));
  return fault_of_requirement(join({words.begin(), options}, " "));
}

std::string_view without_comment(std::string_view line) {
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
      return line.substr(0, i);
    }
  }
  return line;
}

Error refused(size_t line, const std::string& fault) {
  return invalid_argument("REQUIREMENTS_INVALID", cat("line ", line, ": ", fault),
                          "spec.requirements");
}

struct LogicalLine {
  size_t number = 0;
  std::string text;
};

// Physical lines joined where one ends with a backslash. A comment ends a continued line.
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
  return out;
}

// pip takes a carriage return for the end of a line; here it may only stand before a line feed.
bool has_lone_return(std::string_view file) {
  for (size_t at = file.find('\r'); at != std::string_view::npos; at = file.find('\r', at + 1)) {
    if (at + 1 < file.size() && file[at + 1] != '\n') return true;
  }
  return false;
}

}  // namespace

Result<Requirements> check_requirements(std::string_view file) {
  if (file.starts_with("\xef\xbb\xbf")) file.remove_prefix(3);
  if (file.size() > kMostRequirementsBytes) {
    return Error{Code::kTooLarge, "REQUIREMENTS_INVALID",
                 "the requirements file is larger than 1 MiB"};
  }
  const bool plain =
      is_utf8(file) && std::none_of(file.begin(), file.end(), [](char c) {
        return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t') ||
               c == 0x7f;
      });
  if (!plain) return refused(1, "the file is not plain UTF-8 text");
  if (has_lone_return(file)) return refused(1, "a carriage return stands without a line feed");
  Requirements out;
  const std::vector<LogicalLine> lines = logical_lines(file);
  if (lines.size() > kMaxLines) return refused(kMaxLines, "too many lines");
  for (const LogicalLine& line : lines) {
    const std::string_view text = without_comment(line.text);
    const std::vector<std::string> words = words_of(text);
    if (words.empty()) continue;
    if (text.find("${") != std::string_view::npos)
      return refused(line.number, "variables are not allowed");
    const std::string fault = fault_of_line(words);
    if (!fault.empty()) return refused(line.number, fault);
    out.text += cat(join(words, " "), "\n");
    ++out.count;
  }
  return out;
}

}  // namespace paddock::runtimes
