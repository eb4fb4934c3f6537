#include "cli/grammar/other_way.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"
#include "common/contracts/run.h"

namespace paddock::cli {
namespace {

bool has_other_way(const Reason& reason) {
  return is_one_of(reason, {"COMMAND_NOT_ALLOWED", "COMMAND_METACHARACTER", "COMMAND_FLAG_BLOCKED",
                            "SCRIPT_REQUIRED", "PATH_ESCAPES_WORKSPACE", "ENV_NOT_ALLOWED"});
}
constexpr std::string_view kPlain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
// Values that `run` does not take as options: they are arguments, or are given to it in another
// way.
constexpr std::array<std::string_view, 5> kNotOptions = {"CMD", "DIR", "type", "profile", "format"};

const OptionRow* option_row(const CommandRow& row, const std::string& name) {
  const auto found = std::ranges::find(row.options, name, long_name);
  return found == row.options.end() ? nullptr : &*found;
}

std::string options_text(const Parsed& parsed) {
  std::string out;
  const CommandRow* row = find_command(parsed.command);
  for (const auto& [name, values] : parsed.values) {
    const OptionRow* option = row == nullptr ? nullptr : option_row(*row, name);
    if (option == nullptr || std::ranges::count(kNotOptions, name) > 0) continue;
    for (const std::string& value : values)
      out += option->value.empty() ? cat(" --", name) : cat(" --", name, " ", shell_word(value));
  }
  return out;
}

// A line that a shell was meant to read is given to one.
std::vector<std::string> program_of(const std::vector<std::string>& words, const Error& refusal) {
  if (words.size() != 1) return words;
  if (refusal.reason == "COMMAND_METACHARACTER") return {"sh", "-c", words.front()};
  const auto split = contracts::split_command(words.front());
  return split.ok() ? *split : words;
}

}  // namespace

std::string shell_word(std::string_view word) {
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos)
    return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string other_way(const Parsed& parsed, const Error& refusal) {
  const bool strict =
      parsed.command == "compute" || parsed.command == "build" || parsed.command == "plan";
  if (!strict || !has_other_way(refusal.reason)) return "";
  const std::string folder = parsed.has("DIR") ? cat(" ", shell_word(parsed.text("DIR"))) : "";
  std::string line = cat("paddock run", folder, options_text(parsed), " --");
  for (const std::string& word :
       program_of(parsed.list(parsed.has("PROGRAM") ? "PROGRAM" : "CMD"), refusal))
    line += cat(" ", shell_word(word));
  return line;
}

std::string connection_words(const Parsed& parsed) {
  std::string out;
  for (const char* name : {"instance", "server", "token-file", "ca-file"})
    if (parsed.has(name)) out += cat(" --", name, " ", printable(shell_word(parsed.text(name))));
  return out;
}

void tell_other_way(const Parsed& parsed, const Error& refusal, const Env& env) {
  const std::string way = other_way(parsed, refusal);
  if (way.empty()) return;
  env.say(cat(paint(env.err, Paint::kYellow, "hint:"),
              " any program with any arguments: ", printable(way)));
}

}  // namespace paddock::cli
