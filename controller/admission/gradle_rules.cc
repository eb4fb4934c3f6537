#include "controller/admission/gradle_rules.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"
#include "controller/admission/option_list.h"

namespace paddock::admission {
namespace {

using std::string_view;
using Words = std::vector<std::string>;

constexpr string_view kWrapper = "gradlew";

constexpr std::array<string_view, 24> kOptions = {"--offline",
                                                  "--no-daemon",
                                                  "--stacktrace",
                                                  "--full-stacktrace",
                                                  "--info",
                                                  "--debug",
                                                  "--quiet",
                                                  "--warn",
                                                  "--continue",
                                                  "--dry-run",
                                                  "--parallel",
                                                  "--no-parallel",
                                                  "--build-cache",
                                                  "--no-build-cache",
                                                  "--configuration-cache",
                                                  "--rerun-tasks",
                                                  "-s",
                                                  "-S",
                                                  "-i",
                                                  "-d",
                                                  "-q",
                                                  "-w",
                                                  "-m",
                                                  "-x"};
// These options have a value behind `=`.
constexpr std::array<string_view, 5> kValueOptions = {"--console", "--exclude-task",
                                                      "--max-workers", "--tests", "--warning-mode"};

bool is_task_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ':' ||
         c == '_' || c == '.' || c == '-';
}

bool is_task(string_view word) {
  return !word.empty() && word[0] != '-' && word[0] != '.' &&
         std::ranges::all_of(word, is_task_char);
}

bool is_property(string_view word) {
  return word.size() > 2 && word.starts_with("-P") && is_task_char(word[2]) && word[2] != '-';
}

bool is_allowed_option(string_view word) {
  if (is_one_of(kOptions, word) || is_property(word)) return true;
  const size_t equals = word.find('=');
  return equals != string_view::npos && is_one_of(kValueOptions, word.substr(0, equals));
}

std::string allowed_options() {
  std::vector<std::string> all = {"-P<name>=<value>"};
  for (const string_view each : kValueOptions) all.push_back(cat(each, "=<value>"));
  for (const string_view each : kOptions) all.emplace_back(each);
  return join(all, " ");
}

void check_program(const Words& argv, const contracts::Tree* tree, std::vector<Refusal>& out) {
  if (argv[0] == "gradle") return;
  if (argv[0] != cat("./", kWrapper)) {
    out.push_back({"COMMAND_NOT_ALLOWED", 0,
                   cat("command \"", argv[0],
                       "\" is not allowed: the first word must be exactly ./gradlew or gradle")});
    return;
  }
  const contracts::TreeEntry* wrapper = nullptr;
  if (tree != nullptr) {
    const auto found = std::ranges::find(tree->entries, kWrapper, &contracts::TreeEntry::path);
    if (found != tree->entries.end()) wrapper = &*found;
  }
  if (wrapper == nullptr) {
    out.push_back({"SCRIPT_NOT_FOUND", 0,
                   "gradlew not found in workspace: upload it, or use the node's gradle"});
  } else if (!wrapper->executable) {
    out.push_back(
        {"SCRIPT_NOT_EXECUTABLE", 0,
         "gradlew is not executable in the workspace: chmod +x gradlew and upload again"});
  }
}

void check_options(const Words& argv, std::vector<Refusal>& out) {
  for (size_t i = 1; i < argv.size(); ++i) {
    const std::string& word = argv[i];
    if (is_task(word) || is_allowed_option(word)) continue;
    if (word.starts_with('-')) {
      out.push_back(
          {"COMMAND_FLAG_BLOCKED", i,
           cat("\"", word, "\" is not allowed for gradle; allowed: ", allowed_options())});
    } else {
      out.push_back(
          {"TASK_INVALID", i,
           cat("\"", word, "\" is no task name: letters, digits and : _ . -, e.g. :app:assemble")});
    }
  }
}

}  // namespace

std::vector<Refusal> check_gradle_command(const Words& argv, const contracts::Tree* tree) {
  if (argv.empty())
    return {{"COMMAND_REQUIRED", 0, "a gradle run is ./gradlew or gradle and its tasks"}};
  std::vector<Refusal> out;
  check_program(argv, tree, out);
  check_metacharacters(argv, out);
  check_options(argv, out);
  check_paths(argv, {}, out);
  return out;
}

}  // namespace paddock::admission
