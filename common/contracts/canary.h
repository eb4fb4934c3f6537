// Canaries: forbidden things tried inside a real sandbox of a host, each with what it came to.
// `paddock-sandbox probe` prints a SandboxProof; `paddock doctor` shows it, the agent publishes it
// on its Node, and the scheduler keeps runs away from nodes on which a canary that they need
// failed.
#pragma once

#include <string>
#include <vector>

#include "common/contracts/launch.h"

namespace paddock::contracts {

struct Canary {
  std::string name;
  std::string capability;  // what it proves: an entry of a result's `enforced`
  std::string attempt;
  std::string expected;
  std::string got;
  bool passed = false;
  EnforcementLevel level = EnforcementLevel::kNone;  // none unless it passed
  std::string remedy;                                // one line to run or to configure
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("name", &Canary::name, "which canary", {.required = true, .max_length = 64}),
        field("capability", &Canary::capability, "what it proves: an entry of `enforced`",
              {.required = true, .max_length = 64}),
        field("attempt", &Canary::attempt, "what was tried inside", {.max_length = 256}),
        field("expected", &Canary::expected, "what the kernel should answer", {.max_length = 256}),
        field("got", &Canary::got, "what it answered", {.max_length = 1024}),
        field("passed", &Canary::passed, "whether the attempt was stopped"),
        field("level", &Canary::level, "kernel, broker, polled, advisory or none"),
        field("remedy", &Canary::remedy, "the line that would fix or strengthen this host",
              {.omit_empty = true, .max_length = 1024}));
  }
};

struct SandboxProof {
  std::vector<Capability> capabilities;
  std::vector<Canary> canaries;
  static constexpr auto describe(auto&& visit) {
    return visit(field("capabilities", &SandboxProof::capabilities,
                       "what the sandbox can enforce here", {.max_length = 64}),
                 field("canaries", &SandboxProof::canaries, "what was tried to prove it",
                       {.max_length = 256}));
  }
};

// Without these no run is safe, and no allowPartial covers them.
bool is_isolation(std::string_view capability);

}  // namespace paddock::contracts

PADDOCK_EXTERN_CODEC(paddock::contracts::Canary);
PADDOCK_EXTERN_CODEC(paddock::contracts::SandboxProof);
