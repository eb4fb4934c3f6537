// Whatever the bytes: no Host but a host name, and more bytes never turn a name into another.
#include "common/base/result.h"
#include "common/contracts/domain_rule.h"
#include "node-agent/sandbox/egress/first_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock;
  using State = sandbox::FirstBytes::State;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto read = sandbox::read_http_host(bytes);
  if (read.state == State::kName && contracts::host_name(read.name) != read.name)
    panic("a Host is not a name");
  const auto more =
      sandbox::read_http_host(std::string(bytes) + "\r\n\r\nHost: evil.example\r\n\r\n");
  if (read.state == State::kName && (more.state != State::kName || more.name != read.name))
    panic("a name changed");
  return 0;
}
