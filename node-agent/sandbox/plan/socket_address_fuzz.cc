// The bytes of a socket address in the memory of a hostile program: whatever they are, what goes on
// without a network is local.
#include "common/base/result.h"
#include "node-agent/sandbox/plan/network.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock;
  using namespace paddock::sandbox;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const NetworkCall call :
       {NetworkCall::kConnect, NetworkCall::kBind, NetworkCall::kListen, NetworkCall::kSend}) {
    const auto address = read_socket_address(bytes, call);
    if (!address) continue;
    if (stays_inside(call, *address, {}) != address->local)
      panic("without a network an address leads outside");
    if (stays_inside(call, *address, {.broker = true, .ports = {}, .loopback = true}) &&
        !address->local && !address->loopback)
      panic("an address leads past the broker and loopback");
    const contracts::Denial denial = network_denial(call, *address, {}, "x");
    if (denial.what.empty() || denial.target.find('\n') != std::string::npos)
      panic("a denial is not one line of text");
  }
  return 0;
}
