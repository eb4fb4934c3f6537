#include "node-agent/sandbox/windows/command_line.h"

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

// Backslashes are themselves unless a quote follows them.
std::string quoted(const std::string& word) {
  if (!word.empty() && word.find_first_of(" \t\n\v\"") == word.npos) return word;
  std::string out = "\"";
  size_t backslashes = 0;
  for (const char c : word) {
    if (c == '"') out.append(backslashes + 1, '\\');
    backslashes = c == '\\' ? backslashes + 1 : 0;
    out += c;
  }
  out.append(backslashes, '\\');
  return out + '"';
}

std::string upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

}  // namespace

std::string windows_command_line(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (const std::string& word : words) out.push_back(quoted(word));
  return join(out, " ");
}

Status check_windows_program(const std::string& name) {
  // Windows leaves dots and spaces at the end of a name out.
  std::string lower = ascii_lower(name);
  while (!lower.empty() && (lower.back() == '.' || lower.back() == ' ')) lower.pop_back();
  // The program's name comes first on the command line, where a quote cannot be escaped.
  if (name.find('"') != name.npos)
    return invalid_argument("BAD_PROGRAM", "a program's name cannot have a quote");
  if (lower.ends_with(".bat") || lower.ends_with(".cmd"))
    return invalid_argument("BATCH_FILE",
                            "batch files are not run: call cmd.exe with a line of its own");
  return {};
}

Result<std::string> windows_environment(const std::map<std::string, std::string>& env) {
  std::map<std::string, std::string> sorted;
  for (const auto& [name, value] : env) {
    if (!sorted.emplace(upper(name), cat(name, "=", value, '\0')).second)
      return invalid_argument("DUPLICATE_VARIABLE", cat(name, " is given twice"));
  }
  std::string out;
  for (const auto& [name, entry] : sorted) out += entry;
  if (out.empty()) out += '\0';
  return out + '\0';
}

}  // namespace paddock::sandbox
