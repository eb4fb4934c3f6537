#include "cli/core/command_rows.h"

namespace paddock::cli {
namespace {

constexpr const char* kGroup = "Permissions";
const OptionRow kFormat{"-o,--output", "FORMAT", "table, wide, json, yaml or name"};

}  // namespace

std::vector<CommandRow> permission_commands() {
  return {
      {"token create",
       kGroup,
       "make a tool token: a credential of one run",
       {{"RUN", "name of the run"}},
       {{"--operation", "OP", "what it is good for; may be repeated", true},
        {"--endpoint", "E", "of the run; all that the operations have unless given", true},
        {"--ttl", "D", "15m unless given; 24h at most"},
        {"--revoke-on-stream-end", "", "end it when a stream of the run's events ends"},
        kNamespace},
       "The secret is printed once, on standard output, and kept nowhere. Operations: run:read,\n"
       "run:cancel, artifacts:read, media:generate, tool-results:write, tool-tokens:create.\n\n"
       "  paddock token create my-run --operation run:read --ttl 1h"},
      {"token list",
       kGroup,
       "show tool tokens, without their secrets",
       {},
       {kNamespace, kFormat},
       ""},
      {"token revoke",
       kGroup,
       "end a tool token, and those that it made",
       {{"NAME", "name of the tool token"}},
       {kNamespace},
       ""},
      {"grant explain",
       kGroup,
       "say whether a grant gives something, and by which rules",
       {{"NAME", "name of the grant"}},
       {{"--surface", "S", "image, video or audio"},
        {"--model", "M", "of the media"},
        {"--accelerator", "KIND[=N]", "nvidia, apple or any"},
        {"--cpu", "N", "cores"},
        {"--memory", "Q", "bytes, e.g. 8Gi"},
        {"--timeout", "D", "wall time"},
        kNamespace},
       "Its exit code is 0 if it does and 126 if it does not.\n\n"
       "  paddock grant explain team-a --surface image --model small\n"
       "  paddock grant explain team-a --accelerator nvidia=2 --timeout 2h"},
  };
}

}  // namespace paddock::cli
