#include "controller/admission/command_rules.h"

#include <algorithm>
#include <array>
#include <optional>

#include "common/base/text.h"
#include "controller/admission/command_flags.h"

namespace paddock::admission {
namespace {

using Words = std::vector<std::string>;

// Longest first, so that the message names what was written.
constexpr std::array<std::string_view, 11> kMetacharacters = {"&&", "||", "$(", "|",  ";", "`",
                                                              ">",  "<",  "&",  "\n", "\r"};

std::string shown(std::string_view metacharacter) {
  if (metacharacter == "\n") return "line feed";
  if (metacharacter == "\r") return "carriage return";
  return std::string(metacharacter);
}

void check_program(const Words& argv, std::vector<Refusal>& out) {
  if (interpreter_of(argv[0])) return;
  out.push_back(
      {"COMMAND_NOT_ALLOWED", 0,
       cat("command \"", argv[0],
           "\" is not allowed: the first word must be exactly python3, python, node or bash")});
}

void check_metacharacters(const Words& argv, std::vector<Refusal>& out) {
  for (size_t i = 0; i < argv.size(); ++i) {
    for (const std::string_view each : kMetacharacters) {
      if (argv[i].find(each) == std::string::npos) continue;
      out.push_back({"COMMAND_METACHARACTER", i,
                     cat("\"", argv[i], "\" contains the shell metacharacter ", shown(each),
                         "; no shell runs this command: put such steps into the script")});
      break;
    }
  }
}

void check_flags(const Words& argv, std::vector<Refusal>& out) {
  const std::optional<Interpreter> interpreter = interpreter_of(argv[0]);
  for (size_t i = 1; i < argv.size(); ++i) {
    if (const std::optional<std::string> flag = blocked_flag(interpreter, argv[i])) {
      out.push_back(
          {"COMMAND_FLAG_BLOCKED", i,
           cat("\"", argv[i], "\" contains the blocked flag ", *flag,
               ", which can run other code than the script; pass options of your own as --name")});
    }
  }
}

// Index of the script: the first word that is no option.
std::optional<size_t> script_index(const Words& argv) {
  for (size_t i = 1; i < argv.size(); ++i) {
    if (argv[i].empty() || argv[i][0] != '-') return i;
  }
  return std::nullopt;
}

void check_options_before_script(const Words& argv, Interpreter interpreter,
                                 std::vector<Refusal>& out) {
  const size_t end = script_index(argv).value_or(argv.size());
  for (size_t i = 1; i < end; ++i) {
    if (blocked_flag(interpreter, argv[i]) || is_harmless_option(interpreter, argv[i])) continue;
    out.push_back({"COMMAND_FLAG_BLOCKED", i,
                   cat("\"", argv[i], "\" is not allowed before the script; allowed there: ",
                       harmless_options(interpreter))});
  }
}

void check_script(const Words& argv, Interpreter interpreter, const FileNames& files,
                  std::vector<Refusal>& out) {
  const bool is_bash = interpreter == Interpreter::kBash;
  const size_t script = is_bash ? 1 : script_index(argv).value_or(argv.size());
  if (script >= argv.size()) {
    out.push_back(
        {"SCRIPT_REQUIRED", 0, cat(argv[0], " compute command requires a script file argument")});
  } else if (is_bash && !argv[script].ends_with(".sh")) {
    out.push_back({"SCRIPT_REQUIRED", script,
                   cat("bash compute command requires a .sh script file as its second word, got \"",
                       argv[script], "\"")});
  } else if (is_inner_path(argv[script]) && !files.contains(argv[script])) {
    out.push_back({"SCRIPT_NOT_FOUND", script,
                   cat(argv[0], " script not found in workspace: ", argv[script],
                       "; name a file of the uploaded folder")});
  }
}

bool is_url(std::string_view text) {
  return text.starts_with("http://") || text.starts_with("https://");
}

bool has_parent_part(std::string_view text) {
  const std::vector<std::string> parts = split(text, '/');
  return std::ranges::find(parts, "..") != parts.end();
}

// Whether a word, or a value inside it, names a place outside the workspace.
bool escapes(std::string_view word) {
  if (is_url(word)) return has_parent_part(word);
  const bool short_option = word.size() > 2 && word[0] == '-' && word[1] != '-';
  if (short_option && escapes(word.substr(2))) return true;
  if (word.starts_with('/') || has_parent_part(word)) return true;
  const size_t separator = word.find_first_of("=,:");
  return separator != std::string_view::npos && escapes(word.substr(separator + 1));
}

// A list such as `a,../b,c`: each piece is a path of its own.
bool any_piece_escapes(std::string_view word) {
  if (escapes(word)) return true;
  if (is_url(word)) return false;
  size_t start = 0;
  for (size_t i = 0; i <= word.size(); ++i) {
    const bool ends =
        i == word.size() || std::string_view("=,:").find(word[i]) != std::string_view::npos;
    if (!ends) continue;
    const std::string_view piece = word.substr(start, i - start);
    if (has_parent_part(piece)) return true;
    start = i + 1;
  }
  return false;
}

void check_paths(const Words& argv, std::vector<Refusal>& out) {
  for (size_t i = 1; i < argv.size(); ++i) {
    if (!any_piece_escapes(argv[i])) continue;
    out.push_back(
        {"PATH_ESCAPES_WORKSPACE", i,
         cat("\"", argv[i],
             "\" names a path outside the workspace; use a relative path without \"..\"")});
  }
}

}  // namespace

bool is_inner_path(std::string_view path) {
  if (path.empty() || path[0] == '/') return false;
  if (std::ranges::any_of(path,
                          [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }))
    return false;
  std::vector<std::string> parts = split(path, '/');
  if (parts.size() > 1 && parts.back().empty()) parts.pop_back();
  return std::ranges::none_of(
      parts, [](const std::string& part) { return part.empty() || part == "." || part == ".."; });
}

std::vector<Refusal> check_command(const Words& argv, const FileNames& files) {
  std::vector<Refusal> out;
  if (argv.empty()) return {{"COMMAND_REQUIRED", 0, "compute command is required"}};
  check_program(argv, out);
  check_metacharacters(argv, out);
  check_flags(argv, out);
  if (const std::optional<Interpreter> interpreter = interpreter_of(argv[0])) {
    if (*interpreter != Interpreter::kBash) check_options_before_script(argv, *interpreter, out);
    check_script(argv, *interpreter, files, out);
  }
  check_paths(argv, out);
  return out;
}

}  // namespace paddock::admission
