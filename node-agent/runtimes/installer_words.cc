#include "node-agent/runtimes/installer_words.h"

#include <algorithm>
#include <array>
#include <vector>

#include "common/base/text.h"

namespace paddock::runtimes {
namespace {

constexpr size_t kMostVerdict = 300;
constexpr size_t kMostLog = 64 << 10;

using Lines = std::vector<std::string>;

std::string first_with(const Lines& lines, std::string_view start) {
  const auto found =
      std::ranges::find_if(lines, [&](const std::string& line) { return line.starts_with(start); });
  return found == lines.end() ? "" : std::string(trim(found->substr(start.size())));
}

// pip's error says "no versions" where the truth is that its index could not be reached.
std::string pip_verdict(const Lines& lines) {
  const std::string error = first_with(lines, "ERROR:");
  if (error.empty()) return {};
  std::string cause = first_with(lines, "Could not fetch URL");
  if (cause.empty()) cause = first_with(lines, "WARNING: Retrying");
  return cause.empty() ? error : cat(error, "; the index could not be reached: ", cause);
}

bool explains_nothing(std::string_view line) {
  constexpr std::array<std::string_view, 6> kStarts = {"code ", "errno ", "syscall ",
                                                       "path ", "type ",  "A complete log"};
  return line.empty() || std::ranges::any_of(kStarts, [&](std::string_view start) {
           return line.starts_with(start);
         });
}

// npm repeats `error` before each line; the cause follows the code.
std::string npm_verdict(const Lines& lines) {
  std::string code;
  for (const std::string& line : lines) {
    std::string_view rest = line;
    if (line.starts_with("npm error ")) {
      rest.remove_prefix(10);
    } else if (line.starts_with("npm ERR! ")) {
      rest.remove_prefix(9);
    } else {
      continue;
    }
    rest = trim(rest);
    if (code.empty() && rest.starts_with("code ")) code = rest.substr(5);
    if (explains_nothing(rest)) continue;
    return code.empty() ? std::string(rest) : cat(code, ": ", rest);
  }
  return code;
}

std::string last_line(const Lines& lines) {
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (!trim(*line).empty() && line->find("notice") == std::string::npos)
      return std::string(trim(*line));
  }
  return {};
}

}  // namespace

std::string installer_verdict(std::string_view output) {
  const Lines lines = split(output, '\n');
  std::string out = pip_verdict(lines);
  if (out.empty()) out = npm_verdict(lines);
  if (out.empty()) out = last_line(lines);
  return to_utf8_lossy(out.substr(0, kMostVerdict));
}

std::string installer_log(std::string_view output) {
  if (output.size() > kMostLog) {
    output.remove_prefix(output.size() - kMostLog);
    output.remove_prefix(std::min(output.find('\n') + 1, output.size()));
  }
  return to_utf8_lossy(trim(output));
}

}  // namespace paddock::runtimes
