// Frames taken off any bytes lie inside them, and writing them again gives the bytes that were
// taken.
#include "common/contracts/launch.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock;
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  std::string_view rest = all;
  while (true) {
    contracts::Frame frame;
    const size_t before = rest.size();
    const auto taken = contracts::take_frame(rest, frame);
    if (!taken || !*taken) return 0;
    if (rest.size() >= before) panic("a frame of no bytes");
    const std::string_view bytes = all.substr(all.size() - before, before - rest.size());
    const std::string again =
        cat(contracts::frame_header(frame.type, frame.time_ms, frame.payload.size()), frame.payload,
            "\n");
    // Numbers may be written with leading zeros; a frame is never longer than what was read.
    if (again.size() > bytes.size()) panic("a frame grew");
  }
}
