#include "cli/grammar/completion.h"

#include <algorithm>

#include "cli/grammar/command_table.h"
#include "cli/output/kinds.h"
#include "common/base/text.h"

namespace paddock::cli {
namespace {

// All that may follow a command's words: its options and the global ones.
std::string option_words(const CommandRow& row) {
  std::vector<std::string> words;
  for (const auto& options : {row.options, global_options()}) {
    for (const OptionRow& option : options) {
      for (const std::string& name : split(option.names, ',')) words.push_back(name);
    }
  }
  words.push_back("--help");
  return join(words, " ");
}

std::string kind_words() {
  std::vector<std::string> words;
  for (const KindInfo& each : all_kinds()) words.emplace_back(each.plural);
  return join(words, " ");
}

// Words for the arguments that have a closed set.
std::string argument_words(const CommandRow& row) {
  if (row.path == "completion") return "bash zsh fish";
  for (const ArgumentRow& argument : row.arguments) {
    if (argument.name == "KIND" || argument.name == "FIELD") return kind_words();
  }
  return "";
}

// The words that may follow the first words of a command (`sandbox`), each once.
std::string next_words(const std::string& start) {
  std::vector<std::string> words;
  for (const CommandRow& row : command_table()) {
    if (!row.path.starts_with(cat(start, " "))) continue;
    const std::string next = split(row.path.substr(start.size() + 1), ' ').front();
    if (std::ranges::find(words, next) == words.end()) words.push_back(next);
  }
  return join(words, " ");
}

// The starts of commands that have more than one word, shortest first.
std::vector<std::string> starts() {
  std::vector<std::string> all;
  for (const CommandRow& row : command_table()) {
    for (size_t space = row.path.find(' '); space != std::string::npos;
         space = row.path.find(' ', space + 1)) {
      const std::string start = row.path.substr(0, space);
      if (std::ranges::find(all, start) == all.end()) all.push_back(start);
    }
  }
  return all;
}

std::string bash_cases() {
  std::string out;
  for (const CommandRow& row : command_table())
    out += cat("    '", row.path, "') words=\"", argument_words(row), next_words(row.path),
               "\"; flags=\"", option_words(row), "\" ;;\n");
  for (const std::string& start : starts()) {
    if (find_command(start) != nullptr) continue;  // `audit` is a command as well
    out += cat("    '", start, "') words=\"", next_words(start), "\" ;;\n");
  }
  return out;
}

// Every path that bash may take for the command's own words.
std::string bash_paths() {
  std::vector<std::string> paths;
  for (const CommandRow& row : command_table()) paths.push_back(cat("'", row.path, "'"));
  for (const std::string& start : starts()) paths.push_back(cat("'", start, "'"));
  return join(paths, "|");
}

std::string bash_script() {
  return cat(
      "# bash completion for paddock: source <(paddock completion bash)\n"
      "_paddock() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} words='' flags='' path='' longer i\n"
      "  COMPREPLY=()\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    longer=\"${path:+$path }${COMP_WORDS[i]}\"\n"
      "    case \"$longer\" in\n      ",
      bash_paths(),
      ") path=$longer ;;\n      *) break ;;\n    esac\n  done\n"
      "  case \"$path\" in\n"
      "    '') words=\"",
      join(command_names(), " "), " --help\" ;;\n", bash_cases(),
      "  esac\n"
      "  case \"$cur\" in\n"
      "    -*) COMPREPLY=($(compgen -W \"$flags\" -- \"$cur\")) ;;\n"
      "    *) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")) ;;\n"
      "  esac\n"
      "}\n"
      "complete -o default -F _paddock paddock\n");
}

std::string zsh_script() {
  return cat(
      "#compdef paddock\n# zsh completion for paddock: source <(paddock completion zsh)\n"
      "autoload -U +X bashcompinit && bashcompinit\n",
      bash_script());
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' || c == '\\' ? cat("\\", c) : std::string(1, c);
  return out + "'";
}

std::string fish_option(const OptionRow& option, const std::string& condition) {
  std::string line = cat("complete -c paddock", condition);
  for (const std::string& name : split(option.names, ',')) {
    line += name.starts_with("--") ? cat(" -l ", name.substr(2)) : cat(" -s ", name.substr(1));
  }
  if (!option.value.empty()) line += " -r";
  return cat(line, " -d ", quoted(option.help), "\n");
}

// Behind all of these words.
std::string fish_behind(const std::vector<std::string>& words) {
  if (words.empty()) return " -n __fish_use_subcommand";
  std::string out;
  for (const std::string& word : words)
    out += cat(out.empty() ? "" : "; and ", "__fish_seen_subcommand_from ", word);
  return cat(" -n '", out, "'");
}

std::string fish_script() {
  std::string out = "# fish completion for paddock: paddock completion fish | source\n";
  for (const std::string& start : starts()) {
    std::vector<std::string> words = split(start, ' ');
    const std::string last = words.back();
    words.pop_back();
    if (find_command(start) == nullptr)
      out += cat("complete -c paddock", fish_behind(words), " -a ", last, "\n");
  }
  for (const CommandRow& row : command_table()) {
    std::vector<std::string> words = split(row.path, ' ');
    const std::string seen = fish_behind(words);
    const std::string last = words.back();
    words.pop_back();
    out += cat("complete -c paddock", fish_behind(words), " -a ", last, " -d ", quoted(row.summary),
               "\n");
    if (const std::string values = argument_words(row); !values.empty()) {
      out += cat("complete -c paddock", seen, " -f -a '", values, "'\n");
    }
    for (const OptionRow& option : row.options) out += fish_option(option, seen);
  }
  for (const OptionRow& option : global_options()) out += fish_option(option, "");
  return out;
}

}  // namespace

Result<std::string> completion_script(std::string_view shell) {
  if (shell == "bash") return bash_script();
  if (shell == "zsh") return zsh_script();
  if (shell == "fish") return fish_script();
  return invalid_argument("UNKNOWN_SHELL",
                          cat("no completion for `", shell, "`; known: bash, zsh, fish"), "SHELL");
}

}  // namespace paddock::cli
