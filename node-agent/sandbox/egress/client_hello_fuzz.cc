// Whatever the bytes: no name but a host name, and more bytes never change a verdict.
#include "common/base/result.h"
#include "common/contracts/domain_rule.h"
#include "node-agent/sandbox/egress/first_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock;
  using State = sandbox::FirstBytes::State;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto read = sandbox::read_client_hello(bytes);
  if (read.state == State::kName && contracts::host_name(read.name) != read.name)
    panic("a server name is not a name");
  if (size == 0) return 0;
  const auto part = sandbox::read_client_hello(bytes.substr(0, size - 1));
  if (part.state != State::kNeedMore && (part.state != read.state || part.name != read.name))
    panic("a verdict changed");
  return 0;
}
