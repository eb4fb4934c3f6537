#include "cli/grammar/other_options.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/base/nearest.h"
#include "common/base/text.h"

namespace paddock::cli {
namespace {

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
using NoOption = std::pair<std::string_view, std::string_view>;
constexpr std::array kNoOptions = {
    NoOption{"rm", kNothingStays},
    NoOption{"it", kNoTerminal},
    NoOption{"ti", kNoTerminal},
    NoOption{"tty", kNoTerminal},
    NoOption{"t", kNoTerminal},
    NoOption{"interactive", kNoTerminal},
    NoOption{"pty", kNoTerminal},
    NoOption{"shell", kNoTerminal},
    NoOption{"u", kNoRights},
    NoOption{"user", kNoRights},
    NoOption{"privileged", kNoRights},
    NoOption{"cap-add", kNoRights},
    NoOption{"security-opt", kNoRights},
    NoOption{"entrypoint", kWordsBehind},
    NoOption{"command", kWordsBehind},
    NoOption{"image", kImages},
    NoOption{"tag", kImages},
    NoOption{"file", kImages},
    NoOption{"f", kImages},
    NoOption{"p", kPorts},
    NoOption{"port", kPorts},
    NoOption{"ports", kPorts},
    NoOption{"expose", kPorts},
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

bool starts_program(const CommandRow& row) {
  return takes_option(row, "artifact-dir") || row.path == "sandbox run" ||
         row.path == "sandbox create" || row.path == "execute";
}

std::string_view instead_of_option(std::string_view name) {
  const auto found = std::ranges::find(kNoOptions, name, &NoOption::first);
  return found == kNoOptions.end() ? std::string_view() : found->second;
}

}  // namespace

std::string advice_on_option(std::string_view word, const CommandRow& row) {
  const std::string_view name = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  // One name may be of several of ours, each of other commands.
  const auto found = std::ranges::find_if(kOtherOptions, [&](const OptionName& each) {
    return each.theirs == name && takes_option(row, each.ours);
  });
  if (found != kOtherOptions.end())
    return cat("; did you mean `",
               found->typed.empty() ? cat("--", found->ours) : std::string(found->typed), "`?");
  if (const std::string_view instead = instead_of_option(name);
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

std::string advice_on_nearly_an_option(std::string_view word, const CommandRow& row) {
  std::vector<std::string> names;
  const auto add = [&](std::string_view name) {
    const std::string typed = cat("--", name);
    if (name.size() > 1 && !advice_on_option(typed, row).empty()) names.push_back(typed);
  };
  for (const OptionName& each : kOtherOptions) add(each.theirs);
  add("name");
  const std::string near = nearest(word, names);
  return near.empty() ? "" : advice_on_option(near, row);
}

std::vector<std::string> other_options() {
  std::vector<std::string> out;
  for (const OptionName& each : kOtherOptions) out.emplace_back(each.theirs);
  for (const NoOption& each : kNoOptions) out.emplace_back(each.first);
  return out;
}

}  // namespace paddock::cli
