// Whatever parse_json accepts is written and read back as the same value, within its limits.
#include "common/base/result.h"
#include "common/wire/json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = wire::parse_json(text);
  if (!parsed) return 0;
  for (const std::string& written : {wire::to_json(*parsed), wire::to_pretty_json(*parsed)}) {
    const auto again = wire::parse_json(written);
    if (!again || !(*again == *parsed)) panic("JSON is not read back as written");
  }
  return 0;
}
