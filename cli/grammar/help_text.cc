#include "cli/grammar/help_text.h"

#include <utility>
#include <vector>

#include "cli/terminal/table.h"
#include "cli/terminal/terminal.h"
#include "common/base/text.h"

namespace paddock::cli {
namespace {

std::string option_text(const OptionRow& option) {
  const std::string names =
      option.names.starts_with("--") ? cat("    ", option.names) : option.names;
  std::string out;
  for (const char c : names) out += c == ',' ? std::string(", ") : std::string(1, c);
  return option.value.empty() ? out : cat(out, " ", option.value);
}

std::string options_text(const std::vector<OptionRow>& options) {
  Table table;
  for (const OptionRow& option : options) table.rows.push_back({option_text(option), option.help});
  return render(table, "  ");
}

std::string commands_text(const std::vector<const CommandRow*>& commands) {
  Table table;
  for (const CommandRow* row : commands) table.rows.push_back({row->path, row->summary});
  return render(table, "  ");
}

constexpr size_t kColumns = 96;

// Words of a paragraph in lines that a terminal shows whole.
void add_filled(const std::vector<std::string>& words, std::string& out) {
  size_t width = 0;
  for (const std::string& word : words) {
    const size_t columns = display_width(word);
    if (width > 0 && width + 1 + columns > kColumns) {
      out += '\n';
      width = 0;
    }
    out += width > 0 ? cat(" ", word) : word;
    width += columns + (width > 0 ? 1 : 0);
  }
  if (!words.empty()) out += '\n';
}

// Paragraphs are filled; lines that are indented, which are commands, stay as they are.
std::string filled(const std::string& text) {
  std::string out;
  std::vector<std::string> words;
  for (const std::string& line : split(text, '\n')) {
    if (!line.empty() && line[0] != ' ') {
      for (const std::string& word : split(line, ' '))
        if (!word.empty()) words.push_back(word);
      continue;
    }
    add_filled(std::exchange(words, {}), out);
    out += cat(line, "\n");
  }
  add_filled(words, out);
  return out;
}

}  // namespace

std::string usage_line(const CommandRow& command) {
  std::string line = cat("paddock ", command.path);
  if (!command.options.empty()) line += " [options]";
  for (const ArgumentRow& argument : command.arguments) {
    const std::string name =
        cat(argument.behind_dashes ? "-- " : "", argument.name, argument.many ? "…" : "");
    line += argument.required ? cat(" ", name) : cat(" [", name, "]");
  }
  return line;
}

std::string overview_help() {
  std::string out =
      "paddock runs untrusted code in native sandboxes, on the host that has what the code "
      "needs.\n\n"
      "First steps:\n"
      "  paddock up                                     start an instance on this host\n"
      "  paddock compute . \"python3 job.py\"             run a project's command, follow it, get "
      "its results\n"
      "  paddock sandbox run -- python3 -c 'print(1)'   a sandbox right here, without an instance\n"
      "  paddock down                                   stop it again\n";
  std::vector<std::string> groups;
  for (const CommandRow& row : command_table()) {
    if (groups.empty() || groups.back() != row.group) groups.push_back(row.group);
  }
  for (const std::string& group : groups) {
    std::vector<const CommandRow*> rows;
    for (const CommandRow& row : command_table()) {
      if (row.group == group) rows.push_back(&row);
    }
    out += cat("\n", group, ":\n", commands_text(rows));
  }
  out += cat("\nOptions of every command:\n", options_text(global_options()));
  out += "  -h, --help              help for a command\n";
  out += "\n";
  out += filled(
      "Exit codes: a run's own code; 1 any other failure, 2 wrong usage, 75 connection lost while "
      "the run goes on, 124 timeout, 125 could not start, 126 denied by policy, 127 not found, "
      "128+n signal n.");
  return out;
}

std::string command_help(const CommandRow& command) {
  std::string out = cat("paddock ", command.path, ": ", command.summary,
                        "\n\nUsage: ", usage_line(command), "\n");
  if (!command.arguments.empty()) {
    Table table;
    for (const ArgumentRow& argument : command.arguments)
      table.rows.push_back({argument.name, argument.help});
    out += cat("\nArguments:\n", render(table, "  "));
  }
  if (!command.options.empty()) out += cat("\nOptions:\n", options_text(command.options));
  if (!command.more.empty()) out += cat("\n", filled(command.more));
  out += cat("\nOptions of every command:\n", options_text(global_options()));
  return out;
}

std::string group_help(const std::string& first_word) {
  std::vector<const CommandRow*> rows;
  for (const CommandRow& row : command_table()) {
    if (row.path.starts_with(cat(first_word, " "))) rows.push_back(&row);
  }
  return cat("Commands:\n", commands_text(rows));
}

}  // namespace paddock::cli
