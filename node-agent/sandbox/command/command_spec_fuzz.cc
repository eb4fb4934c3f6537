// Bytes that are a spec are those of that spec and of no other.
#include "common/base/result.h"
#include "node-agent/sandbox/command/command_spec.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock;
  const auto spec = sandbox::unpack(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!spec) return 0;
  const auto again = sandbox::unpack(sandbox::pack(*spec));
  if (!again || again->command != spec->command || again->env != spec->env ||
      again->workdir != spec->workdir || again->stdin_file != spec->stdin_file ||
      again->scratch_folders != spec->scratch_folders ||
      again->scratch_files != spec->scratch_files || again->rlimits.size() != spec->rlimits.size())
    panic("a spec is not read as it was written");
  return 0;
}
