// Whatever is read is a table, and nothing is read without end.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "common/requirements/toml.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto parsed =
      paddock::requirements::parse_toml({reinterpret_cast<const char*>(data), size});
  if (parsed.ok() && parsed->object() == nullptr) std::abort();
  if (!parsed.ok() && parsed.error().message.empty()) std::abort();
  return 0;
}
