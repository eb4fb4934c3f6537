#include "cli/grammar/usage_errors.h"

#include <algorithm>

#include "cli/grammar/help_text.h"
#include "cli/grammar/other_commands.h"
#include "cli/grammar/other_options.h"
#include "cli/output/kinds.h"
#include "common/base/nearest.h"
#include "common/base/text.h"

namespace paddock::cli {
namespace {

// The command that `secret delete x` means; empty: none of ours.
std::string verb_first(const std::string& group, const std::vector<std::string>& behind) {
  if (behind.empty()) return {};
  if (const auto other = our_sandbox_command(behind[0]); group == "sandbox" && !other.empty())
    return cat("sandbox ", other);
  const std::string_view verb = our_verb(behind[0]);
  const auto kind = parse_kind(group);
  if (verb.empty() || !kind.ok()) return {};
  const bool one = behind.size() > 1;
  return cat(verb, " ", one ? info(*kind).singular : info(*kind).plural,
             one ? cat(" ", behind[1]) : "");
}

// `create` and `exec` of `sandbox`.
std::vector<std::string> commands_of(const std::string& group) {
  std::vector<std::string> names;
  for (const CommandRow& row : command_table()) {
    if (row.path.starts_with(group + " ")) names.push_back(row.path.substr(group.size() + 1));
  }
  return names;
}

// `one`, `one and two`, `one, two and three`.
std::string listed(const std::vector<std::string>& words) {
  if (words.size() < 2) return join(words, "");
  return cat(join({words.begin(), words.end() - 1}, ", "), " and ", words.back());
}

std::string in_ticks(const std::string& word) { return cat("`", word, "`"); }

// Its names as help prints them: `-o, --output`.
std::string option_names(const OptionRow& option) { return join(split(option.names, ','), ", "); }

// `password=x` where an option takes such a value: `--from-literal password=x`; a file where one is
// named by `-f`. Empty: none does.
std::string as_an_option(const CommandRow& row, const std::string& word) {
  if (row.arguments.empty() && takes_option(row, "filename")) return cat("-f ", word);
  const size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0) return {};
  for (const std::string_view name : {"env", "from-literal", "label"})
    if (takes_option(row, name)) return cat("--", name, " ", word);
  return {};
}

// `/x:/y`, which other tools take behind -v.
std::string as_a_mount(const CommandRow& row, const std::string& word) {
  const bool pair = word.find(":/") != std::string::npos && word.find("://") == std::string::npos;
  return pair && takes_option(row, "artifact-dir") ? mount_way() : std::string();
}

Error with_usage(const std::string& message, const CommandRow& row) {
  return usage_error(cat(message, "; usage: ", usage_line(row)));
}

}  // namespace

std::string mount_way() {
  return "--volume NAME (a published folder), or hostMounts in --policy FILE (the node's own)";
}

Error usage_error(std::string message) {
  return {Code::kInvalidArgument, "USAGE", std::move(message)};
}

Error unknown_command(const std::string& word) {
  std::string message = cat("there is no command `", word, "`");
  const auto kind = parse_kind(word);
  if (const std::string_view other = our_command(word); !other.empty()) {
    message += cat("; did you mean `paddock ", other, "`?");
  } else if (const std::string_view instead = instead_of_command(word); !instead.empty()) {
    message += cat("; ", instead);
  } else if (kind.ok()) {
    message += cat("; did you mean `paddock get ", info(*kind).plural, "`?");
  } else if (const std::string near = nearest(word, command_names()); !near.empty()) {
    message += cat("; did you mean `", near, "`?");
  } else {
    message += "; `paddock --help` lists them";
  }
  return usage_error(std::move(message));
}

Error unfinished_command(const std::string& group, const std::vector<std::string>& words) {
  std::vector<std::string> behind;
  const auto first = std::ranges::find(words, group);
  for (auto word = first; word != words.end(); ++word) {
    if (word != first && !word->starts_with('-')) behind.push_back(*word);
  }
  std::string message = cat("`", group, "` needs one of its commands");
  if (const std::string meant = verb_first(group, behind); !meant.empty())
    return usage_error(cat(message, "; did you mean `paddock ", meant, "`?"));
  if (const std::string near = behind.empty() ? "" : nearest(behind[0], commands_of(group));
      !near.empty())
    return usage_error(cat(message, "; did you mean `paddock ", group, " ", near, "`?"));
  return usage_error(cat(message, "; `paddock ", group, " --help` lists them"));
}

bool runs_a_program(const CommandRow& row) {
  return !row.arguments.empty() && row.arguments.back().name == "PROGRAM";
}

Error unknown_option(const std::string& word, const CommandRow& row) {
  std::vector<std::string> names;
  for (const auto& options : {row.options, global_options()}) {
    for (const OptionRow& option : options) names.push_back(cat("--", long_name(option)));
  }
  names.emplace_back("--help");
  const std::string name = word.substr(0, word.find('='));
  const std::string near = name.size() > 2 ? nearest(name, names) : std::string();
  const std::string meant = advice_on_option(name, row);
  std::string message = cat("`", row.path, "` has no option `", name, "`");
  if (!meant.empty()) {
    message += meant;
  } else if (!near.empty()) {
    message += cat("; did you mean `", near, "`?");
  } else if (name.size() > 2) {
    message += advice_on_nearly_an_option(name, row);
  }
  const bool takes_command = std::ranges::count(row.arguments, "CMD", &ArgumentRow::name) > 0;
  if (takes_command)
    message += cat(message.ends_with('?') ? " Options" : "; options",
                   " of the command itself go after `--`, or quote the whole command");
  return usage_error(std::move(message));
}

Error option_before_command(const std::string& word) {
  std::vector<std::string> names{"--help", "--version"};
  for (const OptionRow& option : global_options()) names.push_back(cat("--", long_name(option)));
  const std::string name = word.substr(0, word.find('='));
  const bool known = std::ranges::find(names, name) != names.end();
  if (const std::string near = known ? "" : nearest(name, names); !near.empty())
    return usage_error(cat("there is no option `", name, "` here; did you mean `", near, "`?"));
  return usage_error(cat("options such as `", name,
                         "` go after the command; `paddock --help` lists the commands"));
}

Error too_many_words(const CommandRow& row, const std::vector<std::string>& extra) {
  if (const std::string mount = extra.empty() ? "" : as_a_mount(row, extra[0]); !mount.empty())
    return with_usage(cat("`", extra[0], "` is too many; folders are mounted by ", mount), row);
  if (runs_a_program(row))
    return with_usage("the program to run, with all its words, stands after `--`", row);
  if (const std::string near = extra.empty() ? "" : nearest(extra[0], commands_of(row.path));
      !near.empty())
    return usage_error(cat("`", row.path, "` has no command `", extra[0],
                           "`; did you mean `paddock ", row.path, " ", near, "`?"));
  if (const std::string option = extra.empty() ? "" : as_an_option(row, extra[0]); !option.empty())
    return with_usage(cat("`", extra[0], "` is too many; did you mean `", option, "`?"), row);
  std::vector<std::string> takes;
  std::vector<std::string> words;
  for (const ArgumentRow& argument : row.arguments)
    takes.push_back(cat(argument.required ? "" : "at most ", "one ", argument.name));
  for (const std::string& word : extra) words.push_back(in_ticks(word));
  return with_usage(cat("`", row.path, "` takes ", takes.empty() ? "options alone" : listed(takes),
                        ": ", listed(words), words.size() == 1 ? " is" : " are", " too many"),
                    row);
}

Error missing_word(const CommandRow& row, const ArgumentRow& argument) {
  return with_usage(cat("`", row.path, "` needs ", argument.name, ": ", argument.help), row);
}

Error wrong_value_count(const CommandRow& row, const OptionRow& option) {
  const std::string names = option_names(option);
  if (option.value.empty()) return with_usage(cat("`", names, "` takes no value"), row);
  return with_usage(cat("`", names, "` takes one value, ", option.value, ": ", option.help), row);
}

Error not_understood(const CommandRow& row) {
  return with_usage("these words make no command", row);
}

}  // namespace paddock::cli
