#include "bench/micro/documents.h"

#include <cstdlib>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/wire/describe.h"
#include "common/wire/json.h"

namespace paddock::bench {

std::string golden(const std::string& name) {
  const char* source = std::getenv("PADDOCK_SOURCE_DIR");
  if (source == nullptr) panic("PADDOCK_SOURCE_DIR is not set");
  return os::read_file(cat(source, "/tests/golden/contracts/", name), size_t{1} << 20).value();
}

contracts::Run golden_run() {
  return wire::decode<contracts::Run>(wire::parse_json(golden("Run/full.json")).value()).value();
}

}  // namespace paddock::bench
