#include "common/contracts/audit.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::contracts {
namespace {

size_t same_letters(std::string_view a, std::string_view b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

}  // namespace

Status check_audit_type(std::string_view type) {
  std::vector<std::string> types(audit::kTypes.begin(), audit::kTypes.end());
  if (std::ranges::count(types, type) > 0) return {};
  std::ranges::stable_sort(types, std::ranges::greater(),
                           [&](const std::string& each) { return same_letters(type, each); });
  return invalid_argument("PARAMETER_INVALID",
                          cat("no event has the type `", audit_text(type),
                              "`; there are, nearest first: ", join(types, ", ")),
                          "type");
}

std::string audit_text(std::string_view bytes) {
  constexpr std::string_view kMore = "…";
  std::string text = to_utf8_lossy(bytes.substr(0, kAuditText));
  if (text.size() <= kAuditText && bytes.size() <= kAuditText) return text;
  size_t end = std::min(text.size(), kAuditText - kMore.size());
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end).append(kMore);
}

}  // namespace paddock::contracts

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::AuditEvent);
PADDOCK_INSTANTIATE_CODEC(paddock::contracts::AuditList);
