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

}  // namespace

void check_array(const contracts::RunSpec& spec, Refusals& out) {
  if (!contracts::is_array(spec)) return;
  const std::array unsuited = {
      Unsuited{"spec.type", spec.type == contracts::RunType::kAgent,
               "an agent run is talked to while it runs, and nobody could say which element is "
               "meant; create the agent runs one by one"},
      Unsuited{"spec.publish", !spec.publish.empty(),
               "each element would publish a version of its own, and older ones are dropped; let "
               "a run that follows the array publish"},
      Unsuited{"spec.toolToken", spec.tool_token.has_value(),
               "a tool token is given to one run; create the runs that need one by themselves"},
      Unsuited{"spec.toolBundle", spec.tool_bundle.has_value(), "only agent runs have one"}};
  for (const Unsuited& each : unsuited) {
    if (each.given) out.add("ARRAY_NOT_SUPPORTED", each.field, cat("not in an array: ", each.why));
  }
}

}  // namespace paddock::admission
