// What is read as an address, a range or an endpoint is written back as text that reads the same.
#include "common/base/result.h"
#include "node-agent/sandbox/egress/addresses.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock;
  using namespace paddock::sandbox;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto address = parse_ip(text)) {
    if (parse_ip(to_text(*address)) != address) panic("an address is not read as itself");
  }
  if (const auto endpoint = parse_endpoint(text, 53); endpoint.ok()) {
    const auto again = parse_endpoint(to_text(endpoint->address, endpoint->port), 1);
    if (!again.ok() || again->address != endpoint->address || again->port != endpoint->port)
      panic("an endpoint is not read as itself");
    const auto back = from_socket_name(socket_name(*endpoint).storage);
    if (!back || back->address != endpoint->address || back->port != endpoint->port)
      panic("an endpoint changes on its way through the kernel's form");
  }
  if (const auto range = parse_range(text); range.ok()) {
    if (!contains(*range, range->base)) panic("a range misses its own base");
  }
  return 0;
}
