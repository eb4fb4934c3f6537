#include "cli/grammar/help_text.h"

#include <vector>

#include "cli/terminal/table.h"
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
  out +=
      "\nExit codes: a run's own code; 2 wrong usage, 75 connection lost while the run goes on,\n"
      "124 timeout, 125 could not start, 126 denied by policy, 127 not found, 128+n signal n.\n";
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
  if (!command.more.empty()) out += cat("\n", command.more, "\n");
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
