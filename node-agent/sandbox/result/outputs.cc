#include "node-agent/sandbox/result/outputs.h"

#include <algorithm>

namespace paddock::sandbox {

std::optional<MonoTime> Outputs::flush_at() const {
  const auto first = out.flush_at();
  const auto second = err.flush_at();
  if (first && second) return std::min(*first, *second);
  return first ? first : second;
}

std::string Outputs::take_piece(std::string_view& left) {
  std::string_view piece = left.substr(0, OutputStream::kFrameBytes);
  if (piece.size() < left.size()) piece.remove_suffix(unfinished_character(piece));
  left.remove_prefix(piece.size());
  return std::string(piece);
}

void Outputs::describe(contracts::SandboxResult& result) const {
  result.out = out.excerpt();
  result.err = err.excerpt();
  result.truncated = {out.excerpt_truncated(), err.excerpt_truncated()};
  result.usage.stdout_bytes = out.written();
  result.usage.stderr_bytes = err.written();
}

}  // namespace paddock::sandbox
