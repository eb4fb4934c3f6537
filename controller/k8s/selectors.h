// Label and field selectors, as kubectl writes them. Pure.
// Errors: SELECTOR_INVALID, FIELD_SELECTOR_UNSUPPORTED.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace paddock::k8s {

using Labels = std::map<std::string, std::string>;

enum class SelectorOp { kIn, kNotIn, kExists, kMissing };

struct Requirement {
  std::string key;
  SelectorOp op = SelectorOp::kExists;
  std::vector<std::string> values;
};

// All requirements must hold. `!=` and `notin` hold for an absent key too.
struct Selector {
  std::vector<Requirement> requirements;
  bool empty() const { return requirements.empty(); }
  bool matches(const Labels& labels) const;
};

// `a=b`, `a==b`, `a!=b`, `a in (x,y)`, `a notin (x)`, `a`, `!a`, joined by commas.
Result<Selector> parse_label_selector(std::string_view text);
// `field=value`, `==`, `!=`, joined by commas; only fields named in `supported`.
Result<Selector> parse_field_selector(std::string_view text,
                                      const std::vector<std::string>& supported);

// The value that a selector demands of a key, if it demands one.
std::optional<std::string> demanded(const Selector& selector, std::string_view key);

}  // namespace paddock::k8s
