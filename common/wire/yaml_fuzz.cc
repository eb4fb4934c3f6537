// Whatever parse_yaml accepts is written and read back as the same value, within its limits.
#include "common/base/result.h"
#include "common/wire/yaml.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = wire::parse_yaml(text);
  if (!parsed) return 0;
  const auto again = wire::parse_yaml(wire::to_yaml(*parsed));
  if (!again || !(*again == *parsed)) panic("YAML is not read back as written");
  return 0;
}
