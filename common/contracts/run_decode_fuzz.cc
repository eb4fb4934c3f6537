// Any document decodes to a Run or to an error with causes; a Run encodes to what decodes again.
#include "common/contracts/run.h"
#include "common/wire/json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock;
  const auto value = wire::parse_json({reinterpret_cast<const char*>(data), size});
  if (!value) return 0;
  const auto run = wire::decode<contracts::Run>(*value);
  if (!run) {
    if (run.error().causes.empty()) panic("a refusal without a cause");
    return 0;
  }
  const wire::Value encoded = wire::encode(*run);
  const auto again = wire::decode<contracts::Run>(encoded);
  if (!again || !(wire::encode(*again) == encoded)) panic("a run is not decoded as it was encoded");
  return 0;
}
