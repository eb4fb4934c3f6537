#include "controller/admission/command_rules.h"

#include <algorithm>
#include <array>
#include <optional>

#include "common/base/text.h"
#include "controller/admission/command_flags.h"
#include "controller/admission/word_rules.h"

namespace paddock::admission {
namespace {

using Words = std::vector<std::string>;

struct Question {
  const Words& argv;  // not empty
  const FileNames& files;
  const VolumeNames& volumes;
  std::optional<Interpreter> interpreter;  // empty: none of those that may run
  std::string_view programs;               // that may run, for people
};

void check_program(const Question& ask, std::vector<Refusal>& out) {
  if (ask.interpreter) return;
  out.push_back({"COMMAND_NOT_ALLOWED", 0,
                 cat("command \"", ask.argv[0],
                     "\" is not allowed: the first word must be exactly ", ask.programs)});
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

// `./job.py` is `job.py`; every other spelling is another name.
std::string without_dot(std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  return std::string(path);
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
  } else if (!ask.files.contains(without_dot(argv[script]))) {
    out.push_back({"SCRIPT_NOT_FOUND", script,
                   cat(argv[0], " script not found in workspace: ", argv[script],
                       "; name a file of the uploaded folder")});
  }
}

void check_words(const Question& ask, std::vector<Refusal>& out) {
  check_metacharacters(ask.argv, out);
}
void check_places(const Question& ask, std::vector<Refusal>& out) {
  check_paths(ask.argv, ask.volumes, out);
}

// Rule by rule, in the order in which a caller is told of them.
constexpr std::array<void (*)(const Question&, std::vector<Refusal>&), 6> kRules = {
    check_program,                // 1  the first token is in the list
    check_words,                  // 2  no shell metacharacters
    check_flags,                  // 3  no argument is a form of a blocked flag
    check_options_before_script,  // 3  nor any other way to make the interpreter run something else
    check_places,                 // 4  paths are relative and stay inside
    check_script,                 // 5  the script exists; bash needs an .sh file
};

std::vector<Refusal> check(const Question& ask) {
  std::vector<Refusal> out;
  for (const auto& rule : kRules) rule(ask, out);
  return out;
}

}  // namespace

std::vector<Refusal> check_command(const Words& argv, const FileNames& files,
                                   const VolumeNames& volumes) {
  if (argv.empty()) {
    return {{"COMMAND_REQUIRED", 0,
             "compute command is required: python3, python, node or bash and a script"}};
  }
  return check({argv, files, volumes, interpreter_of(argv[0]), "python3, python, node or bash"});
}

std::vector<Refusal> check_script_command(const Words& argv, const FileNames& files,
                                          const VolumeNames& volumes) {
  if (argv.empty())
    return {{"COMMAND_REQUIRED", 0, "a script run is bash and an .sh file of the workspace"}};
  const std::optional<Interpreter> found = interpreter_of(argv[0]);
  const bool bash = found == Interpreter::kBash;
  return check({argv, files, volumes, bash ? found : std::nullopt,
                "bash for a script run; type compute takes python3 and node too"});
}

}  // namespace paddock::admission
