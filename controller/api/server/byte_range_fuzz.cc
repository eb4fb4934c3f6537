// Whatever a client asks for lies within the file, or is answered with all of it or none.
#include "controller/api/server/byte_range.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock;
  const std::string_view header(reinterpret_cast<const char*>(data), size);
  for (const int64_t bytes : {int64_t{0}, int64_t{1}, int64_t{1000}, INT64_MAX}) {
    const auto range = api::parse_byte_range(header, bytes);
    if (!range.ok()) {
      if (range.error().reason != "RANGE_UNSATISFIABLE") panic("a refusal of another kind");
      continue;
    }
    if (!*range) continue;
    if ((*range)->first < 0 || (*range)->first > (*range)->last || (*range)->last >= bytes)
      panic("a range outside the file");
  }
  return 0;
}
