// A header that is taken for one is written as it was read, whatever comes in whatever pieces; and
// a URL's place has nothing in it that ends a name.
#include "common/base/result.h"
#include "common/contracts/tool_gateway.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock::contracts;
  using enum GatewayHeader::State;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const GatewayHeader whole = read_gateway_header(bytes);
  if (whole.state == kRun && gateway_header(whole.run_uid) != bytes.substr(0, kGatewayHeaderBytes))
    paddock::panic("a header is read as another one");
  if (whole.state == kNeedMore && size >= kGatewayHeaderBytes)
    paddock::panic("a whole header is not known");
  for (size_t part = 0; part < size && part < kGatewayHeaderBytes; ++part) {
    const auto state = read_gateway_header(bytes.substr(0, part)).state;
    if (state == kRun || (state != kNeedMore && state != whole.state))
      paddock::panic("a header's beginning is taken for something else");
  }
  const auto place = place_of_url(bytes);
  if (place && (place->host.empty() || place->port < 1 || place->port > 65535 ||
                place->host.find_first_of("/?#@") != std::string::npos))
    paddock::panic("a URL's place is none");
  return 0;
}
