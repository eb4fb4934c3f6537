// Any two JSON texts as a document and its patch: refused with a reason, or a document that is no
// deeper than allowed and that a second look reads back.
#include <algorithm>

#include "common/base/text.h"
#include "common/wire/json.h"
#include "controller/k8s/fields.h"
#include "controller/k8s/patch.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t cut = std::min(text.find('\n'), text.size());
  const auto document = wire::parse_json(text.substr(0, cut));
  const auto patch = wire::parse_json(text.substr(std::min(cut + 1, text.size())));
  if (!document.ok() || !patch.ok()) return 0;
  const wire::Value merged = k8s::merge_patch(*document, *patch);
  if (!wire::parse_json(wire::to_json(merged)).ok()) panic("a merged document cannot be read");
  const auto patched = k8s::json_patch(*document, *patch);
  if (!patched.ok()) {
    if (patched.error().reason.empty()) panic("a refusal without a reason");
  } else if (!wire::parse_json(wire::to_json(*patched), {.max_depth = 129}).ok()) {
    panic("a patched document cannot be read");
  }
  const auto changes = k8s::changed_fields(*document, merged);
  if (changes.empty() && k8s::owned_fields(*document) != k8s::owned_fields(merged))
    panic("fields changed unseen");
  const auto fields = k8s::decode_fields(*patch);
  if (fields.ok() && k8s::decode_fields(k8s::encode_fields(*fields)).value() != *fields)
    panic("fields do not survive their own form");
  return 0;
}
