// Whatever name a command chose: one line of bounded, well-formed text without control characters.
#include <algorithm>

#include "common/base/result.h"
#include "common/base/text.h"
#include "node-agent/sandbox/result/denials.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string text = sandbox::printable_name(bytes);
  if (!is_utf8(text)) panic("not well-formed");
  if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; }))
    panic("a control character");
  if (text.find("\xe2\x80\xae") != std::string::npos) panic("the direction of the text changes");
  if (text.size() > 12'100) panic("too long");
  return 0;
}
