// Any document decodes to each of the types that cross a process, or is refused with its causes;
// what was decoded encodes to what decodes to the same again.
#include "common/contracts/grant.h"
#include "common/contracts/node.h"
#include "common/contracts/sandbox_result.h"
#include "common/contracts/secret.h"
#include "common/contracts/sync.h"
#include "common/contracts/tool_token.h"
#include "common/contracts/workspace.h"
#include "common/wire/json.h"

namespace {

using namespace paddock;

template <class T>
void check(const wire::Value& value) {
  const auto object = wire::decode<T>(value);
  if (!object) {
    if (object.error().causes.empty()) panic("a refusal without a cause");
    return;
  }
  const wire::Value encoded = wire::encode(*object);
  const auto again = wire::decode<T>(encoded);
  if (!again || !(wire::encode(*again) == encoded)) panic("not decoded as it was encoded");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto value = wire::parse_json({reinterpret_cast<const char*>(data), size});
  if (!value) return 0;
  check<contracts::Grant>(*value);
  check<contracts::Node>(*value);
  check<contracts::SandboxResult>(*value);
  check<contracts::SyncRequest>(*value);
  check<contracts::SyncAnswer>(*value);
  check<contracts::Secret>(*value);
  check<contracts::ToolToken>(*value);
  check<contracts::Workspace>(*value);
  return 0;
}
