#include "controller/agent_sandboxes/fields.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"
#include "common/base/time.h"
#include "common/base/units.h"
#include "common/wire/check.h"
#include "common/wire/json.h"
#include "controller/agent_sandboxes/advice.h"

namespace paddock::agent_sandboxes {
namespace {

using wire::Check;
using wire::Value;

// The fields that a Sandbox and a SandboxTemplate have in common.
constexpr std::array kBlueprint = {
    FieldRow{"podTemplate", Is::kObject, "the pod that the session stands for", "", true},
    FieldRow{"podTemplate.metadata", Is::kObject, "kept as it is: there is no pod"},
    FieldRow{"podTemplate.metadata.labels", Is::kWords, "kept as they are"},
    FieldRow{"podTemplate.metadata.annotations", Is::kWords, "kept as they are"},
    FieldRow{"podTemplate.spec", Is::kObject, "what the session is made of", "", true},
    FieldRow{"podTemplate.spec.containers", Is::kList, "exactly one", "", true},
    FieldRow{"podTemplate.spec.containers[].name", Is::kText, "any name", "", true},
    FieldRow{"podTemplate.spec.containers[].image", Is::kText,
             "a name in the operator's table sessions.images", "", true},
    FieldRow{"podTemplate.spec.containers[].imagePullPolicy", Is::kText, "nothing is pulled",
             "Always|IfNotPresent|Never"},
    FieldRow{"podTemplate.spec.containers[].command", Is::kTexts,
             "only what keeps a container alive, such as sleep infinity"},
    FieldRow{"podTemplate.spec.containers[].args", Is::kTexts, "of command"},
    FieldRow{"podTemplate.spec.containers[].env", Is::kList, "variables of each command"},
    FieldRow{"podTemplate.spec.containers[].env[].name", Is::kText, "name", "", true},
    FieldRow{"podTemplate.spec.containers[].env[].value", Is::kText, "value; empty unless given"},
    FieldRow{"podTemplate.spec.containers[].resources", Is::kObject, "limits"},
    FieldRow{"podTemplate.spec.containers[].resources.limits", Is::kObject, "limits"},
    FieldRow{"podTemplate.spec.containers[].resources.limits.memory", Is::kQuantity,
             "memory of one command's processes"},
    FieldRow{"podTemplate.spec.containers[].resources.limits.ephemeral-storage", Is::kQuantity,
             "bytes of all files of the session"},
    FieldRow{"podTemplate.spec.containers[].resources.requests", Is::kObject, "requests"},
    FieldRow{"podTemplate.spec.containers[].resources.requests.memory", Is::kQuantity,
             "at most the limit; the limit is what counts"},
    FieldRow{"podTemplate.spec.containers[].resources.requests.ephemeral-storage", Is::kQuantity,
             "at most the limit; the limit is what counts"},
    FieldRow{"podTemplate.spec.containers[].securityContext", Is::kObject, "what holds anyhow"},
    FieldRow{"podTemplate.spec.containers[].securityContext.allowPrivilegeEscalation", Is::kFlag,
             "holds anyhow", "false"},
    FieldRow{"podTemplate.spec.containers[].securityContext.privileged", Is::kFlag, "holds anyhow",
             "false"},
    FieldRow{"podTemplate.spec.containers[].securityContext.runAsNonRoot", Is::kFlag,
             "holds anyhow", "true"},
    FieldRow{"podTemplate.spec.containers[].securityContext.readOnlyRootFilesystem", Is::kFlag,
             "holds anyhow", "true"},
    FieldRow{"podTemplate.spec.containers[].securityContext.seccompProfile", Is::kObject,
             "each command has a filter of system calls"},
    FieldRow{"podTemplate.spec.containers[].securityContext.seccompProfile.type", Is::kText,
             "holds anyhow", "RuntimeDefault", true},
    FieldRow{"podTemplate.spec.containers[].securityContext.capabilities", Is::kObject,
             "what is dropped"},
    FieldRow{"podTemplate.spec.containers[].securityContext.capabilities.drop", Is::kTexts,
             "all are dropped anyhow"},
    FieldRow{"podTemplate.spec.restartPolicy", Is::kText, "there is no process to restart",
             "Always|OnFailure|Never"},
    FieldRow{"podTemplate.spec.terminationGracePeriodSeconds", Is::kNumber,
             "from SIGTERM to SIGKILL when a command's time is up"},
    FieldRow{"podTemplate.spec.automountServiceAccountToken", Is::kFlag, "holds anyhow", "false"},
    FieldRow{"podTemplate.spec.enableServiceLinks", Is::kFlag, "holds anyhow", "false"},
    FieldRow{"podTemplate.spec.hostNetwork", Is::kFlag, "holds anyhow", "false"},
    FieldRow{"podTemplate.spec.hostPID", Is::kFlag, "holds anyhow", "false"},
    FieldRow{"podTemplate.spec.hostIPC", Is::kFlag, "holds anyhow", "false"},
    FieldRow{"podTemplate.spec.nodeSelector", Is::kWords, "labels of the node that it needs"},
    FieldRow{"podTemplate.spec.securityContext", Is::kObject, "what holds anyhow"},
    FieldRow{"podTemplate.spec.securityContext.runAsNonRoot", Is::kFlag, "holds anyhow", "true"},
    FieldRow{"podTemplate.spec.securityContext.seccompProfile", Is::kObject,
             "each command has a filter of system calls"},
    FieldRow{"podTemplate.spec.securityContext.seccompProfile.type", Is::kText, "holds anyhow",
             "RuntimeDefault", true},
    FieldRow{"service", Is::kFlag, "nothing inside can be reached", "false"},
};

constexpr std::array kOfSandbox = {
    FieldRow{"operatingMode", Is::kText, "Suspended: no command is taken", "Running|Suspended"},
    FieldRow{"shutdownTime", Is::kTime, "when it ends; 168h after it was made at the latest"},
    FieldRow{"shutdownPolicy", Is::kText, "whether its record goes at once, or an hour later",
             "Delete|Retain"},
};

constexpr std::array kOfTemplate = {
    FieldRow{"networkPolicyManagement", Is::kText, "the profile of the image decides",
             "Managed|Unmanaged"},
    FieldRow{"networkPolicy", Is::kObject, "only what denies all"},
    FieldRow{"envVarsInjectionPolicy", Is::kText, "whether claims may set variables",
             "Allowed|Overrides|Disallowed"},
    FieldRow{"volumeClaimTemplatesPolicy", Is::kText, "there are no volume claims", "Disallowed"},
};

constexpr std::array kOfWarmPool = {
    FieldRow{"replicas", Is::kNumber, "none is held ready: each is made on demand"},
    FieldRow{"sandboxTemplateRef", Is::kObject, "the template", "", true},
    FieldRow{"sandboxTemplateRef.name", Is::kText, "of the template", "", true},
    FieldRow{"updateStrategy", Is::kObject, "nothing is held that could be old"},
    FieldRow{"updateStrategy.type", Is::kText, "nothing is held that could be old",
             "Recreate|OnReplenish"},
};

constexpr std::array kOfClaim = {
    FieldRow{"warmPoolRef", Is::kObject, "what it is made of", "", true},
    FieldRow{"warmPoolRef.name", Is::kText,
             "a SandboxWarmPool, or where there is none a SandboxTemplate of that name", "", true},
    FieldRow{"lifecycle", Is::kObject, "when it ends"},
    FieldRow{"lifecycle.shutdownTime", Is::kTime, "when its sandbox ends"},
    FieldRow{"lifecycle.shutdownPolicy", Is::kText, "whether the claim goes with its sandbox",
             "Delete|DeleteForeground|Retain"},
    FieldRow{"additionalPodMetadata", Is::kObject, "kept as it is: there is no pod"},
    FieldRow{"additionalPodMetadata.labels", Is::kWords, "kept as they are"},
    FieldRow{"additionalPodMetadata.annotations", Is::kWords, "kept as they are"},
    FieldRow{"env", Is::kList, "variables, where the template lets claims set them"},
    FieldRow{"env[].name", Is::kText, "name", "", true},
    FieldRow{"env[].value", Is::kText, "value", "", true},
    FieldRow{"env[].containerName", Is::kText, "the template's container"},
};

template <class... Rows>
std::vector<FieldRow> joined(const Rows&... some) {
  std::vector<FieldRow> all;
  (all.insert(all.end(), some.begin(), some.end()), ...);
  return all;
}

bool is_empty(const Value& value) {
  return value.is_null() || (value.array() != nullptr && value.array()->empty());
}

// The type's name, for the message about a value of another type.
std::string_view type_of(Is is) {
  switch (is) {
    case Is::kObject:
      return "an object";
    case Is::kList:
      return "a list of objects";
    case Is::kText:
      return "a text";
    case Is::kTexts:
      return "a list of texts";
    case Is::kNumber:
      return "a whole number that is not negative";
    case Is::kFlag:
      return "true or false";
    case Is::kWords:
      return "an object of texts";
    case Is::kQuantity:
      return "a quantity such as 512Mi";
    case Is::kTime:
      return "a time such as 2026-01-02T03:04:05Z";
  }
  return "";
}

bool are_texts(const Value& value) {
  return value.array() != nullptr && std::ranges::all_of(*value.array(), [](const Value& each) {
           return each.string() != nullptr;
         });
}
bool are_words(const Value& value) {
  return value.object() != nullptr && std::ranges::all_of(*value.object(), [](const auto& each) {
           return each.second.string() != nullptr;
         });
}
bool are_objects(const Value& value) {
  return value.array() != nullptr && std::ranges::all_of(*value.array(), [](const Value& each) {
           return each.object() != nullptr;
         });
}

bool has_type(Is is, const Value& value) {
  switch (is) {
    case Is::kObject:
      return value.object() != nullptr;
    case Is::kList:
      return are_objects(value);
    case Is::kText:
      return value.string() != nullptr;
    case Is::kTexts:
      return are_texts(value);
    case Is::kNumber:
      return value.integer() != nullptr && *value.integer() >= 0;
    case Is::kFlag:
      return value.boolean() != nullptr;
    case Is::kWords:
      return are_words(value);
    case Is::kQuantity:
      return (value.integer() != nullptr && *value.integer() >= 0) ||
             (value.string() != nullptr && parse_quantity(*value.string()).ok());
    case Is::kTime:
      return value.string() != nullptr && parse_time(*value.string()).has_value();
  }
  return false;
}

bool is_allowed(std::string_view only, const Value& value) {
  if (only.empty()) return true;
  const bool* flag = value.boolean();
  const std::string word = flag != nullptr ? (*flag ? "true" : "false") : value.text("");
  const std::string* text = value.string();
  return std::ranges::any_of(split(only, '|'), [&](std::string_view each) {
    return each == (text != nullptr ? *text : word);
  });
}

struct Walk {
  const std::vector<FieldRow>& rows;
  Check& check;
  bool not_served = false;

  void refuse(std::string message) {
    not_served = true;
    check.fail(std::move(message));
  }

  void members(const Value& object, const std::string& pattern) {
    const std::string prefix = pattern.empty() ? "" : pattern + ".";
    for (const auto& [name, value] : *object.object()) {
      const Check::Scope scope(check, name);
      if (!value.is_null()) member(value, prefix + name);
    }
    for (const FieldRow& row : rows) {
      if (!row.required || !row.path.starts_with(prefix)) continue;
      const std::string_view name = row.path.substr(prefix.size());
      if (name.find_first_of(".[") != std::string_view::npos) continue;
      const Value* given = object.find(name);
      if (given == nullptr || is_empty(*given)) check.fail(name, "is required");
    }
  }

  void member(const Value& value, const std::string& pattern) {
    const auto row = std::ranges::find(rows, pattern, &FieldRow::path);
    if (row == rows.end() && is_empty(value)) return;  // asks for nothing
    if (row == rows.end()) return refuse(std::string(advice_for(pattern)));
    if (!has_type(row->is, value)) return check.fail(cat("must be ", type_of(row->is)));
    if (!is_allowed(row->only, value))
      return refuse(cat("only ", join(split(row->only, '|'), " or "), " is served: ", row->says));
    if (row->is == Is::kObject) members(value, pattern);
    if (row->is != Is::kList) return;
    for (size_t i = 0; i < value.array()->size(); ++i) {
      const Check::Scope scope(check, i);
      members((*value.array())[i], pattern + "[]");
    }
  }
};

// The whole spec is kept as it was written, so its size is bounded.
constexpr int64_t kMostSpec = 64 << 10;

// Beside spec there is what every object has.
constexpr std::array<std::string_view, 5> kTop = {"apiVersion", "kind", "metadata", "spec",
                                                  "status"};
void check_top(const Value& document, Walk& walk) {
  for (const auto& [name, value] : *document.object()) {
    if (std::ranges::find(kTop, name) != kTop.end()) continue;
    const Check::Scope scope(walk.check, name);
    walk.refuse("there is no such field");
  }
}

}  // namespace

const std::vector<FieldRow>& fields_of(Kind kind) {
  static const std::vector<FieldRow> kSandbox = joined(kBlueprint, kOfSandbox);
  static const std::vector<FieldRow> kTemplate = joined(kBlueprint, kOfTemplate);
  static const std::vector<FieldRow> kWarmPool = joined(kOfWarmPool);
  static const std::vector<FieldRow> kClaim = joined(kOfClaim);
  if (kind == Kind::kSandbox) return kSandbox;
  if (kind == Kind::kTemplate) return kTemplate;
  return kind == Kind::kWarmPool ? kWarmPool : kClaim;
}

Status check_fields(Kind kind, const Value& document) {
  Check check;
  Walk walk{fields_of(kind), check};
  if (document.object() == nullptr)
    return invalid_argument("INVALID_FIELD", "the body must be an object");
  check_top(document, walk);
  const Check::Scope scope(check, "spec");
  const Value* spec = document.find("spec");
  if (spec == nullptr || spec->object() == nullptr)
    check.fail("must be an object");
  else if (static_cast<int64_t>(wire::to_json(*spec).size()) > kMostSpec)
    check.fail(cat("must be at most ", format_quantity(kMostSpec), " of JSON"));
  else
    walk.members(*spec, "");
  if (check.ok()) return {};
  Error error = check.error();
  error.code = Code::kFailedPrecondition;
  if (walk.not_served) error.reason = "FIELD_NOT_SERVED";
  return error;
}

}  // namespace paddock::agent_sandboxes
