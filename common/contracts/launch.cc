#include "common/contracts/launch.h"

namespace paddock::contracts {
namespace {

constexpr size_t kMaxHeaderBytes = 64;
constexpr size_t kMaxPayloadBytes = size_t{256} << 20;

Error bad_frame(std::string_view what) {
  return {Code::kInternal, "SPOOL_CORRUPT", cat("the event stream is damaged: ", what)};
}

}  // namespace

std::optional<LaunchBegun> begun(std::string_view packet) {
  if (!packet.starts_with(kLaunchBegin)) return std::nullopt;
  packet.remove_prefix(kLaunchBegin.size());
  const bool shown = packet.ends_with(kLaunchShown);
  if (shown) packet.remove_suffix(kLaunchShown.size());
  const auto wall_ms = parse_integer<int64_t>(packet);
  if (!wall_ms || *wall_ms < 0) return std::nullopt;
  return LaunchBegun{Millis(*wall_ms), shown};
}

std::string frame_header(FrameType type, int64_t time_ms, size_t payload_bytes) {
  return cat(wire::enum_name(type), " ", time_ms, " ", payload_bytes, "\n");
}

Result<bool> take_frame(std::string_view& bytes, Frame& out) {
  const size_t line_end = bytes.substr(0, kMaxHeaderBytes).find('\n');
  if (line_end == std::string_view::npos) {
    if (bytes.size() >= kMaxHeaderBytes) return bad_frame("a header is too long");
    return false;
  }
  const std::vector<std::string> parts = split(bytes.substr(0, line_end), ' ');
  if (parts.size() != 3) return bad_frame("a header has not three parts");
  const auto type = wire::parse_enum<FrameType>(parts[0]);
  const auto time_ms = parse_integer<int64_t>(parts[1]);
  const auto size = parse_integer<size_t>(parts[2]);
  if (!type || !time_ms || !size || *size > kMaxPayloadBytes)
    return bad_frame("a header cannot be read");
  const size_t start = line_end + 1;
  if (bytes.size() < start + *size + 1) return false;
  if (bytes[start + *size] != '\n') return bad_frame("a frame does not end where it should");
  out = {*type, *time_ms, bytes.substr(start, *size)};
  bytes.remove_prefix(start + *size + 1);
  return true;
}

}  // namespace paddock::contracts

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::LaunchRequest);
PADDOCK_INSTANTIATE_CODEC(paddock::contracts::Capability);
