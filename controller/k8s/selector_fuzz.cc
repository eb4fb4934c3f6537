// Any text as a selector: refused with a reason, or requirements that can be asked.
#include "common/base/result.h"
#include "controller/k8s/selectors.h"

namespace {

void check(const paddock::Result<paddock::k8s::Selector>& selector) {
  using paddock::k8s::SelectorOp;
  if (!selector.ok()) {
    if (selector.error().reason.empty()) paddock::panic("a refusal without a reason");
    return;
  }
  for (const auto& requirement : selector->requirements) {
    if (requirement.key.empty()) paddock::panic("a requirement of nothing");
    const bool lists = requirement.op == SelectorOp::kIn || requirement.op == SelectorOp::kNotIn;
    if (lists == requirement.values.empty()) paddock::panic("values where none belong, or none");
  }
  (void)selector->matches({{"a", "b"}, {"phase", "Running"}});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(paddock::k8s::parse_label_selector(text));
  check(paddock::k8s::parse_field_selector(text, {"a", "status.phase"}));
  return 0;
}
