// A duration, a quantity or a time that is read is written as what reads the same; else the refusal
// has a reason.
#include "common/base/text.h"
#include "common/base/time.h"
#include "common/base/units.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto duration = parse_duration(text);
  if (duration.ok()) {
    const auto again = parse_duration(format_duration(*duration));
    if (!again.ok() || *again != *duration) panic("a duration is not read as it was written");
  } else if (duration.error().reason.empty()) {
    panic("a refusal without a reason");
  }
  const auto bytes = parse_quantity(text);
  if (bytes.ok()) {
    const auto again = parse_quantity(format_quantity(*bytes));
    if (!again.ok() || *again != *bytes) panic("a quantity is not read as it was written");
  } else if (bytes.error().reason.empty()) {
    panic("a refusal without a reason");
  }
  const auto time = parse_time(text);
  if (time && parse_time(format_time(*time, true)) != time)
    panic("a time is not read as it was written");
  return 0;
}
