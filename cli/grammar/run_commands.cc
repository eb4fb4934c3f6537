#include "cli/grammar/command_rows.h"
#include "cli/options/policy_options.h"
#include "cli/options/rerun.h"
#include "cli/options/run_options.h"

namespace paddock::cli {
namespace {

constexpr const char* kRunGroup = "Run code";

const OptionRow kArtifactDir{"--artifact-dir", "DIR",
                             "folder of the project whose files come back; may be repeated", true};
const OptionRow kPublish{"--publish", "NAME",
                         "make the artifacts the next version of this shared volume"};
const OptionRow kVolume{"--volume", "NAME[@VERSION]",
                        "shared volume to read at /volumes/NAME; may be repeated", true};
const OptionRow kRunName{"--name", "NAME", "name of the run; made up unless given"};
const OptionRow kRunLabel{"-l,--label", "KEY=VALUE", "label of the run; may be repeated", true};
const OptionRow kArtifactOutput{"--output", "DIR",
                                "where artifacts are written; the project's folder unless given"};
const OptionRow kDocumentOutput{"-o,--output", "FORMAT", "json or yaml: the whole answer"};
const OptionRow kDetach{"--detach", "", "print the run's name and return once it is created"};
const OptionRow kWaitForNode{"--wait-for-node", "",
                             "wait even if no node that there is has as much as is asked for"};
const OptionRow kProgress{"--progress", "FORM",
                          "auto, plain (nothing is redrawn) or json (objects, one per line)"};

// Adds the options of every run. The command's own options come first in its help.
CommandRow with_run_options(CommandRow row) {
  const std::vector<OptionRow> files = {kArtifactDir, kPublish,  kVolume,         kRunName,
                                        kNamespace,   kRunLabel, kArtifactOutput, kDetach,
                                        kWaitForNode, kProgress, kVerbose};
  row.options.insert(row.options.end(), files.begin(), files.end());
  const std::vector<OptionRow> more = run_option_rows();
  row.options.insert(row.options.end(), more.begin(), more.end());
  return row;
}

CommandRow with_policy_options(CommandRow row) {
  const std::vector<OptionRow> more = policy_option_rows();
  row.options.insert(row.options.begin() + 2, more.begin(), more.end());
  return row;
}

CommandRow run_row() {
  return {
      "run",
      kRunGroup,
      "run any program on a node, with a project's files or without any",
      {{"DIR", "the project's folder; without it no file is sent", false},
       {"PROGRAM", "any program that exists there or in the project, and its words", true, true,
        true}},
      {{"--type", "T", "command, compute, gradle, script or test; command unless given"},
       {"--requirements", "FILE",
        "requirements.txt, pyproject.toml or package.json of the project"}},
      "The program gets its words as they are: no shell, no list of what is allowed; the sandbox\n"
      "alone holds it (each other --type has rules of its own). Its output is followed live and "
      "its exit code becomes this command's.\n"
      "Ctrl-C cancels the run; a lost connection does not.\n\n"
      "  paddock run . -- python3 -m mypkg.train --epochs 3\n"
      "  paddock run . --env SEED=1 --memory 16Gi --artifact-dir out -- ./train.sh\n"
      "  paddock run --accelerator nvidia -- nvidia-smi"};
}

CommandRow compute_command_row() {
  return {
      "compute",
      kRunGroup,
      "run a project's command on a node and bring its results back",
      {{"DIR", "the project's folder"},
       {"CMD", "command, as one quoted string or as words after --", true, true}},
      {{"--requirements", "FILE", "requirements.txt in the project, installed first"}},
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
      "build or test a project on a node: gradlew, a bash script or pytest; and bring results back",
      {{"DIR", "the project's folder"},
       {"CMD", "command, as one quoted string or as words after --", true, true}},
      {{"--type", "T", "gradle, script or test"},
       {"--requirements", "FILE", "requirements.txt in the project, for tests; installed first"}},
      "As `paddock compute`, for other commands: a script build is bash and an .sh file of the\n"
      "project; a gradle build is ./gradlew or gradle and its tasks, offline; a test run is "
      "pytest,\n"
      "its options and paths, in a fixed environment, for 30s unless --timeout says more.\n\n"
      "  paddock build . --type script \"bash build.sh release\" --artifact-dir out\n"
      "  paddock build app --type gradle --artifact-dir build/reports -- ./gradlew check\n"
      "  paddock build . --type test --artifact-dir out -- pytest --junitxml=out/report.txt tests"};
}

// `rerun` has those options of `run` that can change what the earlier run was.
CommandRow rerun_row() {
  const std::vector<OptionRow> changes = rerun_option_rows();
  CommandRow row = {
      "rerun",
      kRunGroup,
      "ended runs once more, as they were or with changes",
      {{"NAME", "names of the runs", false, true},
       {"PROGRAM", "another program and its words", false, true, true}},
      {{"-l,--selector", "SELECTOR", "all that have these labels now, e.g. team=a,stage!=test"},
       {"--field-selector", "SELECTOR", "and these fields, e.g. status.phase=Failed"},
       {"--latest-files", "", "with the files that its workspace has now, not those of then"},
       {"--requirements", "FILE", "requirements of the project, in place of what it had"},
       kArtifactDir,
       kPublish,
       kVolume,
       {"--name", "NAME", "name of the new run, where it is one; made up unless given"},
       kNamespace,
       {"--label", "KEY=VALUE", "one more label, or another value; may be repeated", true}},
      "Prints the new names. What may be repeated is added to what a run had, any other option "
      "takes\n"
      "the place of it. Labels come along. One that has not ended, or is refused, does not stop "
      "the\n"
      "others; the exit code is that of the first refusal. Files of then are used while its "
      "workspace\n"
      "has them; after that it is refused, unless --latest-files.\n\n"
      "  paddock rerun train-1 --memory 32Gi --env SEED=2\n"
      "  paddock wait $(paddock rerun -l sweep=a --field-selector status.phase=Failed)\n"
      "  paddock logs -f $(paddock rerun train-1 -- python3 train.py --epochs 5)"};
  row.options.insert(row.options.end(), changes.begin(), changes.end());
  return row;
}

CommandRow execute_row() {
  return {
      "execute",
      kRunGroup,
      "run a short piece of Python at once, in a sandbox of its own",
      {{"FILE.py", "the code, at most 100000 bytes; - reads it from stdin"}},
      {{"--input", "FILE",
        "JSON object that the code finds as `input_data`; - reads it from stdin"},
       {"--timeout", "D", "1s to 60s; 30s unless given; a run may have more"},
       {"--memory", "Q", "64Mi to 512Mi; 256Mi unless given; a run may have more"},
       {"--detach", "", "create a run of type code, which waits its turn, and print its name"},
       {"--name", "NAME", "name of that run; made up unless given"},
       kNamespace,
       kRunLabel,
       kDocumentOutput},
      "No network, no files but a scratch /tmp. The code's own exit code is passed through; 124\n"
      "when its time was up, 126 when it was refused before it ran. Ctrl-C ends it. Nothing of it\n"
      "is kept; a run (--detach) is kept with its code, its input and its log.\n\n"
      "  paddock execute sum.py --input numbers.json\n"
      "  paddock wait $(paddock execute long.py --timeout 10m --detach)"};
}

CommandRow sandbox_run_row() {
  return {
      "sandbox run",
      kRunGroup,
      "run a command here, in a sandbox; needs no instance",
      {{"CMD", "command and its arguments, after --", true, true}},
      {{"--profile", "P", "agent, command, compute, session, snippet or test; test unless given"},
       {"--wall-time,--timeout", "D", "real time until everything is killed"},
       {"--grace", "D", "from SIGTERM to SIGKILL, after the wall time and after Ctrl-C"},
       {"--allow-range", "CIDR", "private addresses that hosts may lead to; may be repeated", true},
       {"--name-server", "ADDRESS", "to ask instead of the system's; may be repeated", true},
       {"--venv", "DIR", "Python environment to run in; read-only inside, at /venv"},
       {"--tool", "T", "program that may be executed, and no other then; may be repeated", true},
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

CommandRow plan_row() {
  CommandRow row = with_run_options(compute_command_row());
  row.path = "plan";
  row.summary = "what `run` or `compute` would do: where and why not, what would be sent";
  row.arguments = {{"DIR", "the project's folder; without it no file is sent", false},
                   {"CMD", "command of `compute`, as one quoted string or as words", false, true},
                   {"PROGRAM", "program of `run`, and its words", false, true, true}};
  row.options.insert(row.options.begin(),
                     {"--type", "T",
                      "command, compute, gradle, script or test; unless given compute for CMD, "
                      "command for PROGRAM"});
  row.options.push_back({"-o,--format", "FORMAT", "table, json or yaml"});
  row.more =
      "Takes what `run` takes, with a program after `--`, and else what `compute` takes; creates\n"
      "nothing. Exits with 0 if the run would be placed at once, with 1 if it would wait.\n\n"
      "  paddock plan . --accelerator nvidia -- python3 train.py\n"
      "  paddock plan . \"python3 train.py\" --requirements requirements.txt";
  return row;
}

}  // namespace

std::vector<CommandRow> run_commands() {
  return {with_run_options(run_row()),
          with_run_options(compute_command_row()),
          with_run_options(build_command_row()),
          plan_row(),
          rerun_row(),
          execute_row(),
          with_policy_options(sandbox_run_row()),
          pytest_row()};
}

}  // namespace paddock::cli
