#include "cli/grammar/usage_errors.h"

#include <algorithm>
#include <array>

#include "cli/grammar/help_text.h"
#include "cli/output/kinds.h"
#include "common/base/nearest.h"
#include "common/base/text.h"

namespace paddock::cli {
namespace {

using Name = std::pair<std::string_view, std::string_view>;

// The words of other tools for our commands.
constexpr std::array kOtherNames = {
    Name{"ps", "get runs"},
    Name{"list", "get runs"},
    Name{"ls", "get runs"},
    Name{"submit", "run --detach"},
    Name{"kill", "cancel"},
    Name{"rm", "delete run"},
    Name{"retry", "rerun"},
    Name{"restart", "rerun"},
    Name{"inspect", "describe run"},
    Name{"attach", "logs --follow"},
    Name{"tail", "logs --follow"},
    Name{"start", "up"},
    Name{"stop", "down"},
    Name{"download", "artifacts"},
    Name{"remove", "delete run"},
    Name{"destroy", "delete run"},
    Name{"terminate", "cancel"},
    Name{"abort", "cancel"},
    Name{"history", "get runs"},
    Name{"jobs", "get runs"},
    Name{"job", "get runs"},
    Name{"pods", "get runs"},
    Name{"pod", "get runs"},
    Name{"po", "get runs"},
    Name{"container", "get runs"},
    Name{"containers", "get runs"},
    Name{"app", "get runs"},
    Name{"queue", "get runs"},
    Name{"squeue", "get runs"},
    Name{"sacct", "get runs"},
    Name{"sinfo", "get nodes"},
    Name{"srun", "run"},
    Name{"sbatch", "run --detach"},
    Name{"scancel", "cancel"},
    Name{"deploy", "run --detach"},
    Name{"spawn", "run --detach"},
    Name{"shell", "exec -it"},
    Name{"ssh", "exec -it"},
    Name{"enter", "exec -it"},
    Name{"console", "exec -it"},
    Name{"bash", "exec -it"},
    Name{"sh", "exec -it"},
    Name{"stats", "top runs"},
    Name{"htop", "top"},
    Name{"monitor", "top"},
    Name{"info", "status"},
    Name{"cluster-info", "status"},
    Name{"edit", "apply -f"},
    Name{"patch", "apply -f"},
    Name{"replace", "apply -f"},
    Name{"diff", "apply --dry-run -f"},
    Name{"annotate", "label"},
    Name{"python", "execute"},
    Name{"eval", "execute"},
    Name{"test", "pytest"},
};

// What they have and we do not, and what there is in its place.
constexpr std::string_view kNoImages =
    "there are no images: a program is the project's or the node's, and packages come by `paddock "
    "run --requirements FILE`";
constexpr std::string_view kNoPorts =
    "no port of a run is reached from outside: what it computes comes back as output and files";
constexpr std::string_view kNoLogin =
    "nothing is logged in to: --server URL and --token-file FILE say which controller and who "
    "(PADDOCK_SERVER, PADDOCK_TOKEN)";
constexpr std::array kNotHere = {
    Name{"images", kNoImages},      Name{"image", kNoImages},    Name{"pull", kNoImages},
    Name{"push", kNoImages},        Name{"rmi", kNoImages},      Name{"tag", kNoImages},
    Name{"commit", kNoImages},      Name{"template", kNoImages}, Name{"port", kNoPorts},
    Name{"port-forward", kNoPorts}, Name{"expose", kNoPorts},    Name{"proxy", kNoPorts},
    Name{"forward", kNoPorts},      Name{"login", kNoLogin},     Name{"logout", kNoLogin},
    Name{"auth", kNoLogin},         Name{"config", kNoLogin},    Name{"context", kNoLogin},
    Name{"setup", kNoLogin},
};

// The words of other tools for commands about sandboxes.
constexpr std::array kOtherSandboxNames = {
    Name{"new", "create"},   Name{"start", "create"}, Name{"kill", "destroy"},
    Name{"stop", "destroy"}, Name{"ps", "list"},      Name{"shell", "exec"},
    Name{"cp", "files"},     Name{"upload", "files"}, Name{"download", "files"},
    Name{"read", "files"},   Name{"write", "files"},  Name{"cat", "files"},
    Name{"put", "files"},    Name{"mkdir", "files"},  Name{"file", "files"},
    Name{"ssh", "exec"},     Name{"connect", "exec"}, Name{"attach", "exec"},
    Name{"bash", "exec"},    Name{"rm", "destroy"},   Name{"terminate", "destroy"},
    Name{"sp", "create"},    Name{"spawn", "create"}, Name{"ls", "list"},
};

// The name of an option in other tools, without dashes; our name; and what to type for it.
struct OptionName {
  std::string_view theirs;
  std::string_view ours;
  std::string_view typed = {};  // empty: --ours
};
constexpr std::string_view kGpus = "--accelerator nvidia=N";
constexpr std::array kOtherOptions = {
    OptionName{"gpu", "accelerator", kGpus},
    OptionName{"gpus", "accelerator", kGpus},
    OptionName{"gres", "accelerator", kGpus},
    OptionName{"device", "accelerator", kGpus},
    OptionName{"cpus-per-task", "cpu"},
    OptionName{"cores", "cpu"},
    OptionName{"mem", "memory"},
    OptionName{"ram", "memory"},
    OptionName{"m", "memory"},
    OptionName{"pids-limit", "pids"},
    OptionName{"tmpfs", "disk"},
    OptionName{"shm-size", "disk"},
    OptionName{"time", "timeout"},
    OptionName{"time-limit", "timeout"},
    OptionName{"walltime", "timeout"},
    OptionName{"volumes", "volume"},
    OptionName{"vol", "volume"},
    OptionName{"w", "workdir"},
    OptionName{"cwd", "workdir"},
    OptionName{"chdir", "workdir"},
    OptionName{"working-dir", "workdir"},
    OptionName{"net", "allow-domain", "--allow-domain HOST"},
    OptionName{"network", "allow-domain", "--allow-domain HOST"},
    OptionName{"d", "detach"},
    OptionName{"background", "detach"},
    OptionName{"job-name", "name"},
    OptionName{"J", "name"},
    OptionName{"retries", "retry"},
    OptionName{"restart", "retry"},
    OptionName{"secrets", "secret"},
    OptionName{"envs", "env"},
    OptionName{"cpuset-cpus", "cpu"},
    OptionName{"ulimit", "open-files"},
    OptionName{"volume-mount", "mount"},
    OptionName{"dns", "name-server"},
    OptionName{"nodelist", "node-selector"},
    OptionName{"constraint", "node-selector"},
    OptionName{"partition", "node-selector"},
    OptionName{"i", "stdin", "--stdin FILE"},
    OptionName{"t", "timestamps"},
    OptionName{"show-labels", "label-columns"},
    OptionName{"grace-period", "grace"},
    OptionName{"grace-period", "now"},
};

// Those that we have nothing of, of the commands that start a program, and what to do instead.
constexpr std::string_view kNothingStays =
    "; leave it out: of a run nothing stays on its node (`paddock delete run NAME` removes its "
    "record)";
constexpr std::string_view kNoTerminal =
    "; it has no terminal: start it with `--detach`, then `paddock exec -it NAME -- sh`";
constexpr std::string_view kNoRights =
    "; leave it out: a program has a user without rights, and what its policy allows (`--policy`)";
constexpr std::string_view kWordsBehind = "; the program and its words stand after `--`";
constexpr std::string_view kImages =
    "; there are no images: a program is the project's or the node's, and packages come by "
    "`--requirements FILE`";
constexpr std::string_view kPorts =
    "; no port of a run is reached from outside: what it computes comes back as output and files";
constexpr std::array kNoOptions = {
    Name{"rm", kNothingStays},
    Name{"it", kNoTerminal},
    Name{"ti", kNoTerminal},
    Name{"tty", kNoTerminal},
    Name{"t", kNoTerminal},
    Name{"interactive", kNoTerminal},
    Name{"pty", kNoTerminal},
    Name{"shell", kNoTerminal},
    Name{"u", kNoRights},
    Name{"user", kNoRights},
    Name{"privileged", kNoRights},
    Name{"cap-add", kNoRights},
    Name{"security-opt", kNoRights},
    Name{"entrypoint", kWordsBehind},
    Name{"command", kWordsBehind},
    Name{"image", kImages},
    Name{"tag", kImages},
    Name{"file", kImages},
    Name{"f", kImages},
    Name{"p", kPorts},
    Name{"port", kPorts},
    Name{"ports", kPorts},
    Name{"expose", kPorts},
};
// Of the commands that are about an instance: others have names of their own.
constexpr std::array<std::string_view, 4> kOfAnInstance = {"up", "down", "status", "ready"};
// Where no option does it.
constexpr std::string_view kElsewhere =
    "; a program starts in the project's folder: `-- sh -c 'cd DIR && …'` starts one elsewhere";

constexpr const char* kNoSessionInput =
    "; a session's command has no input and no terminal: `paddock sandbox files --put -` makes a "
    "file of what is piped";
constexpr const char* kCodeElsewhere =
    "; the code is a file, or comes through `-`: echo 'print(1)' | paddock execute -";

constexpr const char* kWaitsForTheEnd =
    "; leave it out: it waits until the run has ended (`kubectl wait` takes any condition)";

bool takes_option(const CommandRow& row, std::string_view name) {
  return std::ranges::any_of(row.options,
                             [&](const OptionRow& each) { return long_name(each) == name; });
}

template <class Names>
std::string_view meant_by(const Names& names, std::string_view word) {
  const auto found = std::ranges::find(names, word, &Name::first);
  return found == names.end() ? std::string_view() : found->second;
}

bool starts_program(const CommandRow& row) {
  return takes_option(row, "artifact-dir") || row.path == "sandbox run" ||
         row.path == "sandbox create" || row.path == "execute";
}

// The advice about an option that other tools have; empty: this command has nothing of the kind.
std::string by_another_name(std::string_view word, const CommandRow& row) {
  const std::string_view name = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  // One name may be of several of ours, each of other commands.
  const auto found = std::ranges::find_if(kOtherOptions, [&](const OptionName& each) {
    return each.theirs == name && takes_option(row, each.ours);
  });
  if (found != kOtherOptions.end())
    return cat("; did you mean `",
               found->typed.empty() ? cat("--", found->ours) : std::string(found->typed), "`?");
  if (const std::string_view instead = meant_by(kNoOptions, name);
      starts_program(row) && !instead.empty())
    return std::string(instead);
  if (row.path == "sandbox exec" && (name == "i" || name == "it" || name == "t" || name == "tty"))
    return kNoSessionInput;
  if (name == "name" && std::ranges::count(kOfAnInstance, row.path) > 0)
    return "; did you mean `--instance`?";
  if (row.path == "execute" && (name == "c" || name == "code" || name == "e"))
    return kCodeElsewhere;
  if (row.path == "wait" && name == "for") return kWaitsForTheEnd;
  const auto elsewhere = std::ranges::find(kOtherOptions, name, &OptionName::theirs);
  const bool workdir =
      name == "workdir" || (elsewhere != kOtherOptions.end() && elsewhere->ours == "workdir");
  return workdir && takes_option(row, "artifact-dir") ? std::string(kElsewhere) : "";
}

// The same of a word that is nearly one of them: `--nmae` of `up`.
std::string by_nearly_another_name(std::string_view word, const CommandRow& row) {
  std::vector<std::string> names;
  const auto add = [&](std::string_view name) {
    const std::string typed = cat("--", name);
    if (name.size() > 1 && !by_another_name(typed, row).empty()) names.push_back(typed);
  };
  for (const OptionName& each : kOtherOptions) add(each.theirs);
  add("name");
  const std::string near = nearest(word, names);
  return near.empty() ? "" : by_another_name(near, row);
}

// Objects of all kinds are looked at and removed by the same commands.
constexpr std::array kVerbs = {
    Name{"get", "get"},       Name{"list", "get"},          Name{"ls", "get"},
    Name{"show", "describe"}, Name{"describe", "describe"}, Name{"delete", "delete"},
    Name{"remove", "delete"}, Name{"rm", "delete"},
};

// The command that `secret delete x` means; empty: none of ours.
std::string verb_first(const std::string& group, const std::vector<std::string>& behind) {
  if (behind.empty()) return {};
  if (const auto other = meant_by(kOtherSandboxNames, behind[0]);
      group == "sandbox" && !other.empty())
    return cat("sandbox ", other);
  const std::string_view verb = meant_by(kVerbs, behind[0]);
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

std::vector<std::string> other_commands() {
  std::vector<std::string> out;
  for (const Name& each : kOtherNames) out.emplace_back(each.first);
  for (const Name& each : kNotHere) out.emplace_back(each.first);
  return out;
}

std::vector<std::string> other_options() {
  std::vector<std::string> out;
  for (const OptionName& each : kOtherOptions) out.emplace_back(each.theirs);
  for (const Name& each : kNoOptions) out.emplace_back(each.first);
  return out;
}

std::string mount_way() {
  return "--volume NAME (a published folder), or hostMounts in --policy FILE (the node's own)";
}

Error usage_error(std::string message) {
  return {Code::kInvalidArgument, "USAGE", std::move(message)};
}

Error unknown_command(const std::string& word) {
  std::string message = cat("there is no command `", word, "`");
  const auto kind = parse_kind(word);
  if (const std::string_view other = meant_by(kOtherNames, word); !other.empty()) {
    message += cat("; did you mean `paddock ", other, "`?");
  } else if (const std::string_view instead = meant_by(kNotHere, word); !instead.empty()) {
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

Error unknown_option(const std::string& word, const CommandRow& row) {
  std::vector<std::string> names;
  for (const auto& options : {row.options, global_options()}) {
    for (const OptionRow& option : options) names.push_back(cat("--", long_name(option)));
  }
  names.emplace_back("--help");
  const std::string name = word.substr(0, word.find('='));
  const std::string near = name.size() > 2 ? nearest(name, names) : std::string();
  const std::string meant = by_another_name(name, row);
  std::string message = cat("`", row.path, "` has no option `", name, "`");
  if (!meant.empty()) {
    message += meant;
  } else if (!near.empty()) {
    message += cat("; did you mean `", near, "`?");
  } else if (name.size() > 2) {
    message += by_nearly_another_name(name, row);
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
  if (!row.arguments.empty() && row.arguments.back().name == "PROGRAM")
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
