#include "cli/grammar/command_table.h"

#include <algorithm>
#include <iterator>

#include "cli/grammar/command_rows.h"
#include "common/base/text.h"

namespace paddock::cli {
namespace {

constexpr const char* kInstanceGroup = "An instance on this host";
constexpr const char* kLookGroup = "Follow runs";
constexpr const char* kNodeGroup = "Nodes";
constexpr const char* kToolGroup = "Tools";

const OptionRow kRunSelector{"-l,--selector", "SELECTOR",
                             "all that have these labels now, e.g. team=a,stage!=test"};
const OptionRow kDocumentFormat{"-o,--output", "FORMAT", "table, json or yaml"};

std::vector<CommandRow> instance_commands() {
  return {
      {"up",
       kInstanceGroup,
       "start a controller and a node agent on this host",
       {},
       {{"--port", "N", "port on 127.0.0.1; the last one again, or a free one, unless given"},
        {"--data-dir", "DIR", "where the instance keeps its data; remembered for later"},
        {"--packages", "SET", "public: PyPI and npmjs.org; none: requirements are refused"},
        {"--python-index", "URL", "package index for requirements.txt, such as a mirror's /simple"},
        {"--npm-registry", "URL", "registry for package.json"},
        {"--wheel-dir", "DIR", "folder of Python wheels, beside or instead of an index"},
        {"--packages-ca", "FILE", "CA certificate of an index that is not publicly trusted (PEM)"},
        {"--network", "", "runs may ask for hosts to reach (--allow-domain)"},
        {"--no-network", "", "they may not, as at first"},
        {"--timeout", "D", "how long to wait until it is ready; 2m unless given"}},
       "Starting an instance that is up already is fine: it says so.\n"
       "Sources of packages are remembered from one start to the next, an empty value takes one\n"
       "back; and so is --network, until --no-network. What changes of them restarts the node\n"
       "agent, and the controller too for a network; runs go on meanwhile. With --network a run\n"
       "has still none unless it asks.\n\n"
       "  paddock up\n  paddock up --packages public --network\n  paddock up --instance lab --port "
       "7443"},
      {"down",
       kInstanceGroup,
       "cancel what runs and stop the instance",
       {},
       {{"--timeout", "D", "how long programs may take to end; 20s unless given"}},
       "Leaves nothing running. Runs that have not ended are canceled first, by name; where the\n"
       "controller does not answer within --timeout they end with their node agent.\n\n"
       "  paddock down"},
      {"status",
       kInstanceGroup,
       "what is up, and what it is doing",
       {},
       {kDocumentFormat},
       "  paddock status"},
      {"ready",
       kInstanceGroup,
       "exit code 0 if the instance can take work, else 1",
       {},
       {{"--json", "", "what GET /readyz says: {ok, ready, version}"}},
       "  paddock ready && echo yes"},
      {"doctor",
       kInstanceGroup,
       "what this host can enforce, and what would help",
       {},
       {kDocumentFormat,
        {"--controller-config", "FILE",
         "also try all that the controller with this configuration needs: folders, TLS, ports, "
         "database, bucket; on its host, as its user"}},
       "Tries each protection of the sandbox for real; needs no instance.\n\n"
       "  paddock doctor"},
  };
}

std::vector<CommandRow> look_commands() {
  const ArgumentRow name{"NAME", "name of the run"};
  const ArgumentRow names{"NAME", "names of the runs", false, true};
  return {
      {"logs",
       kLookGroup,
       "the output of runs",
       {names},
       {{"-f,--follow", "", "go on until the run has ended"},
        {"--tail", "N", "only the last N lines"},
        {"--since", "D", "only what was written in the last D, e.g. 10m"},
        {"--timestamps", "", "the time before each line"},
        kRunSelector,
        kNamespace},
       "Ctrl-C only stops watching; the run goes on. With several runs: one after another, each "
       "below its\n"
       "name; --follow takes one.\n\n"
       "  paddock logs train-1 --follow\n  paddock logs -l sweep=a --tail 1"},
      {"events",
       kLookGroup,
       "phases, output and end of a run, as they happen",
       {name},
       {kNamespace, kDocumentFormat},
       "Follows until the run has ended. With -o json: an object per line.\n\n"
       "  paddock events train-1 -o json"},
      {"wait",
       kLookGroup,
       "wait for the end of runs; exits with the run's own code",
       {names},
       {{"--timeout", "D", "give up after this long, with exit code 124"},
        kRunSelector,
        kNamespace},
       "With several runs: returns once all have ended, with the first code that is not 0.\n\n"
       "  paddock wait train-1 train-2\n  paddock wait -l sweep=a --timeout 2h"},
      {"cancel",
       kLookGroup,
       "cancel runs",
       {names},
       {{"--now", "", "kill it at once, also when it is being ended already"},
        kRunSelector,
        kNamespace},
       "Its processes get SIGTERM, and SIGKILL after the run's grace (spec.terminationGrace; 2 s\n"
       "unless given). What they save until then comes back as its artifacts.\n\n"
       "  paddock cancel train-1\n  paddock cancel -l sweep=a"},
      {"signal",
       kLookGroup,
       "give the command of a run a signal",
       {name, {"SIGNAL", "HUP, INT, TERM, USR1, USR2, WINCH or CONT"}},
       {kNamespace},
       "The process that the run was started with gets it, and no other. It is for programs that\n"
       "handle it, such as one that saves its state at USR1: any other ends by it. To end a run:\n"
       "`paddock cancel`.\n\n"
       "  paddock signal train-1 USR1"},
  };
}

std::vector<CommandRow> result_commands() {
  const ArgumentRow name{"NAME", "name of the run"};
  const ArgumentRow names{"NAME", "names of the runs", false, true};
  return {
      {"artifacts",
       kLookGroup,
       "fetch the artifacts of runs, or list them",
       {names},
       {{"--output", "DIR", "write them here; without it they are listed"},
        {"-f,--follow", "", "go on until the run has ended, with each file as it is finished"},
        kRunSelector,
        kNamespace,
        {"-v,--verbose", "", "with --output: each file's size and SHA-256 beside its name"}},
       "While the run lives these are the files that it has finished; one that it writes again "
       "comes\n"
       "again. Ctrl-C only stops watching; the run goes on. Those of several runs are written "
       "to\n"
       "DIR/NAME, for each name.\n\n"
       "  paddock artifacts train-1 --follow --output checkpoints\n"
       "  paddock artifacts -l sweep=a --output results"},
      {"exec",
       kLookGroup,
       "run a command in the sandbox of a run while it runs",
       {name, {"CMD", "the command and its words, behind --", true, true}},
       {{"-i,--stdin", "", "it reads what comes through standard input"},
        {"-t,--tty", "", "it has a terminal, of the size of this one; with -i it has your keys"},
        {"--timeout", "D",
         "the most that it may take: 1m, or 1h where input goes on; 1h at most; with -t 24h"},
        {"--id", "ID", "name of this command: what it was refused has it in the run's result"},
        kNamespace,
        {"-o,--output", "FORMAT", "json or yaml: the whole answer"}},
       "It has the run's files, environment, limits and rules, no shell of its own, and no input\n"
       "without -i. The output is shown as it comes, and the command's exit code is passed "
       "through. Ctrl-C\n"
       "ends the command, and so does a lost connection or the end of the run; the run goes on. At "
       "a terminal\n"
       "of its own (-it) the command has Ctrl-C and every other key.\n\n"
       "  paddock exec -it train-1 -- bash\n"
       "  paddock exec train-1 -- tail -n 3 log\n"
       "  tar c . | paddock exec -i train-1 -- tar x\n"
       "  paddock exec train-1 -- sh -c 'tail -n 3 out/*.log; df -h /tmp'"},
      {"files",
       kLookGroup,
       "list the files of a run while it runs",
       {{"PLACE", "RUN or RUN:PATH, a folder of its workspace"}},
       {kNamespace},
       "Once it has ended, its files are its artifacts.\n\n"
       "  paddock files train-1\n  paddock files train-1:out/checkpoints"},
      {"cp",
       kLookGroup,
       "copy a file out of a run, or into it, while it runs",
       {{"FROM", "RUN:PATH, a file of its workspace; or a file here"},
        {"TO", "a file or folder here; or RUN:PATH"}},
       {{"-r,--recursive", "", "a folder out of the run, with all below it"}, kNamespace},
       "The file appears once it is whole; one that the run goes on writing to is tried three "
       "times.\n"
       "No link is followed in the run. Into a run goes one file of at most 8 MiB, which replaces "
       "a\n"
       "file that is there; RUN: and RUN:FOLDER/ keep its name. A file here with a colon in its "
       "name\n"
       "is written ./NAME.\n\n"
       "  paddock cp train-1:out/model.ckpt .\n  paddock cp train-1:metrics.csv /tmp/m.csv\n"
       "  paddock cp -r train-1:out .\n  paddock cp settings.json train-1:config/"},
  };
}

std::vector<CommandRow> receipt_commands() {
  return {
      {"receipt",
       kLookGroup,
       "what became of a run that ended, signed by the controller",
       {{"NAME", "name of the run"}},
       {kNamespace},
       "Prints an envelope (DSSE, with an in-toto statement) that `paddock verify` checks, also\n"
       "where no controller is: inputs and outputs by SHA-256, the policy, what was enforced and\n"
       "denied, the node and the attempt.\n\n"
       "  paddock receipt train-1 > train-1.receipt"},
      {"receipt-keys",
       kLookGroup,
       "the public keys that receipts are verified by",
       {},
       {{"--rotate", "", "first make a new key, which signs from now on (scope admin)"},
        {"--to", "KEY",
         "with --rotate: this key of the controller's receipt-keys.pem, which standbys have by "
         "now"}},
       "The key that signs now and the former ones, as PEM. Where standbys follow, --rotate makes\n"
       "a key, says how to give it to them, and signs with it only when it is named.\n\n"
       "  paddock receipt-keys > controller.keys"},
      {"verify",
       kLookGroup,
       "check a receipt against the controller's public keys",
       {{"FILE", "the receipt"}},
       {{"--keys", "FILE", "what `paddock receipt-keys` printed"},
        {"--artifacts", "DIR", "also check that these are the files that the run brought back"}},
       "Needs no instance and no network. Exits with 1 if anything in the receipt, or a file, is\n"
       "not as it was signed, with 2 if FILE holds no receipt, or --keys or --artifacts are not\n"
       "there or not what they should be, and with 127 if there is no FILE.\n\n"
       "  paddock verify train-1.receipt --keys controller.keys --artifacts results"},
  };
}

std::vector<CommandRow> node_commands() {
  const ArgumentRow node{"NODE", "name of the node"};
  return {
      {"top",
       kNodeGroup,
       "what nodes or runs use right now, beside what was asked for",
       {{"WHAT", "nodes, with the runs that wait by namespace; or runs. nodes unless given",
         false}},
       {{"-n,--namespace", "NS", "with runs: those of one namespace; all unless given"}},
       "Used: as agents measured it some seconds ago, devices up to half a minute ago; `-` is not\n"
       "measured. Memory is without cached files that the kernel can take back. Asked: what\n"
       "placed runs asked for (spec.resources), of what the node has. `kubectl top nodes` and\n"
       "`kubectl top pods` show the same.\n\n"
       "  paddock top\n  paddock top runs -n team-a"},
      {"cordon", kNodeGroup, "give a node nothing new", {node}, {}, "  paddock cordon node-1"},
      {"uncordon",
       kNodeGroup,
       "let a node take runs again; ends a drain",
       {node},
       {},
       "  paddock uncordon node-1"},
      {"drain",
       kNodeGroup,
       "empty a node: nothing new, and what still runs after the grace is ended",
       {node},
       {{"--grace", "D", "how long runs and sessions may go on; 5m unless given, 0s is now"},
        {"--timeout", "D", "stop watching after this long, with exit code 124"},
        {"--detach", "", "do not watch"},
        kDocumentFormat},
       "Says what it waits for until the node is empty. Runs that may be tried again (spec.retry)\n"
       "are placed elsewhere. Ctrl-C stops watching; the drain goes on.\n\n"
       "  paddock drain node-1 --grace 30s"},
      {"taint",
       kNodeGroup,
       "keep runs away that do not tolerate a mark",
       {node, {"TAINT", "KEY[=VALUE][:NoSchedule], or KEY- to remove it", true, true}},
       {},
       "  paddock taint node-1 accelerator=reserved:NoSchedule\n  paddock taint node-1 "
       "accelerator-"},
  };
}

std::vector<CommandRow> tool_commands() {
  return {
      {"admin backup",
       kToolGroup,
       "copy the controller's store and files while they are in use",
       {{"NAME", "name of the backup; made up unless given", false}},
       {},
       "The copy is backups/NAME.db in the controller's data folder; backups/NAME.blobs are the "
       "files that\n"
       "it names. With the controller stopped, `paddock-controller --data-dir FOLDER "
       "--restore FILE.db` (or with --config) puts both back and\n"
       "names each file that is missing or damaged.\n\n"
       "  paddock admin backup monday"},
      {"audit",
       kToolGroup,
       "what happened, who did it, and what was refused",
       {},
       {{"-n,--namespace", "NS", "of this namespace only"},
        {"--type", "TYPE", "events of this type only, e.g. capability.denied"},
        {"--subject", "WHO", "what this caller did, e.g. admin or node:NAME"},
        {"--session", "UID", "of one run or session, by its metadata.uid"},
        {"--since", "D", "not older than this, e.g. 24h"},
        {"--after", "ID", "go on behind this event"},
        {"--limit", "N", "at most this many; 500 unless given"},
        kDocumentFormat},
       "Shows the newest events, oldest first. With -o json: an event per line, to be kept\n"
       "elsewhere; the last line's id is the next --after. `audit verify` finds out whether the "
       "log\n"
       "was changed since.\n\n"
       "  paddock audit --type capability.denied --since 24h"},
      {"audit verify",
       kToolGroup,
       "find out whether the audit log was changed since it was written",
       {{"FILE", "what `audit export` printed; the controller's own log unless given", false}},
       {{"--checkpoint", "FILE",
         "what `audit checkpoint` printed earlier: nothing before it may differ"},
        {"--keys", "FILE", "public keys, as `paddock receipt-keys` prints them; of a FILE always"}},
       "Exits with 1 and the number of the first record that is not as it was written, with 2 if\n"
       "FILE is no export, and with 127 if there is no FILE. Without a\n"
       "checkpoint kept elsewhere, a log that was written anew as a whole looks like any other.\n"
       "With FILE it needs no controller and no network.\n\n"
       "  paddock audit verify --checkpoint monday.checkpoint\n"
       "  paddock audit verify audit.export --keys controller.keys"},
      {"audit export",
       kToolGroup,
       "print the audit log with what it is verified by",
       {},
       {},
       "A line of JSON for each record, all that are kept; the last line is a checkpoint.\n\n"
       "  paddock audit export > audit.export"},
      {"audit checkpoint",
       kToolGroup,
       "print a signed statement of the audit log's newest record",
       {},
       {},
       "Kept where the controller cannot reach it, it shows later whether anything before it was\n"
       "changed or taken out.\n\n"
       "  paddock audit checkpoint > monday.checkpoint"},
      {"mcp",
       kToolGroup,
       "serve an agent over the Model Context Protocol, on stdin and stdout",
       {},
       {kNamespace, {"--root", "DIR", "folders below it may be uploaded; this one unless given"}},
       "Sixteen tools: sandboxes (create, run commands, read and write files, list, destroy);\n"
       "workspaces of files that are sent; runs (start, wait for, read, fetch from, cancel,\n"
       "list); plan; nodes; execute.\n"
       "An agent's configuration names this command, e.g.\n\n"
       "  {\"mcpServers\": {\"paddock\": {\"command\": \"paddock\", \"args\": [\"mcp\"]}}}"},
      {"kubeconfig",
       kToolGroup,
       "print a configuration for kubectl",
       {},
       {kNamespace,
        {"--output-file", "FILE", "write it there, for its owner alone to read; it holds a token"}},
       "  kubectl --kubeconfig <(paddock kubeconfig) get runs\n"
       "  paddock kubeconfig --output-file config && KUBECONFIG=config kubectl get runs"},
      {"completion",
       kToolGroup,
       "print a completion script",
       {{"SHELL", "bash, zsh or fish"}},
       {},
       "  source <(paddock completion bash)"},
      {"version", kToolGroup, "print the version", {}, {kDocumentFormat}, "  paddock version"},
  };
}

// Moved and not copied: every call of the program makes this table.
std::vector<CommandRow> make_table() {
  std::vector<CommandRow> table = instance_commands();
  for (const auto make :
       {run_commands, object_commands, look_commands, result_commands, receipt_commands,
        node_commands, membership_commands, session_commands, permission_commands, tool_commands}) {
    std::ranges::move(make(), std::back_inserter(table));
  }
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
      {"--server", "URL", "controller elsewhere, or several by commas; also PADDOCK_SERVER"},
      {"--token-file", "FILE",
       "file with the caller's token; or the token in PADDOCK_TOKEN (else the instance's "
       "operator)"},
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

}  // namespace paddock::cli
