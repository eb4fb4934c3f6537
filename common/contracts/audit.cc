#include "common/contracts/audit.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::contracts {

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
