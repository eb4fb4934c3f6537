#include "controller/api/objects/spec_differences.h"

#include "common/base/text.h"
#include "controller/k8s/fields.h"

namespace paddock::api {

std::vector<Cause> spec_differences(wire::Value live_spec, wire::Value next_spec,
                                    std::string_view message) {
  const wire::Value before = wire::Value::Object{{"spec", std::move(live_spec)}};
  const wire::Value after = wire::Value::Object{{"spec", std::move(next_spec)}};
  std::vector<Cause> causes;
  const auto add = [&](const k8s::FieldPath& path) {
    causes.push_back({k8s::path_text(path).substr(1), std::string(message)});
  };
  const k8s::FieldChanges changes = k8s::changed_fields(before, after);
  changes.set.each(add);
  changes.removed.each(add);
  return causes;
}

Status immutable(std::vector<Cause> causes) {
  if (causes.empty()) return {};
  std::string message = cat(causes[0].field, ": ", causes[0].message);
  if (causes.size() > 1) message += cat(" (and ", causes.size() - 1, " more)");
  return Error{Code::kFailedPrecondition, "FIELD_IMMUTABLE", std::move(message), std::move(causes)};
}

}  // namespace paddock::api
