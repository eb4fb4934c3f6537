#include "cli/grammar/command_rows.h"

namespace paddock::cli {
namespace {

constexpr const char* kPermissions = "Permissions";
const OptionRow kFormat{"-o,--output", "FORMAT", "table, wide, json, yaml or name"};

std::vector<CommandRow> credential_commands() {
  return {
      {"secret create",
       kPermissions,
       "keep values that runs get and nobody reads again",
       {{"NAME", "name of the Secret"}},
       {{"--from-file", "[KEY=]FILE", "value from a file; KEY=- reads stdin; may be repeated",
         true},
        {"--from-literal", "KEY=VALUE", "value as it stands; may be repeated", true},
        {"--from-env-file", "FILE", "file with a KEY=VALUE per line; may be repeated", true},
        {"--replace", "", "put these values in place of those of a Secret that is there"},
        kNamespace},
       "Values are sealed in the store, shown by no command, and taken out of the output of runs.\n"
       "A literal stays in your shell's history; a file or stdin does not.\n\n"
       "  paddock secret create db --from-file password=-\n"
       "  paddock run --secret db/password=PGPASSWORD --allow-domain db.example:5432 -- psql -h "
       "db.example"},
      {"secret rotate-key",
       kPermissions,
       "seal every value with a new key, and forget the old one",
       {},
       {{"--to", "KEY", "this key of the controller's secrets.key, which standbys have by now"}},
       "For an administrator. Runs and Secrets do not change. Where standbys follow it makes a "
       "key,\n"
       "says how to give it to them, and seals with it only when it is named.\n\n"
       "  paddock secret rotate-key"},
      {"token create",
       kPermissions,
       "make a tool token: a credential of one run",
       {{"RUN", "name of the run"}},
       {{"--operation", "OP", "what it is good for; may be repeated", true},
        {"--endpoint", "E",
         "part of the run: run, log, events, artifacts, …; all that the operations have unless "
         "given",
         true},
        {"--ttl", "D", "15m unless given; 24h at most"},
        {"--revoke-on-stream-end", "", "end it when a stream of the run's events ends"},
        kNamespace},
       "The secret is printed once, on standard output, and kept nowhere. Operations: run:read,\n"
       "run:cancel, artifacts:read, project:read, media:generate, tool-results:write,\n"
       "tool-tokens:create.\n\n"
       "  paddock token create my-run --operation run:read --ttl 1h"},
      {"token list",
       kPermissions,
       "show tool tokens, without their secrets",
       {},
       {kNamespace, kFormat},
       "  paddock token list -n team-a"},
      {"token revoke",
       kPermissions,
       "end a tool token, and those that it made",
       {{"NAME", "name of the tool token"}},
       {kNamespace},
       "`token list` shows the names.\n\n"
       "  paddock token revoke my-run-x7k2p"},
      {"admin token create",
       kPermissions,
       "make a token for a person or a program that uses the API",
       {{"SUBJECT", "who it is for, as audit log and grants name it"}},
       {{"--scope", "S", "what it may do; may be repeated", true},
        {"-n,--namespace", "NS", "the only one it is good for; all unless given"},
        {"--ttl", "D", "2160h (90 days) unless given; 87840h at most"}},
       "The secret is printed once, on standard output, and kept nowhere. Scopes: runs:read,\n"
       "runs:write, workspaces:read, workspaces:write, grants:read, grants:write, secrets:read,\n"
       "secrets:write, secrets:use, audit:read, and\n"
       "without a namespace execute (POST /execute alone), nodes:read, nodes:write, metrics:read,\n"
       "admin; * is all of them.\n\n"
       "  paddock admin token create ci -n team-a --scope runs:read --scope runs:write \\\n"
       "      --scope workspaces:read --scope workspaces:write\n"
       "  paddock admin token create prometheus --scope metrics:read --ttl 8760h"},
      {"admin token list",
       kPermissions,
       "show tokens of people and programs, without their secrets",
       {},
       {{"-o,--output", "FORMAT", "table, json or yaml"}},
       "  paddock admin token list"},
      {"admin token revoke",
       kPermissions,
       "end a token of a person or a program",
       {{"ID", "of the token, as `admin token list` shows it"}},
       {},
       "It is refused from the next request on; what it watches ends within a minute.\n\n"
       "  paddock admin token revoke pdk-ktgp4qsnjk"},
  };
}

std::vector<CommandRow> explain_commands() {
  return {
      {"policy explain",
       kPermissions,
       "say where each value of a run's policy comes from, and what it would have denied",
       {{"RUN", "name of the run; or -f or --profile", false}},
       {{"-f,--policy", "FILE", "SandboxPolicy as YAML or JSON; - reads stdin"},
        {"--profile", "P", "that the policy stands on; command unless given"},
        {"--against", "RUN", "judge by it what this run was denied"},
        kNamespace,
        {"-o,--output", "FORMAT", "table, json or yaml"}},
       "For a run, it shows the policy that the run was given. Exits with 126 if a run that\n"
       "asked for it now would be refused. A denial is `allowed`, with the entry that allows\n"
       "it, `denied`, or `unknown` where the node has a say.\n\n"
       "  paddock policy explain train-1\n"
       "  paddock policy explain -f policy.yaml --profile test --against train-1"},
      {"grant explain",
       kPermissions,
       "say whether a grant gives something, and by which rules",
       {{"NAME", "name of the grant"}},
       {{"--surface", "S", "image, video or audio"},
        {"--model", "M", "name of the model that makes it"},
        {"--accelerator", "KIND[=N]", "nvidia, apple or any"},
        {"--cpu", "N", "cores that a run asks for"},
        {"--memory", "Q", "memory that a run asks for, e.g. 8Gi"},
        {"--timeout", "D", "wall time that a run asks for, e.g. 2h"},
        kNamespace},
       "Its exit code is 0 if it does and 126 if it does not.\n\n"
       "  paddock grant explain team-a --surface image --model small\n"
       "  paddock grant explain team-a --accelerator nvidia=2 --timeout 2h"},
  };
}

}  // namespace

std::vector<CommandRow> permission_commands() {
  std::vector<CommandRow> rows = credential_commands();
  const std::vector<CommandRow> more = explain_commands();
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

}  // namespace paddock::cli
