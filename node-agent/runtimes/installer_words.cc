#include "node-agent/runtimes/installer_words.h"

#include <algorithm>
#include <array>
#include <vector>

#include "common/base/text.h"
#include "common/requirements/requirements.h"

namespace paddock::runtimes {
namespace {

constexpr size_t kMostLine = 300;
constexpr size_t kMostLines = 12;
constexpr size_t kMostLog = 64 << 10;

using Lines = std::vector<std::string>;

// In pip's words, what stands before a requirement as its file has it.
constexpr std::array<std::string_view, 3> kBeforeRequirement = {
    "satisfies the requirement ", "No matching distribution found for ", "The user requested "};

std::string first_with(const Lines& lines, std::string_view start) {
  const auto found =
      std::ranges::find_if(lines, [&](const std::string& line) { return line.starts_with(start); });
  return found == lines.end() ? "" : std::string(trim(found->substr(start.size())));
}

// The text behind the first `word`; the whole text if there is none.
std::string_view behind(std::string_view text, std::string_view word) {
  const size_t at = text.find(word);
  return at == std::string_view::npos ? text : text.substr(at + word.size());
}

// The last part of `'NewConnectionError('<object at 0x1>: Failed to …: Name or service not
// known')'` and of `SSLError(SSLCertVerificationError(1, '[SSL: …] certificate verify failed: …
// (_ssl.c:1)'))`: names of Python's classes and addresses of its objects tell a user nothing, and
// push the cause beyond what is shown.
std::string_view plain_cause(std::string_view broken_by) {
  constexpr std::string_view kAround = "'\"()";
  std::string_view out = behind(broken_by, ">: ");
  if (out.size() == broken_by.size()) out = behind(out, "] ");
  if (out.size() == broken_by.size()) out = behind(out, "(");
  out = out.substr(0, out.find(" (_ssl.c:"));
  const size_t first = out.find_first_not_of(kAround);
  const size_t last = out.find_last_not_of(kAround);
  return first == std::string_view::npos ? broken_by : out.substr(first, last + 1 - first);
}

// `(Retry(total=4, …)) after connection broken by 'CAUSE': /simple/PACKAGE/`
std::string retried(const std::string& line) {
  const std::string_view broken_by = behind(line, "after connection broken by ");
  const size_t path = broken_by.rfind(": /");
  if (broken_by.size() == line.size() || path == std::string_view::npos) return line;
  return cat(broken_by.substr(path + 2), ": ", plain_cause(broken_by.substr(0, path)));
}

// `https://INDEX/PACKAGE/: There was a problem …: … (Caused by CAUSE) - skipping`
std::string not_fetched(const std::string& line) {
  const size_t caused = line.find(" (Caused by ");
  const size_t end = line.rfind(") - skipping");
  const size_t url = line.find(": ");
  if (caused == std::string::npos || end == std::string::npos || end < caused || url > caused)
    return line;
  const size_t start = caused + std::string_view(" (Caused by ").size();
  return cat(line.substr(0, url), ": ", plain_cause(line.substr(start, end - start)));
}

// The lines of pip's resolver below its error: which package wants which version.
Lines conflict_of(const Lines& lines) {
  auto line = std::ranges::find_if(lines, [](const std::string& each) {
    return trim(each).starts_with("The conflict is caused by");
  });
  Lines out;
  while (line != lines.end() && ++line != lines.end() && line->starts_with("    "))
    out.emplace_back(trim(*line));
  return out;
}

// Why pip could not reach its index; nothing if it could.
std::string unreached_index(const Lines& lines) {
  std::string cause = not_fetched(first_with(lines, "Could not fetch URL"));
  if (cause.empty()) cause = retried(first_with(lines, "WARNING: Retrying"));
  if (cause.empty()) return {};
  const std::string index = first_with(lines, "Looking in indexes:");
  return cat("; the index ", index, index.empty() ? "" : " ", "could not be reached: ", cause);
}

// pip's error says "no versions" where the truth is that its index could not be reached. Its last
// error repeats an earlier one, and after a conflict it names a page alone.
Lines pip_verdict(const Lines& lines) {
  Lines out;
  for (const std::string& line : lines) {
    if (!line.starts_with("ERROR:")) continue;
    const std::string said(trim(std::string_view(line).substr(6)));
    const bool repeats = !out.empty() && (said.starts_with("No matching distribution found") ||
                                          said.starts_with("ResolutionImpossible"));
    if (!said.empty() && !repeats) out.push_back(said);
  }
  if (out.empty()) return out;
  out[0] += unreached_index(lines);
  const Lines conflict = conflict_of(lines);
  out.insert(out.end(), conflict.begin(), conflict.end());
  return out;
}

// Whether OpenSSL, node or pip complain of a certificate whose issuer they do not know.
bool is_untrusted(std::string_view output) {
  constexpr std::array<std::string_view, 6> kWords = {
      "SELF_SIGNED_CERT_IN_CHAIN",        "DEPTH_ZERO_SELF_SIGNED_CERT",
      "UNABLE_TO_GET_ISSUER_CERT",        "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
      "self-signed certificate in chain", "CERTIFICATE_VERIFY_FAILED"};
  return std::ranges::any_of(
      kWords, [&](std::string_view word) { return output.find(word) != std::string_view::npos; });
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
  Lines out = pip_verdict(lines);
  if (out.empty()) out.push_back(npm_verdict(lines));
  if (out[0].empty()) out[0] = last_line(lines);
  if (out.size() > kMostLines) out.resize(kMostLines);
  for (std::string& line : out) line = to_utf8_lossy(line.substr(0, kMostLine));
  return join(out, "\n");
}

std::string with_places(const std::string& verdict,
                        const std::map<std::string, std::string>& places) {
  Lines lines = split(verdict, '\n');
  for (std::string& line : lines) {
    for (const std::string_view words : kBeforeRequirement) {
      const size_t at = line.find(words);
      if (at == line.npos) continue;
      const std::string_view rest = std::string_view(line).substr(at + words.size());
      const auto place = places.find(requirements::plain_name(rest));
      if (place == places.end()) continue;
      line += cat(" (", place->second, ")");
      break;
    }
  }
  return join(lines, "\n");
}

std::string ca_hint(std::string_view output, std::string_view instance) {
  if (!is_untrusted(output)) return {};
  if (instance.empty())
    return "; the node does not know the CA of the index: its operator names it in packages.caFile "
           "of the agent's configuration";
  const std::string named = instance == "default" ? "" : cat(" --instance ", instance);
  return cat("; the CA of the index is not known here: `paddock up", named,
             " --packages-ca FILE` names it");
}

std::string installer_log(std::string_view output) {
  if (output.size() > kMostLog) {
    output.remove_prefix(output.size() - kMostLog);
    output.remove_prefix(std::min(output.find('\n') + 1, output.size()));
  }
  return to_utf8_lossy(trim(output));
}

}  // namespace paddock::runtimes
