#include "controller/admission/command_rules.h"

#include <algorithm>
#include <array>
#include <optional>

#include "common/base/text.h"
#include "controller/admission/command_flags.h"

namespace paddock::admission {
namespace {

using Words = std::vector<std::string>;

struct Question {
  const Words& argv;  // not empty
  const FileNames& files;
  std::optional<Interpreter> interpreter;
};

// Longest first, so that the message names what was written.
constexpr std::array<std::string_view, 11> kMetacharacters = {"&&", "||", "$(", "|",  ";", "`",
                                                              ">",  "<",  "&",  "\n", "\r"};

std::string shown(std::string_view metacharacter) {
  if (metacharacter == "\n") return "line feed";
  if (metacharacter == "\r") return "carriage return";
  return std::string(metacharacter);
}

void check_program(const Question& ask, std::vector<Refusal>& out) {
  if (ask.interpreter) return;
  out.push_back(
      {"COMMAND_NOT_ALLOWED", 0,
       cat("command \"", ask.argv[0],
           "\" is not allowed: the first word must be exactly python3, python, node or bash")});
}

void check_metacharacters(const Question& ask, std::vector<Refusal>& out) {
  const Words& argv = ask.argv;
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

void check_flags(const Question& ask, std::vector<Refusal>& out) {
  const Words& argv = ask.argv;
  for (size_t i = 1; i < argv.size(); ++i) {
    if (const std::optional<std::string> flag = blocked_flag(ask.interpreter, argv[i])) {
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

void check_options_before_script(const Question& ask, std::vector<Refusal>& out) {
  if (!ask.interpreter) return;
  const size_t end = script_index(ask.argv).value_or(ask.argv.size());
  for (size_t i = 1; i < end; ++i) {
    const std::string& word = ask.argv[i];
    if (blocked_flag(ask.interpreter, word) || is_harmless_option(*ask.interpreter, word)) continue;
    out.push_back({"COMMAND_FLAG_BLOCKED", i,
                   cat("\"", word, "\" is not allowed before the script; allowed there: ",
                       harmless_options(*ask.interpreter))});
  }
}

void check_script(const Question& ask, std::vector<Refusal>& out) {
  if (!ask.interpreter) return;
  const Words& argv = ask.argv;
  const bool is_bash = *ask.interpreter == Interpreter::kBash;
  const size_t script = is_bash ? 1 : script_index(argv).value_or(argv.size());
  if (script >= argv.size()) {
    out.push_back(
        {"SCRIPT_REQUIRED", 0,
         cat(argv[0], " compute command requires a script file argument: name a file of the ",
             "uploaded folder", is_bash ? " that ends in .sh" : "")});
  } else if (is_bash && !argv[script].ends_with(".sh")) {
    out.push_back({"SCRIPT_REQUIRED", script,
                   cat("bash compute command requires a .sh script file as its second word, got \"",
                       argv[script], "\"")});
  } else if (is_inner_path(argv[script]) && !ask.files.contains(argv[script])) {
    out.push_back({"SCRIPT_NOT_FOUND", script,
                   cat(argv[0], " script not found in workspace: ", argv[script],
                       "; name a file of the uploaded folder")});
  }
}

// Where a path may begin inside a word: --out=/x, a,/x, a:/x, @/x, ["/x"].
constexpr std::string_view kSeparators = "=:@,\"'[](){} \t";
constexpr std::string_view kUrlEnds = ",\"'[](){} \t";

bool is_url(std::string_view text) {
  return text.starts_with("http://") || text.starts_with("https://");
}

bool has_parent_part(std::string_view text) {
  const std::vector<std::string> parts = split(text, '/');
  return std::ranges::find(parts, "..") != parts.end();
}

// The part of `text` up to the next separator; a URL is one part.
std::string_view next_piece(std::string_view text) {
  return text.substr(0, text.find_first_of(is_url(text) ? kUrlEnds : kSeparators));
}

bool piece_escapes(std::string_view piece, bool whole_word) {
  if (has_parent_part(piece)) return true;
  if (is_url(piece)) return false;
  return piece.starts_with('/') && (whole_word || piece.size() > 1);
}

// Whether a word, or a value inside it, names a place outside the workspace.
bool escapes(std::string_view word) {
  const bool short_option = word.size() > 2 && word[0] == '-' && word[1] != '-';
  if (short_option && escapes(word.substr(2))) return true;
  for (size_t start = 0; start < word.size();) {
    const std::string_view piece = next_piece(word.substr(start));
    if (piece_escapes(piece, piece.size() == word.size())) return true;
    start += piece.size() + 1;
  }
  return false;
}

void check_paths(const Question& ask, std::vector<Refusal>& out) {
  for (size_t i = 1; i < ask.argv.size(); ++i) {
    if (!escapes(ask.argv[i])) continue;
    out.push_back(
        {"PATH_ESCAPES_WORKSPACE", i,
         cat("\"", ask.argv[i],
             "\" names a path outside the workspace; use a relative path without \"..\"")});
  }
}

// The requirement, rule by rule, in the order of its text (ORB S4).
constexpr std::array<void (*)(const Question&, std::vector<Refusal>&), 6> kRules = {
    check_program,                // 1  the first token is in the list
    check_metacharacters,         // 2  no shell metacharacters
    check_flags,                  // 3  no argument is a form of a blocked flag
    check_options_before_script,  // 3  nor any other way to make the interpreter run something else
    check_script,                 // 5  the script exists; bash needs an .sh file
    check_paths,                  // 4  paths are relative and stay inside
};

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
  if (argv.empty()) {
    return {{"COMMAND_REQUIRED", 0,
             "compute command is required: python3, python, node or bash and a script"}};
  }
  const Question ask{argv, files, interpreter_of(argv[0])};
  std::vector<Refusal> out;
  for (const auto& rule : kRules) rule(ask, out);
  return out;
}

}  // namespace paddock::admission
