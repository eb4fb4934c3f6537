// Any bytes as the frames of a client: they are told as messages that are no larger than they may
// be, or the connection is closed. The first byte says in which pieces they come.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "controller/websocket/frames.h"

namespace {

constexpr size_t kMost = 4096;

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const size_t piece = size_t{data[0]} + 1;
  std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  size_t told = 0;
  paddock::websocket::Frames frames(kMost, [&](std::string_view message) {
    require(message.size() <= kMost);
    told += message.size();
  });
  const size_t all = bytes.size();
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    frames.take(bytes.substr(0, piece));
    if (piece % 2 == 0) frames.send("output");
    for (auto out = frames.unsent(); !out.empty(); out = frames.unsent()) frames.sent(out.size());
    require(frames.queued() == 0);
  }
  require(told <= all);
  frames.close(paddock::websocket::CloseCode::kNormal);
  for (auto out = frames.unsent(); !out.empty(); out = frames.unsent()) frames.sent(out.size());
  return 0;
}
