#include "node-agent/sandbox/result/denials.h"

#include <charconv>
#include <utility>

#include "common/base/text.h"
#include "common/contracts/denial_rule.h"

namespace paddock::sandbox {
namespace {

constexpr size_t kMostDenialBytes = 1000;
constexpr size_t kMostKinds = 32;

bool count_again(std::vector<contracts::Denial>& known, const contracts::Denial& denial,
                 bool kind_only) {
  for (contracts::Denial& one : known) {
    if (one.what != denial.what || one.command_id != denial.command_id) continue;
    if (!kind_only && (one.target != denial.target || one.executable != denial.executable ||
                       one.rule != denial.rule))
      continue;
    one.count += denial.count;
    return true;
  }
  return false;
}

// The code point at the start of well-formed UTF-8, and its length.
std::pair<uint32_t, size_t> first_code_point(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(text[i])); };
  if (byte(0) < 0x80) return {byte(0), 1};
  if (byte(0) < 0xe0) return {(byte(0) & 0x1f) << 6 | (byte(1) & 0x3f), 2};
  if (byte(0) < 0xf0) {
    return {(byte(0) & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f), 3};
  }
  return {
      (byte(0) & 0x07) << 18 | (byte(1) & 0x3f) << 12 | (byte(2) & 0x3f) << 6 | (byte(3) & 0x3f),
      4};
}

bool changes_how_text_looks(uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == '\\' || c == 0xad || c == 0x61c ||
         (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xe0000 && c <= 0xe0fff);
}

}  // namespace

void DenialList::add(contracts::Denial denial) {
  if (count_again(denials_, denial, false)) return;
  if (denials_.size() < kMost) return denials_.push_back(std::move(denial));
  if (count_again(beyond_, denial, true)) return;
  if (beyond_.size() == kMostKinds) return;  // there are fewer kinds
  denial.target = contracts::kOtherTargets;
  denial.executable.clear();
  beyond_.push_back(std::move(denial));
}

std::vector<contracts::Denial> DenialList::take() {
  for (contracts::Denial& rest : beyond_) denials_.push_back(std::move(rest));
  beyond_.clear();
  return std::exchange(denials_, {});
}

std::string printable_name(std::string_view bytes) {
  const std::string text = to_utf8_lossy(bytes.substr(0, kMostDenialBytes));
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const auto [point, length] = first_code_point(std::string_view(text).substr(at));
    if (point == '\\') {
      out += "\\\\";
    } else if (changes_how_text_looks(point)) {
      char digits[8];
      const auto end = std::to_chars(digits, digits + sizeof digits, point, 16).ptr;
      out += cat("\\u{", std::string_view(digits, static_cast<size_t>(end - digits)), "}");
    } else {
      out.append(text, at, length);
    }
    at += length;
  }
  if (bytes.size() > kMostDenialBytes) out += "...";
  return out;
}

}  // namespace paddock::sandbox
