// An export is a file from anywhere.
#include <cstdint>

#include "common/audit_chain/export_lines.h"
#include "common/base/text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock;
  const std::vector<std::string> lines = split({reinterpret_cast<const char*>(data), size}, '\n');
  size_t next = 0;
  (void)audit_chain::verify_export(
      [&]() -> Result<std::optional<std::string>> {
        if (next == lines.size()) return std::optional<std::string>();
        return std::optional(lines[next++]);
      },
      {}, {});
  return 0;
}
