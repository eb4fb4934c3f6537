#include "cli/commands/parse_args.h"

#include <algorithm>
#include <array>
#include <list>
#include <optional>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "cli/grammar/help_text.h"
#include "cli/output/kinds.h"
#include "cli/terminal/nearest.h"
#include "common/base/text.h"

namespace paddock::cli {
namespace {

using Values = std::vector<std::string>;

// One command's own place in the parser, and where its values arrive.
struct Slot {
  const CommandRow* row = nullptr;
  CLI::App* app = nullptr;
  std::map<std::string, Values> values;
  std::map<std::string, bool> flags;
};

void add_option(Slot& slot, const OptionRow& option) {
  const std::string name = long_name(option);
  if (option.value.empty()) {
    slot.app->add_flag(option.names, slot.flags[name], option.help);
    return;
  }
  CLI::Option* added = slot.app->add_option(option.names, slot.values[name], option.help);
  added->allow_extra_args(false);
  if (!option.many) added->expected(1);
}

void add_argument(Slot& slot, const ArgumentRow& argument) {
  if (argument.behind_dashes) return;  // cut off before the parser sees it
  CLI::Option* added =
      slot.app->add_option(argument.name, slot.values[argument.name], argument.help);
  if (!argument.many) added->expected(1)->allow_extra_args(false);
  added->required(argument.required);
}

CLI::App* subcommand(CLI::App& root, const std::vector<std::string>& words) {
  CLI::App* app = &root;
  for (const std::string& word : words) {
    const auto named =
        app->get_subcommands([&](const CLI::App* each) { return each->get_name() == word; });
    if (named.empty()) app->require_subcommand(1);
    app = named.empty() ? app->add_subcommand(word) : named.front();
  }
  return app;
}

void build(CLI::App& root, std::list<Slot>& slots) {
  for (const CommandRow& row : command_table()) {
    Slot& slot = slots.emplace_back();
    slot.row = &row;
    slot.app = subcommand(root, split(row.path, ' '));
    for (const ArgumentRow& argument : row.arguments) add_argument(slot, argument);
    for (const OptionRow& option : row.options) add_option(slot, option);
    for (const OptionRow& option : global_options()) add_option(slot, option);
  }
}

const Slot* chosen(const std::list<Slot>& slots) {
  const auto found =
      std::ranges::find_if(slots, [](const Slot& slot) { return slot.app->parsed(); });
  return found == slots.end() ? nullptr : &*found;
}

std::string help_for(const CLI::App& root, const std::list<Slot>& slots) {
  if (const Slot* slot = chosen(slots)) return command_help(*slot->row);
  for (const CLI::App* app : root.get_subcommands()) return group_help(app->get_name());
  return overview_help();
}

Error usage(std::string message) { return {Code::kInvalidArgument, "USAGE", std::move(message)}; }

// What other tools call it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kOtherNames = {{
    {"ps", "get runs"},
    {"list", "get runs"},
    {"ls", "get runs"},
    {"runs", "get runs"},
    {"exec", "sandbox exec"},
    {"submit", "run --detach"},
    {"kill", "cancel"},
    {"rm", "delete run"},
}};

std::string_view other_name(std::string_view word) {
  const auto* found =
      std::ranges::find(kOtherNames, word, &std::pair<std::string_view, std::string_view>::first);
  return found == kOtherNames.end() ? std::string_view() : found->second;
}

// A word at the command's place that is no command.
Error unknown_command(const std::string& word) {
  std::string message = cat("there is no command `", word, "`");
  if (const std::string_view other = other_name(word); !other.empty()) {
    message += cat("; did you mean `paddock ", other, "`?");
  } else if (const std::string near = nearest(word, command_names()); !near.empty()) {
    message += cat("; did you mean `", near, "`?");
  } else {
    message += "; `paddock --help` lists them";
  }
  return usage(std::move(message));
}

// Objects of all kinds are looked at and removed by the same commands.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kVerbs = {{
    {"get", "get"},
    {"list", "get"},
    {"ls", "get"},
    {"show", "describe"},
    {"describe", "describe"},
    {"delete", "delete"},
    {"remove", "delete"},
    {"rm", "delete"},
}};

// The command that `secret delete x` means; empty: none of ours.
std::string verb_first(const std::string& group, const std::vector<std::string>& behind) {
  if (behind.empty()) return {};
  const auto* verb =
      std::ranges::find(kVerbs, behind[0], &std::pair<std::string_view, std::string_view>::first);
  const auto kind = parse_kind(group);
  if (verb == kVerbs.end() || !kind.ok()) return {};
  const bool one = behind.size() > 1;
  return cat(verb->second, " ", one ? info(*kind).singular : info(*kind).plural,
             one ? cat(" ", behind[1]) : "");
}

// A word such as `secret` that only begins commands.
Error unfinished_command(const std::string& group, const std::vector<std::string>& words) {
  std::vector<std::string> behind;
  const auto first = std::ranges::find(words, group);
  for (auto word = first; word != words.end(); ++word) {
    if (word != first && !word->starts_with('-')) behind.push_back(*word);
  }
  std::string message = cat("`", group, "` needs one of its commands");
  if (const std::string meant = verb_first(group, behind); !meant.empty())
    return usage(cat(message, "; did you mean `paddock ", meant, "`?"));
  return usage(cat(message, "; `paddock ", group, " --help` lists them"));
}

Error unknown_option(const std::string& word, const CommandRow& row) {
  std::vector<std::string> names;
  for (const auto& options : {row.options, global_options()}) {
    for (const OptionRow& option : options) names.push_back(cat("--", long_name(option)));
  }
  const std::string name = word.substr(0, word.find('='));
  std::string message = cat("`", row.path, "` has no option `", name, "`");
  if (const std::string near = nearest(name, names); !near.empty())
    message += cat("; did you mean `", near, "`?");
  const bool takes_command = !row.arguments.empty() && row.arguments.back().name == "CMD";
  if (takes_command)
    message += "; options of the command itself go after `--`, or quote the whole command";
  return usage(std::move(message));
}

Error explain(const CLI::ParseError& error, const CLI::App& root, const std::list<Slot>& slots,
              const std::vector<std::string>& words) {
  const Slot* slot = chosen(slots);
  if (slot == nullptr) {
    const auto groups = root.get_subcommands();
    if (!groups.empty()) return unfinished_command(groups.front()->get_name(), words);
    for (const std::string& word : root.remaining()) {
      if (!word.starts_with('-')) return unknown_command(word);
      return usage(cat("options such as `", word, "` go after the command"));
    }
    return usage("no command was given; `paddock --help` lists them");
  }
  for (const std::string& word : slot->app->remaining()) {
    if (word != "--" && word.starts_with('-')) return unknown_option(word, *slot->row);
  }
  Error out = usage(cat(error.what(), "; usage: ", usage_line(*slot->row)));
  return out;
}

Parsed collect(const Slot& slot) {
  Parsed parsed;
  parsed.command = slot.row->path;
  for (const auto& [name, values] : slot.values) {
    if (!values.empty()) parsed.values[name] = values;
  }
  for (const auto& [name, given] : slot.flags) {
    if (given) parsed.values[name] = {"true"};
  }
  return parsed;
}

bool is_global(const std::string& word) {
  return word.starts_with("--") && std::ranges::any_of(global_options(), [&](const OptionRow& row) {
           return word.substr(2, word.find('=') - 2) == long_name(row);
         });
}

// Global options may stand before the command too: they are moved behind its words.
std::vector<std::string> command_first(const std::vector<std::string>& args) {
  size_t leading = 0;
  while (leading < args.size() && is_global(args[leading])) {
    leading += args[leading].find('=') == std::string::npos ? size_t{2} : size_t{1};
  }
  if (leading == 0 || leading >= args.size()) return args;
  const auto command = args.begin() + static_cast<std::ptrdiff_t>(leading);
  // As many words as name a command: `get`, `sandbox run`, `admin token create`.
  std::string path = *command;
  auto behind = command + 1;
  for (auto word = behind; word != args.end() && word - command < 3; ++word) {
    path += cat(" ", *word);
    if (find_command(path) != nullptr) behind = word + 1;
  }
  std::vector<std::string> out(command, behind);
  out.insert(out.end(), args.begin(), command);
  out.insert(out.end(), behind, args.end());
  return out;
}

// The words of another program are no business of the parser.
struct Cut {
  std::vector<std::string> own;
  std::optional<std::vector<std::string>> program;
};

Cut cut_at_dashes(std::vector<std::string> words) {
  Cut out{std::move(words), {}};
  const CommandRow* row = out.own.empty() ? nullptr : find_command(out.own.front());
  const bool takes_program =
      row != nullptr && !row->arguments.empty() && row->arguments.back().behind_dashes;
  const auto dashes = std::ranges::find(out.own, "--");
  if (!takes_program || dashes == out.own.end()) return out;
  out.program.emplace(dashes + 1, out.own.end());
  out.own.erase(dashes, out.own.end());
  return out;
}

Result<Parsed> with_program(Parsed parsed, const CommandRow& row, const Cut& cut) {
  if (row.arguments.empty() || !row.arguments.back().behind_dashes) return parsed;
  if (!cut.program && !row.arguments.back().required) return parsed;
  if (!cut.program || cut.program->empty())
    return usage(cat("the program to run stands after `--`; usage: ", usage_line(row)));
  parsed.values[row.arguments.back().name] = *cut.program;
  return parsed;
}

bool asks_for_version(std::string_view word) {
  return word == "--version" || word == "-V" || word == "-v";
}

}  // namespace

Result<std::variant<Parsed, HelpWanted>> parse_args(const std::vector<std::string>& args) {
  using Answer = std::variant<Parsed, HelpWanted>;
  if (args.empty() || args[0] == "help") return Answer(HelpWanted{overview_help()});
  if (args.size() == 1 && asks_for_version(args[0])) return parse_args({"version"});
  CLI::App root("paddock");
  std::list<Slot> slots;
  const Cut cut = cut_at_dashes(command_first(args));
  try {
    build(root, slots);
    std::vector<std::string> reversed(cut.own.rbegin(), cut.own.rend());
    root.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return Answer(HelpWanted{help_for(root, slots)});
  } catch (const CLI::ParseError& error) {
    return explain(error, root, slots, cut.own);
  } catch (const CLI::Error& error) {
    return Error{Code::kInternal, "COMMAND_TABLE", error.what()};
  }
  const Slot* slot = chosen(slots);
  if (slot == nullptr) return usage("no command was given; `paddock --help` lists them");
  ASSIGN_OR_RETURN(Parsed parsed, with_program(collect(*slot), *slot->row, cut));
  return Answer(std::move(parsed));
}

}  // namespace paddock::cli
