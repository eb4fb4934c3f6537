#include "controller/k8s/status.h"

#include <optional>

#include "common/contracts/meta.h"
#include "controller/k8s/resources.h"

namespace paddock::k8s {
namespace {

using wire::Value;

struct Subject {
  std::string plural;
  std::string name;
  std::string group = {};
};

// /api/v1[/namespaces/{ns}]/{plural}[/{name}…]: what is there of other kinds, and namespaces.
std::optional<Subject> core_subject(const std::vector<std::string>& path) {
  if (path.size() < 3 || path[0] != "api" || path[1] != "v1") return std::nullopt;
  const size_t at = path[2] == "namespaces" && path.size() > 4 ? 4 : 2;
  return Subject{path[at], path.size() > at + 1 ? path[at + 1] : ""};
}

// /apis/{group}/{version}[/namespaces/{ns}]/{plural}[/{name}…]
std::optional<Subject> subject_of(const std::vector<std::string>& path) {
  if (path.size() < 4 || path[0] != "apis") return std::nullopt;
  const size_t at = path[3] == "namespaces" ? 5 : 3;
  if (path.size() <= at) return std::nullopt;
  return Subject{path[at], path.size() > at + 1 ? path[at + 1] : "", path[1]};
}

const Resource* resource_of(const Subject& subject) {
  for (const std::span<const Resource> group : kResourceGroups) {
    for (const Resource& each : group) {
      if (each.group == subject.group && each.plural == subject.plural) return &each;
    }
  }
  return nullptr;
}

// Kubernetes' word for what is wrong with a field.
std::string cause_reason(const Reason& reason, const std::string& known) {
  if (reason == "APPLY_CONFLICT") return "FieldManagerConflict";
  if (reason == "FIELD_IMMUTABLE") return "FieldValueForbidden";
  return known.empty() ? "FieldValueInvalid" : known;
}

}  // namespace

void add_details(Value& status, const std::vector<std::string>& segments, const std::string& sent) {
  Value* details = status.find("details");
  if (details == nullptr) return;
  // kubectl prints only the causes of an Invalid object, so there has to be one.
  const Value* found = details->find("causes");
  const bool none = found == nullptr || found->array() == nullptr || found->array()->empty();
  if (none && status.text("reason") == "Invalid") {
    details->set("causes", Value::Array{Value::Object{{"field", status.text("error.code")},
                                                      {"message", status.text("message")}}});
  }
  if (Value* causes = details->find("causes"); causes != nullptr && causes->array() != nullptr) {
    for (Value& cause : *causes->array())
      cause.set("reason",
                cause_reason(Reason::parse(status.text("error.code")), cause.text("reason")));
  }
  if (const auto core = core_subject(segments)) {
    details->set("name", core->name);
    details->set("kind", core->plural);
    return;
  }
  const auto subject = subject_of(segments);
  if (!subject) return;
  const Resource* resource = resource_of(*subject);
  if (resource == nullptr) return;
  const bool invalid = status.text("reason") == "Invalid";
  details->set("name", subject->name.empty() ? sent : subject->name);
  details->set("group", resource->group);
  details->set("kind", invalid ? resource->kind : resource->plural);
}

}  // namespace paddock::k8s
