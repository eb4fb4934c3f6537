#include "controller/admission/command_flags.h"

#include <algorithm>
#include <array>
#include <span>

#include "common/base/text.h"
#include "controller/admission/option_list.h"

namespace paddock::admission {
namespace {

using std::string_view;

// Blocked for every interpreter, wherever they stand.
constexpr std::array<string_view, 8> kBlockedWords = {"-c", "-e",     "-m",        "-i",
                                                      "-W", "--eval", "--require", "--import"};

// How an interpreter reads a word with one dash, so that every way to write a flag is known and
// nothing else is taken for one.
struct Flags {
  Interpreter interpreter;
  string_view letters;                         // may be bundled: -uB
  string_view value_letters;                   // what follows in the word is their value: -mpip
  string_view blocked_letters;                 // of both: those that run other code
  std::span<const string_view> blocked_words;  // beside kBlockedWords
  string_view harmless_letters;                // may stand before the script
  std::span<const string_view> harmless_names;
  std::span<const string_view> harmless_valued;  // as --name=value
};

constexpr std::array<string_view, 8> kNodeBlocked = {
    "-p",          "-pe", "-r", "--print", "--loader", "--experimental-loader", "--interactive",
    "--input-type"};
constexpr std::array<string_view, 2> kBashBlocked = {"--rcfile", "--init-file"};
constexpr std::array<string_view, 5> kNodeHarmless = {"--no-warnings", "--trace-warnings",
                                                      "--expose-gc", "--enable-source-maps",
                                                      "--throw-deprecation"};
// Their value stands in the same word: one that stood alone would be taken for the script.
constexpr std::array<string_view, 3> kNodeHarmlessValued = {"--max-old-space-size", "--stack-size",
                                                            "--unhandled-rejections"};

// Node bundles nothing but -pe and attaches no values.
constexpr std::array<Flags, 3> kFlags = {{
    {Interpreter::kPython, "bBdEhiIOPqRsStuvVx?", "cmWX", "cmiWX", {}, "uBOsSEIbqv", {}, {}},
    {Interpreter::kNode, "", "", "", kNodeBlocked, "", kNodeHarmless, kNodeHarmlessValued},
    {Interpreter::kBash, "abcefhiklmnoprstuvxBCDEHOPT", "", "ci", kBashBlocked, "", {}, {}},
}};

const Flags& flags_of(Interpreter interpreter) {
  return *std::ranges::find(kFlags, interpreter, &Flags::interpreter);
}

// `--Name_x=value` as `--Name-x`: node reads '_' as '-'.
std::string long_name(string_view word) {
  std::string name(word.substr(0, word.find('=')));
  std::ranges::replace(name, '_', '-');
  return name;
}

bool has(string_view letters, char letter) { return letters.find(letter) != string_view::npos; }

// The blocked letter of a word that the interpreter would accept as its own options: -Ic, -xc,
// -mhttp.server. One that it would refuse (python3 -epochs) is no form of any flag.
std::optional<char> blocked_letter(const Flags& flags, string_view word) {
  std::optional<char> blocked;
  for (const char letter : word.substr(1)) {
    const bool takes_rest = has(flags.value_letters, letter);
    if (!takes_rest && !has(flags.letters, letter)) return std::nullopt;
    if (!blocked && has(flags.blocked_letters, letter)) blocked = letter;
    if (takes_rest) break;
  }
  return blocked;
}

}  // namespace

std::optional<Interpreter> interpreter_of(string_view program) {
  if (program == "python3" || program == "python") return Interpreter::kPython;
  if (program == "node") return Interpreter::kNode;
  if (program == "bash") return Interpreter::kBash;
  return std::nullopt;
}

std::optional<std::string> blocked_flag(std::optional<Interpreter> interpreter, string_view word) {
  if (word.size() < 2 || word[0] != '-') return std::nullopt;
  const Flags* flags = interpreter ? &flags_of(*interpreter) : nullptr;
  std::string name = long_name(word);
  if (is_one_of(kBlockedWords, name)) return name;
  if (flags == nullptr) return std::nullopt;
  if (is_one_of(flags->blocked_words, name)) return name;
  if (word[1] == '-') return std::nullopt;
  const std::optional<char> letter = blocked_letter(*flags, word);
  return letter ? std::optional(cat("-", *letter)) : std::nullopt;
}

bool is_harmless_option(Interpreter interpreter, string_view word) {
  const Flags& flags = flags_of(interpreter);
  if (word.starts_with("--")) {
    const bool valued = word.find('=') != string_view::npos;
    return is_one_of(valued ? flags.harmless_valued : flags.harmless_names, long_name(word));
  }
  return word.size() > 1 && word.find_first_not_of(flags.harmless_letters, 1) == string_view::npos;
}

std::string harmless_options(Interpreter interpreter) {
  const Flags& flags = flags_of(interpreter);
  std::vector<std::string> options;
  for (const char letter : flags.harmless_letters) options.push_back(cat("-", letter));
  for (const string_view name : flags.harmless_names) options.emplace_back(name);
  for (const string_view name : flags.harmless_valued) options.push_back(cat(name, "=VALUE"));
  return options.empty() ? "none" : join(options, " ");
}

}  // namespace paddock::admission
