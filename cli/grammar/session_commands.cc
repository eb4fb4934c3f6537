#include "cli/grammar/command_rows.h"

namespace paddock::cli {
namespace {

constexpr const char* kSessions = "Sandbox sessions";

const ArgumentRow kName{"NAME", "name of the session"};
const OptionRow kDocument{"-o,--output", "FORMAT", "json or yaml: the whole answer"};

CommandRow create_session_row() {
  return {
      "sandbox create",
      kSessions,
      "make a session: files of its own and a policy that never changes",
      {{"NAME", "name of the session; made up unless given", false}},
      {{"--security", "FILE", "SecurityOptions as YAML or JSON; - reads them from stdin"},
       {"--timeout", "D", "real time of one command; 10s unless given"},
       {"--memory", "Q", "memory of one command; 256Mi unless given"},
       {"--fs-bytes", "Q", "bytes of all its files; 256Mi unless given"},
       {"--tool", "T", "program that may be executed, in place of the usual ones; may be repeated",
        true},
       {"--allow-domain", "HOST", "host that may be reached; may be repeated", true},
       {"--mount", "SRC:DST:ro|rw", "folder of the node that is visible; may be repeated", true},
       {"--idle-timeout", "D", "it ends when it was not used for so long; 15m unless given"},
       {"--lifetime", "D", "and after this at the latest; 8h unless given"},
       {"--grace", "D",
        "from SIGTERM to SIGKILL when a command's time is up or it is canceled; none unless given"},
       {"--name", "NAME", "the same as NAME"},
       kNamespace,
       kDocument},
      "Prints the session's name. What is not given is denied: no network, no folders of the\n"
      "node, and no programs but core tools and python3.\n\n"
      "  paddock sandbox create work --timeout 30s\n"
      "  paddock sandbox exec work 'echo hi > notes.txt'"};
}

CommandRow exec_row() {
  return {"sandbox exec",
          kSessions,
          "run a command in a session",
          {kName,
           {"CMD", "text for the shell inside, or a command and its words after --", true, true}},
          {{"--id", "ID", "name of this command, to cancel it by"}, kNamespace, kDocument},
          "It has no standard input: `sandbox files --put -` makes a file of what is piped.\n"
          "All output is shown as it comes, and the command's exit code is passed through. With\n"
          "-o json it comes at the end, as much as the session's limits keep. Ctrl-C ends the\n"
          "command, and so does a lost connection; the session stays.\n\n"
          "  paddock sandbox exec work 'sort notes.txt | uniq -c'\n"
          "  paddock sandbox exec work -- python3 -c 'print(1)'"};
}

CommandRow cancel_row() {
  return {"sandbox cancel",
          kSessions,
          "end a command that runs in a session",
          {kName, {"ID", "of the command, as given with --id"}},
          {kNamespace},
          "  paddock sandbox cancel work build-1"};
}

CommandRow list_row() {
  return {"sandbox list",
          kSessions,
          "the sessions of a namespace",
          {},
          {kNamespace, {"-o,--output", "FORMAT", "table, wide, json, yaml or name"}},
          "The same as `paddock get sandboxes`.\n\n"
          "  paddock sandbox list -o wide"};
}

CommandRow files_row() {
  return {"sandbox files",
          kSessions,
          "list, read, write or remove a session's files",
          {kName, {"PATH", "in the session's workspace; all of it unless given", false}},
          {{"--put", "FILE", "write this file there; - reads stdin"},
           {"--mkdir", "", "make a folder there"},
           {"--rm", "", "remove what is there"},
           kNamespace},
          "Without an option a file is written to stdout, and a folder is listed.\n\n"
          "  paddock sandbox files work\n"
          "  paddock sandbox files work data/in.csv --put in.csv\n"
          "  paddock sandbox files work result.txt > result.txt"};
}

CommandRow destroy_row() {
  return {
      "sandbox destroy",
      kSessions,
      "end sessions: what runs in them is killed, their files are gone",
      {{"NAME", "names of the sessions", false, true}},
      {{"-l,--selector", "SELECTOR", "all that have these labels now, e.g. team=a"}, kNamespace},
      "One that is not there does not stop the others.\n\n"
      "  paddock sandbox destroy work\n  paddock sandbox destroy a b c"};
}

}  // namespace

std::vector<CommandRow> session_commands() {
  return {create_session_row(), exec_row(), cancel_row(), list_row(), files_row(), destroy_row()};
}

}  // namespace paddock::cli
