// Where a list goes on is text of clients: a place that reads as itself, or CONTINUE_INVALID.
#include "controller/k8s/table.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock;
  const auto place = k8s::parse_continue_token({reinterpret_cast<const char*>(data), size});
  if (!place.ok()) {
    if (place.error().reason != "CONTINUE_INVALID") panic("a refusal of another kind");
    return 0;
  }
  const auto again = k8s::parse_continue_token(k8s::continue_token(*place));
  if (!again.ok() || again->after != place->after ||
      again->resource_version != place->resource_version)
    panic("a place is not read as it was written");
  return 0;
}
