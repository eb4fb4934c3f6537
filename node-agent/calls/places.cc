#include "node-agent/calls/places.h"

#include "common/contracts/calls.h"
#include "common/contracts/run_exec.h"

namespace paddock::agent {

int64_t& UnderWay::of(std::string_view kind) {
  if (kind == contracts::kSnippetCall) return snippets;
  if (kind == contracts::kRunAttach) return attached;
  if (kind == contracts::kRunInput) return inputs;
  return others;
}

bool takes_place(std::string_view kind) {
  return kind != contracts::kSnippetCall && kind != contracts::kRunAttach &&
         kind != contracts::kRunInput;
}

bool takes_snippets(const UnderWay& under_way, const Places& places) {
  return under_way.snippets < places.snippets;
}

bool has_place(const UnderWay& under_way, const Places& places, bool with_snippets) {
  return (with_snippets && takes_snippets(under_way, places)) ||
         under_way.others - under_way.waiting < places.others;
}

bool takes_calls(const UnderWay& under_way, const Places& places, bool with_snippets) {
  return under_way.attached > 0 || has_place(under_way, places, with_snippets);
}

}  // namespace paddock::agent
