#include "controller/admission/command_flags.h"

#include <algorithm>
#include <array>
#include <span>

#include "common/base/text.h"

namespace paddock::admission {
namespace {

using std::string_view;

// Blocked for every interpreter, before and after the script.
constexpr string_view kBlockedLetters = "cemiW";
constexpr std::array<string_view, 3> kBlockedNames = {"--eval", "--require", "--import"};

struct Flags {
  Interpreter interpreter;
  string_view blocked_letters;                 // beside kBlockedLetters
  std::span<const string_view> blocked_names;  // beside kBlockedNames
  string_view harmless_letters;                // may be bundled: -uB
  std::span<const string_view> harmless_names;
};

constexpr std::array<string_view, 5> kNodeNames = {"--print", "--loader", "--experimental-loader",
                                                   "--interactive", "--input-type"};
constexpr std::array<string_view, 2> kBashNames = {"--rcfile", "--init-file"};
constexpr std::array<string_view, 8> kNodeHarmless = {
    "--max-old-space-size", "--stack-size",          "--no-warnings",
    "--trace-warnings",     "--expose-gc",           "--enable-source-maps",
    "--throw-deprecation",  "--unhandled-rejections"};

constexpr std::array<Flags, 3> kFlags = {{
    {Interpreter::kPython, "X", {}, "uBOsSEIbqv", {}},
    {Interpreter::kNode, "rp", kNodeNames, "", kNodeHarmless},
    {Interpreter::kBash, "", kBashNames, "", {}},
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

bool contains(std::span<const string_view> names, string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// -1, -0.5, -1e-3: a value, which no interpreter reads as a flag.
bool is_negative_number(string_view word) {
  size_t i = 1;
  const auto digits = [&] {
    const size_t start = i;
    while (i < word.size() && word[i] >= '0' && word[i] <= '9') ++i;
    return i > start;
  };
  bool any = digits();
  if (i < word.size() && word[i] == '.') {
    ++i;
    any = digits() || any;
  }
  if (any && i < word.size() && word[i] == 'e') {
    ++i;
    if (i < word.size() && (word[i] == '-' || word[i] == '+')) ++i;
    if (!digits()) return false;
  }
  return any && i == word.size();
}

std::optional<std::string> blocked_name(const Flags* flags, string_view word) {
  const std::string name = long_name(word);
  if (contains(kBlockedNames, name) || (flags != nullptr && contains(flags->blocked_names, name)))
    return name;
  return std::nullopt;
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
  if (word[1] == '-') return blocked_name(flags, word);
  if (is_negative_number(word)) return std::nullopt;
  // One dash: every letter may be a flag (-Ic, -xc), or the rest of the word its value
  // (-mhttp.server).
  for (const char letter : word.substr(1)) {
    const bool blocked =
        kBlockedLetters.find(letter) != string_view::npos ||
        (flags != nullptr && flags->blocked_letters.find(letter) != string_view::npos);
    if (blocked) return cat("-", letter);
  }
  return std::nullopt;
}

bool is_harmless_option(Interpreter interpreter, string_view word) {
  const Flags& flags = flags_of(interpreter);
  if (word.starts_with("--")) return contains(flags.harmless_names, long_name(word));
  return word.size() > 1 && word.find_first_not_of(flags.harmless_letters, 1) == string_view::npos;
}

std::string harmless_options(Interpreter interpreter) {
  const Flags& flags = flags_of(interpreter);
  std::vector<std::string> options;
  for (const char letter : flags.harmless_letters) options.push_back(cat("-", letter));
  for (const string_view name : flags.harmless_names) options.emplace_back(name);
  return options.empty() ? "none" : join(options, " ");
}

}  // namespace paddock::admission
