#include "cli/commands/parse_args.h"

#include <algorithm>
#include <list>
#include <optional>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "cli/grammar/help_text.h"
#include "cli/grammar/usage_errors.h"
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
  std::string path;
  for (const std::string& word : words) {
    const auto named =
        app->get_subcommands([&](const CLI::App* each) { return each->get_name() == word; });
    // `audit` is a command and the start of others.
    if (named.empty() && find_command(path) == nullptr) app->require_subcommand(1);
    path += cat(path.empty() ? "" : " ", word);
    app = named.empty() ? app->add_subcommand(word) : named.front();
  }
  return app;
}

// The rows that the first word can mean, since a parser of them all takes longer to build than most
// commands take; all of them for a word that begins none.
std::vector<const CommandRow*> rows_of(const std::vector<std::string>& words) {
  std::vector<const CommandRow*> all;
  std::vector<const CommandRow*> meant;
  for (const CommandRow& row : command_table()) {
    all.push_back(&row);
    if (!words.empty() && row.path.substr(0, row.path.find(' ')) == words.front())
      meant.push_back(&row);
  }
  return meant.empty() ? all : meant;
}

void build(CLI::App& root, std::list<Slot>& slots, const std::vector<std::string>& words) {
  for (const CommandRow* each : rows_of(words)) {
    const CommandRow& row = *each;
    Slot& slot = slots.emplace_back();
    slot.row = &row;
    slot.app = subcommand(root, split(row.path, ' '));
    for (const ArgumentRow& argument : row.arguments) add_argument(slot, argument);
    for (const OptionRow& option : row.options) add_option(slot, option);
    for (const OptionRow& option : global_options()) add_option(slot, option);
  }
}

const Slot* chosen(const std::list<Slot>& slots) {
  const auto found = std::ranges::find_if(slots, [](const Slot& slot) {
    return slot.app->parsed() && slot.app->get_subcommands().empty();
  });
  return found == slots.end() ? nullptr : &*found;
}

std::string help_for(const CLI::App& root, const std::list<Slot>& slots) {
  if (const Slot* slot = chosen(slots)) return command_help(*slot->row);
  for (const CLI::App* app : root.get_subcommands()) return group_help(app->get_name());
  return overview_help();
}

// The argument of the row that was left out.
const ArgumentRow* missing_argument(const Slot& slot) {
  for (const ArgumentRow& argument : slot.row->arguments) {
    const CLI::Option* option =
        argument.behind_dashes ? nullptr : slot.app->get_option_no_throw(argument.name);
    if (option != nullptr && argument.required && option->count() == 0) return &argument;
  }
  return nullptr;
}

// The option that an error names: the first one in it, `--tail` and not `--ta`.
const OptionRow* option_of(const CLI::ParseError& error, const CommandRow& row) {
  const std::string_view text = error.what();
  const OptionRow* found = nullptr;
  std::pair<size_t, size_t> best{text.size(), 0};  // where, and how long
  for (const auto* options : {&row.options, &global_options()}) {
    for (const OptionRow& option : *options) {
      const std::string name = cat("--", long_name(option));
      const std::pair<size_t, size_t> here{text.find(name), name.size()};
      const bool better =
          here.first < best.first || (here.first == best.first && here.second > best.second);
      if (here.first == std::string_view::npos || !better) continue;
      found = &option;
      best = here;
    }
  }
  return found;
}

// `run -v /x:/y .`: what was meant for -v stands in the folder's place, and is the word to talk of.
std::vector<std::string> with_pair(const Slot& slot, std::vector<std::string> extra) {
  const CLI::Option* folder = slot.app->get_option_no_throw("DIR");
  if (folder == nullptr || folder->count() == 0) return extra;
  if (const std::string& first = folder->results().front(); first.find(":/") != std::string::npos)
    extra.insert(extra.begin(), first);
  return extra;
}

// The parser's errors are told in our words.
Error explain_words(const CLI::ParseError& error, const Slot& slot) {
  std::vector<std::string> extra;
  for (const std::string& word : slot.app->remaining()) {
    const bool an_option = word != "--" && word.starts_with('-');
    // `run python3 x.py --fast`: it is the program's own, and what is missing stands before it.
    if (an_option && !extra.empty() && runs_a_program(*slot.row)) break;
    if (an_option) return unknown_option(word, *slot.row);
    if (word != "--") extra.push_back(word);
  }
  if (!extra.empty()) return too_many_words(*slot.row, with_pair(slot, std::move(extra)));
  if (const ArgumentRow* missing = missing_argument(slot)) return missing_word(*slot.row, *missing);
  if (const OptionRow* option = option_of(error, *slot.row))
    return wrong_value_count(*slot.row, *option);
  return not_understood(*slot.row);
}

Error explain(const CLI::ParseError& error, const CLI::App& root, const std::list<Slot>& slots,
              const std::vector<std::string>& words) {
  if (const Slot* slot = chosen(slots)) return explain_words(error, *slot);
  const auto groups = root.get_subcommands();
  if (!groups.empty()) return unfinished_command(groups.front()->get_name(), words);
  for (const std::string& word : root.remaining()) {
    if (!word.starts_with('-')) return unknown_command(word);
    return usage_error(cat("options such as `", word, "` go after the command"));
  }
  return usage_error("no command was given; `paddock --help` lists them");
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

// `audit --type x verify`: the option would be of another command than the one that is meant.
Status refuse_options_before(const Slot& meant, const std::list<Slot>& slots) {
  for (const Slot& slot : slots) {
    const bool before = &slot != &meant && slot.app->parsed();
    if (before && !collect(slot).values.empty())
      return usage_error(cat("options go after the command: `paddock ", meant.row->path, " …`"));
  }
  return {};
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
    return usage_error(cat("the program to run stands after `--`; usage: ", usage_line(row)));
  parsed.values[row.arguments.back().name] = *cut.program;
  return parsed;
}

// The first option of the line that stands before the command and is none of every command.
const std::string* foreign_option(const std::vector<std::string>& args) {
  size_t at = 0;
  while (at < args.size() && is_global(args[at]))
    at += args[at].find('=') == std::string::npos ? size_t{2} : size_t{1};
  const bool option =
      at < args.size() && args[at].starts_with('-') && args[at] != "-h" && args[at] != "--help";
  return option ? &args[at] : nullptr;
}

// `help sandbox exec`: the same as --help behind it.
Result<HelpWanted> help_on(const std::vector<std::string>& words) {
  std::string path;
  const CommandRow* found = nullptr;
  for (const std::string& word : words) {
    if (word.starts_with('-')) break;
    path += cat(path.empty() ? "" : " ", word);
    if (const CommandRow* row = find_command(path)) found = row;
  }
  if (path.empty()) return HelpWanted{overview_help()};
  if (found != nullptr) return HelpWanted{command_help(*found)};
  const auto names = command_names();
  if (std::ranges::find(names, words[0]) == names.end()) return unknown_command(words[0]);
  if (words.size() > 1) return unfinished_command(words[0], words);
  return HelpWanted{group_help(words[0])};
}

bool asks_for_version(std::string_view word) {
  return word == "--version" || word == "-V" || word == "-v";
}

}  // namespace

Result<std::variant<Parsed, HelpWanted>> parse_args(const std::vector<std::string>& args) {
  using Answer = std::variant<Parsed, HelpWanted>;
  if (args.empty()) return Answer(HelpWanted{overview_help()});
  if (args[0] == "help") {
    ASSIGN_OR_RETURN(HelpWanted help, help_on({args.begin() + 1, args.end()}));
    return Answer(std::move(help));
  }
  if (args.size() == 1 && asks_for_version(args[0])) return parse_args({"version"});
  if (const std::string* option = foreign_option(args)) return option_before_command(*option);
  CLI::App root("paddock");
  std::list<Slot> slots;
  const Cut cut = cut_at_dashes(command_first(args));
  try {
    build(root, slots, cut.own);
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
  if (slot == nullptr) return usage_error("no command was given; `paddock --help` lists them");
  TRY(refuse_options_before(*slot, slots));
  ASSIGN_OR_RETURN(Parsed parsed, with_program(collect(*slot), *slot->row, cut));
  return Answer(std::move(parsed));
}

}  // namespace paddock::cli
