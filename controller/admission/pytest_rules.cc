#include "controller/admission/pytest_rules.h"

#include <array>
#include <optional>

#include "common/base/text.h"
#include "controller/admission/option_list.h"

namespace paddock::admission {
namespace {

using std::string_view;
using Words = std::vector<std::string>;

constexpr auto kPytestFlags = std::to_array<string_view>({"--verbose",
                                                          "--quiet",
                                                          "--exitfirst",
                                                          "--showlocals",
                                                          "--no-showlocals",
                                                          "--last-failed",
                                                          "--lf",
                                                          "--failed-first",
                                                          "--ff",
                                                          "--new-first",
                                                          "--nf",
                                                          "--stepwise",
                                                          "--sw",
                                                          "--stepwise-skip",
                                                          "--sw-skip",
                                                          "--collect-only",
                                                          "--co",
                                                          "--collect-in-virtualenv",
                                                          "--noconftest",
                                                          "--full-trace",
                                                          "--no-header",
                                                          "--no-summary",
                                                          "--disable-warnings",
                                                          "--disable-pytest-warnings",
                                                          "--runxfail",
                                                          "--strict",
                                                          "--strict-markers",
                                                          "--strict-config",
                                                          "--setup-show",
                                                          "--setup-only",
                                                          "--setup-plan",
                                                          "--fixtures",
                                                          "--markers",
                                                          "--cache-clear",
                                                          "--doctest-modules",
                                                          "--doctest-continue-on-failure",
                                                          "--version",
                                                          "--cov-branch",
                                                          "--no-cov"});

// These options have a value, behind `=` or as the next word.
constexpr auto kValued =
    std::to_array<string_view>({"--maxfail",        "--tb",           "--durations",
                                "--durations-min",  "--verbosity",    "--color",
                                "--code-highlight", "--capture",      "--show-capture",
                                "--import-mode",    "--junitxml",     "--junit-xml",
                                "--junit-prefix",   "--ignore",       "--ignore-glob",
                                "--deselect",       "--doctest-glob", "--log-level",
                                "--log-cli-level",  "--timeout",      "--numprocesses",
                                "--dist",           "--cov",          "--cov-report",
                                "--cov-fail-under"});

// Options of one letter: those that take a value, behind the letter or as the next word, and those
// that stand alone and may be bundled.
constexpr string_view kValueLetters = "kmnr";
constexpr string_view kLetters = "vqxslV";

// pytest's first own word, if this is pytest at all.
std::optional<size_t> first_word(const Words& argv) {
  if (argv[0] == "pytest") return 1;
  const bool python = argv[0] == "python3" || argv[0] == "python";
  if (python && argv.size() >= 3 && argv[1] == "-m" && argv[2] == "pytest") return 3;
  return std::nullopt;
}

std::string allowed_for_pytest() {
  std::vector<std::string> all;
  for (const char each : kLetters) all.push_back(cat("-", each));
  for (const char each : kValueLetters) all.push_back(cat("-", each, " VALUE"));
  all.emplace_back("-p no:NAME");
  for (const string_view each : kPytestFlags) all.emplace_back(each);
  for (const string_view each : kValued) all.push_back(cat(each, "=VALUE"));
  return join(all, " ");
}

enum class Word { kRefused, kWhole, kTakesNext, kTakesPlugin };

Word read_long(string_view word) {
  const size_t equals = word.find('=');
  if (equals != string_view::npos)
    return is_one_of(kValued, word.substr(0, equals)) ? Word::kWhole : Word::kRefused;
  if (is_one_of(kPytestFlags, word)) return Word::kWhole;
  return is_one_of(kValued, word) ? Word::kTakesNext : Word::kRefused;
}

Word read_option(string_view word) {
  if (word.starts_with("--")) return read_long(word);
  if (word == "-p") return Word::kTakesPlugin;
  if (word.starts_with("-pno:")) return Word::kWhole;
  if (word.size() >= 2 && kValueLetters.find(word[1]) != string_view::npos)
    return word.size() > 2 ? Word::kWhole : Word::kTakesNext;
  const bool letters = word.size() >= 2 && word.find_first_not_of(kLetters, 1) == string_view::npos;
  return letters ? Word::kWhole : Word::kRefused;
}

// Whether the word behind an option is its value, as pytest reads it.
bool is_value(Word option, string_view next) {
  if (next.starts_with('-')) return false;
  return option != Word::kTakesPlugin || next.starts_with("no:");
}

// The part of `tests/a_test.py::Class::test[x]` that pytest takes for the path.
string_view path_of(string_view word) {
  string_view path = word.substr(0, word.find('['));
  path = path.substr(0, path.find("::"));
  while (path.starts_with("./")) path.remove_prefix(2);
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path;
}

bool is_there(string_view path, const FileNames& files) {
  if (path == ".") return true;
  if (!is_inner_path(path)) return false;
  return files.contains(path) || files.has_folder(path);
}

void refuse_option(const Words& argv, size_t i, std::vector<Refusal>& out) {
  out.push_back({"COMMAND_FLAG_BLOCKED", i,
                 cat("\"", argv[i], "\" is not allowed for pytest, or lacks its value; allowed: ",
                     allowed_for_pytest())});
}

void check_path(const Words& argv, size_t i, const FileNames& files, std::vector<Refusal>& out) {
  if (is_there(path_of(argv[i]), files)) return;
  out.push_back({"TEST_NOT_FOUND", i,
                 cat("\"", argv[i],
                     "\" names no file or folder of the workspace; name one that was uploaded, "
                     "relative to the workspace")});
}

// Returns the number of words that the option takes, with its value.
size_t check_option(const Words& argv, size_t i, std::vector<Refusal>& out) {
  const Word option = read_option(argv[i]);
  if (option == Word::kWhole) return 1;
  const bool valued =
      option != Word::kRefused && i + 1 < argv.size() && is_value(option, argv[i + 1]);
  if (!valued) refuse_option(argv, i, out);
  return valued && !argv[i + 1].starts_with('@') ? 2 : 1;  // one with @ is looked at for itself
}

// Returns the number of words that the argument takes.
size_t check_argument(const Words& argv, size_t i, const FileNames& files,
                      std::vector<Refusal>& out) {
  if (argv[i].starts_with('-')) return check_option(argv, i, out);
  if (argv[i].starts_with('@')) {
    out.push_back({"COMMAND_FLAG_BLOCKED", i,
                   cat("\"", argv[i], "\" would read more words from a file; write them here")});
  } else {
    check_path(argv, i, files, out);
  }
  return 1;
}

}  // namespace

std::vector<Refusal> check_pytest_command(const Words& argv, const FileNames& files) {
  if (argv.empty())
    return {{"COMMAND_REQUIRED", 0, "a test run is pytest and files or folders of the workspace"}};
  std::vector<Refusal> out;
  const std::optional<size_t> first = first_word(argv);
  if (!first) {
    out.push_back({"COMMAND_NOT_ALLOWED", 0,
                   cat("command \"", argv[0],
                       "\" is not allowed: a test run begins with exactly pytest, or python3 -m "
                       "pytest")});
  }
  check_metacharacters(argv, out);
  for (size_t i = first.value_or(argv.size()); i < argv.size();)
    i += check_argument(argv, i, files, out);
  check_paths(argv, {}, out);
  return out;
}

}  // namespace paddock::admission
