#include "cli/core/command_table.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::cli {
namespace {

constexpr const char* kInstanceGroup = "An instance on this host";
constexpr const char* kRunGroup = "Run code";
constexpr const char* kLookGroup = "Look and act";
constexpr const char* kToolGroup = "Tools";

const OptionRow kNamespace{"-n,--namespace", "NS", "namespace; `default` unless given"};
const OptionRow kOutputFormat{"-o,--output", "FORMAT", "table, wide, json, yaml or name"};
const OptionRow kDocumentFormat{"-o,--output", "FORMAT", "table, json or yaml"};
const OptionRow kVerbose{"-v,--verbose", "", "say more"};

std::vector<CommandRow> instance_commands() {
  return {
      {"up",
       kInstanceGroup,
       "start a controller and a node agent on this host",
       {},
       {{"--port", "N", "port on 127.0.0.1; the last one again, or a free one, unless given"},
        {"--data-dir", "DIR", "where the instance keeps its data; remembered for later"},
        {"--timeout", "D", "how long to wait until it is ready; 60s unless given"}},
       "Starting an instance that is up already is fine: it says so.\n\n"
       "  paddock up\n  paddock up --instance lab --port 7443"},
      {"down",
       kInstanceGroup,
       "cancel what runs and stop the instance",
       {},
       {{"--timeout", "D", "how long programs may take to end; 20s unless given"}},
       "Leaves nothing running. Runs that have not ended are canceled first, by name."},
      {"status", kInstanceGroup, "what is up, and what it is doing", {}, {kDocumentFormat}, ""},
      {"ready",
       kInstanceGroup,
       "exit code 0 if the instance can take work, else 1",
       {},
       {{"--json", "", "{ready, controller, nodes, reason}"}},
       ""},
      {"doctor",
       kInstanceGroup,
       "what this host can enforce, and what would help",
       {},
       {kDocumentFormat},
       "Tries each protection of the sandbox for real; needs no instance."},
  };
}

const OptionRow kArtifactDir{"--artifact-dir", "DIR",
                             "folder of the project whose files come back; may be repeated", true};
const OptionRow kPublish{"--publish", "NAME",
                         "make the artifacts the next version of this shared volume"};
const OptionRow kVolume{"--volume", "NAME[@VERSION]",
                        "shared volume to read at /volumes/NAME; may be repeated", true};
const OptionRow kRunTimeout{"--timeout", "D", "wall time, e.g. 90s or 2h; 30m unless given"};
const OptionRow kRunName{"--name", "NAME", "name of the run; made up unless given"};
const OptionRow kRunLabel{"-l,--label", "KEY=VALUE", "label of the run; may be repeated", true};
const OptionRow kArtifactOutput{"--output", "DIR",
                                "where artifacts are written; the project's folder unless given"};
const OptionRow kDetach{"--detach", "", "print the run's name and return once it is created"};
const OptionRow kProgress{"--progress", "FORM",
                          "auto, plain (nothing is redrawn) or json (objects, one per line)"};

CommandRow compute_command_row() {
  return {
      "compute",
      kRunGroup,
      "run a project's command on a node and bring its results back",
      {{"DIR", "the project's folder"},
       {"CMD", "command, as one quoted string or as words after --", true, true}},
      {{"--requirements", "FILE", "requirements.txt in the project, installed first"},
       kArtifactDir,
       kPublish,
       kVolume,
       kRunTimeout,
       {"--accelerator", "KIND[=N]", "nvidia, apple or any"},
       kRunName,
       kNamespace,
       kRunLabel,
       kArtifactOutput,
       kDetach,
       kProgress,
       kVerbose},
      "Only files that the controller lacks are sent; .gitignore and .paddockignore are kept to.\n"
      "The run's output is followed live and its exit code becomes this command's. Ctrl-C cancels\n"
      "the run; a lost connection does not.\n\n"
      "  paddock compute . \"python3 train.py --epochs 3\" --requirements requirements.txt \\\n"
      "      --artifact-dir models/\n"
      "  paddock compute . --detach -- python3 train.py --epochs 3"};
}

CommandRow build_command_row() {
  return {
      "build",
      kRunGroup,
      "build a project on a node with its gradlew or a bash script, and bring the results back",
      {{"DIR", "the project's folder"},
       {"CMD", "command, as one quoted string or as words after --", true, true}},
      {{"--type", "T", "gradle or script"},
       kArtifactDir,
       kPublish,
       kVolume,
       kRunTimeout,
       kRunName,
       kNamespace,
       kRunLabel,
       kArtifactOutput,
       kDetach,
       kProgress,
       kVerbose},
      "As `paddock compute`, for other commands: a script build is bash and an .sh file of the\n"
      "project; a gradle build is ./gradlew or gradle and its tasks, offline.\n\n"
      "  paddock build . --type script \"bash build.sh release\" --artifact-dir out\n"
      "  paddock build app --type gradle --artifact-dir build/reports -- ./gradlew check"};
}

CommandRow sandbox_run_row() {
  return {
      "sandbox run",
      kRunGroup,
      "run a command here, in a sandbox; needs no instance",
      {{"CMD", "command and its arguments, after --", true, true}},
      {{"--profile", "P", "compute, test, snippet or session; test unless given"},
       {"--policy", "FILE", "SandboxPolicy as YAML or JSON; - reads it from stdin"},
       {"--wall-time", "D", "real time until everything is killed"},
       {"--cpu-time", "D", "CPU time of all processes together"},
       {"--memory", "Q", "memory of all processes together, e.g. 512Mi"},
       {"--pids", "N", "processes and threads at once"},
       {"--open-files", "N", "descriptors of one process"},
       {"--fs-bytes", "Q", "bytes in scratch space, and that the workspace may grow by"},
       {"--file-count", "N", "files in scratch space, and that the workspace may grow by"},
       {"--output-bytes", "Q", "output kept, of each stream"},
       {"--allow-domain", "HOST", "host that may be reached, or HOST:PORT; may be repeated", true},
       {"--allow-range", "CIDR", "private addresses that hosts may lead to; may be repeated", true},
       {"--name-server", "ADDRESS", "to ask instead of the system's; may be repeated", true},
       {"--mount", "SRC:DST:ro|rw", "host folder that is visible inside; may be repeated", true},
       {"--venv", "DIR", "Python environment to run in; read-only inside, at /venv"},
       {"--tool", "T", "executable that exists inside; may be repeated", true},
       {"--workdir", "DIR", "where the command starts; /workspace unless given"},
       {"-o,--output", "FORMAT", "json: print the whole SandboxResult instead of live output"},
       {"-v,--verbose", "", "show what was enforced, also when nothing was denied"}},
      "The current folder is the workspace: it is visible at /workspace and can be written.\n"
      "Without a policy there is no network, and the rest of the host cannot be seen.\n\n"
      "  paddock sandbox run -- python3 script.py\n"
      "  paddock sandbox run --memory 256Mi --wall-time 5s -v -- sh -c 'echo hi'"};
}

CommandRow pytest_row() {
  return {
      "pytest",
      kRunGroup,
      "run Python tests here, in a sandbox; needs no instance",
      {{"PATH", "test file, folder or path::test, below the current folder", true, true}},
      {{"--timeout", "S",
        "real time until everything is killed, in seconds or as 90s; 30s unless given"},
       {"--policy", "FILE", "SandboxPolicy as YAML or JSON, on top of profile test; - reads stdin"},
       {"-o,--output", "FORMAT", "json: print the whole SandboxResult instead of live output"},
       {"-v,--verbose", "", "show what was enforced, also when nothing was denied"}},
      "Runs `python3 -m pytest -v PATH…` with the current folder as its workspace, without a\n"
      "network, with a fixed environment. An active virtual environment is visible, read-only.\n"
      "The tests' own exit code is passed through.\n\n"
      "  paddock pytest tests\n"
      "  paddock pytest --timeout 60 tests/test_parser.py::test_empty"};
}

std::vector<CommandRow> look_commands() {
  const ArgumentRow name{"NAME", "name of the run"};
  const ArgumentRow kind{"KIND", "runs (rn), workspaces (ws), volumes (vol) or nodes (no)"};
  return {
      {"get",
       kLookGroup,
       "list objects, or show one",
       {kind, {"NAME", "one object", false}},
       {kNamespace,
        {"-A,--all-namespaces", "", "every namespace"},
        kOutputFormat,
        {"-l,--selector", "SELECTOR", "labels, e.g. team=a,stage!=test"}},
       "  paddock get runs\n  paddock get run hello -o yaml\n  paddock get nodes -o wide"},
      {"describe",
       kLookGroup,
       "one object in detail: why it waits, what was enforced",
       {kind, {"NAME", "name of the object"}},
       {kNamespace},
       "  paddock describe run hello"},
      {"logs",
       kLookGroup,
       "the output of a run",
       {name},
       {{"-f,--follow", "", "go on until the run has ended"},
        {"--tail", "N", "only the last N lines"},
        kNamespace},
       "Ctrl-C only stops watching; the run goes on."},
      {"events",
       kLookGroup,
       "phases, output and end of a run, as they happen",
       {name},
       {kNamespace, kDocumentFormat},
       "Follows until the run has ended. With -o json: an object per line."},
      {"wait",
       kLookGroup,
       "wait for a run's end; exits with the run's own code",
       {name},
       {{"--timeout", "D", "give up after this long, with exit code 124"}, kNamespace},
       ""},
      {"cancel", kLookGroup, "cancel a run", {name}, {kNamespace}, ""},
      {"artifacts",
       kLookGroup,
       "fetch a run's artifacts, or list them",
       {name},
       {{"--output", "DIR", "write them here; without it they are listed"}, kNamespace, kVerbose},
       ""},
      {"delete",
       kLookGroup,
       "delete an object",
       {kind, {"NAME", "name of the object"}},
       {kNamespace},
       ""},
  };
}

std::vector<CommandRow> tool_commands() {
  return {
      {"kubeconfig",
       kToolGroup,
       "print a configuration for kubectl",
       {},
       {kNamespace},
       "  kubectl --kubeconfig <(paddock kubeconfig) get runs"},
      {"completion",
       kToolGroup,
       "print a completion script",
       {{"SHELL", "bash, zsh or fish"}},
       {},
       "  source <(paddock completion bash)"},
      {"version", kToolGroup, "print the version", {}, {kDocumentFormat}, ""},
  };
}

std::vector<CommandRow> make_table() {
  std::vector<CommandRow> table = instance_commands();
  table.push_back(compute_command_row());
  table.push_back(build_command_row());
  table.push_back(sandbox_run_row());
  table.push_back(pytest_row());
  for (auto rows : {look_commands(), tool_commands()})
    table.insert(table.end(), rows.begin(), rows.end());
  return table;
}

}  // namespace

const std::vector<CommandRow>& command_table() {
  static const std::vector<CommandRow> kTable = make_table();
  return kTable;
}

const std::vector<OptionRow>& global_options() {
  static const std::vector<OptionRow> kOptions = {
      {"--instance", "NAME", "instance on this host; PADDOCK_INSTANCE, or `default`, unless given"},
      {"--server", "URL", "controller elsewhere; also PADDOCK_SERVER"},
      {"--token-file", "FILE", "credential for --server; also PADDOCK_TOKEN"},
      {"--ca-file", "FILE", "CA certificate for --server; also PADDOCK_CA_FILE"},
      {"--patience", "D", "how long a lost connection is tried again before giving up (2m)"},
  };
  return kOptions;
}

const CommandRow* find_command(std::string_view path) {
  const auto found = std::ranges::find(command_table(), path, &CommandRow::path);
  return found == command_table().end() ? nullptr : &*found;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const CommandRow& row : command_table()) {
    const std::string first = split(row.path, ' ').front();
    if (std::ranges::find(names, first) == names.end()) names.push_back(first);
  }
  return names;
}

std::string long_name(const OptionRow& option) {
  const size_t dashes = option.names.find("--");
  return option.names.substr(dashes + 2);
}

ConnectionOptions connection_options(const Parsed& parsed) {
  return {parsed.text("instance"), parsed.text("server"), parsed.text("token-file"),
          parsed.text("ca-file")};
}

}  // namespace paddock::cli
