#include "controller/admission/array_rules.h"

#include <array>

#include "common/base/text.h"

namespace paddock::admission {
namespace {

struct Unsuited {
  const char* field;
  bool given;
  const char* why;
};

// No node connects members: agents make connections to their controller alone, and no sandbox has
// a route out of itself.
void check_member_ports(const contracts::RunSpec& spec, Refusals& out) {
  if (spec.member_ports.empty()) return;
  if (!contracts::is_gang(spec))
    return out.add("GANG_NOT_SUPPORTED", "spec.memberPorts",
                   "only members of a gang have ports for each other: give spec.nodes too");
  out.add("GANG_NETWORK_UNAVAILABLE", "spec.memberPorts",
          "no node of any system connects the members of a gang: leave it out. They can exchange "
          "data by way of a host that sandbox.network.allowDomains names, where the operator "
          "allows a network, or run as processes of one run on one node");
}

}  // namespace

void check_array(const contracts::RunSpec& spec, Refusals& out) {
  check_member_ports(spec, out);
  if (!contracts::is_array(spec)) return;
  const bool gang = contracts::is_gang(spec);
  if (gang && spec.array)
    out.add("GANG_NOT_SUPPORTED", "spec.nodes",
            "not in an array: its elements are placed one by one; create one gang for each");
  const std::array unsuited = {
      Unsuited{"spec.type", spec.type == contracts::RunType::kAgent,
               "an agent run is talked to while it runs, and nobody could say which of them is "
               "meant; create the agent runs one by one"},
      Unsuited{"spec.publish", !spec.publish.empty(),
               "each of them would publish a version of its own, and older ones are dropped; let "
               "a run that follows publish"},
      Unsuited{"spec.toolToken", spec.tool_token.has_value(),
               "a tool token is given to one run; create the runs that need one by themselves"},
      Unsuited{"spec.toolBundle", spec.tool_bundle.has_value(), "only agent runs have one"}};
  for (const Unsuited& each : unsuited) {
    if (!each.given) continue;
    if (gang) {
      out.add("GANG_NOT_SUPPORTED", each.field, cat("not in a gang: ", each.why));
    } else {
      out.add("ARRAY_NOT_SUPPORTED", each.field, cat("not in an array: ", each.why));
    }
  }
}

}  // namespace paddock::admission
