#include "controller/agent_sandboxes/mapping.h"

#include <algorithm>
#include <array>
#include <set>

#include "common/base/fault_sentence.h"
#include "common/base/text.h"
#include "common/base/units.h"
#include "controller/agent_sandboxes/command.h"

namespace paddock::agent_sandboxes {
namespace {

using contracts::SandboxSpec;
using wire::Value;

constexpr const char* kPod = "spec.podTemplate.spec";
constexpr const char* kContainer = "spec.podTemplate.spec.containers[0]";

Error refuse(Reason reason, std::vector<Cause> causes) {
  std::string message = cat(causes[0].field, ": ", causes[0].message);
  return {Code::kFailedPrecondition, reason, std::move(message), std::move(causes)};
}
Error refuse(std::string field, std::string message) {
  return refuse("INVALID_FIELD", {{std::move(field), std::move(message)}});
}

// The items of a list that may be absent.
const Value::Array& items(const Value* list) {
  static const Value::Array kNone;
  return list == nullptr || list->array() == nullptr ? kNone : *list->array();
}

Result<const contracts::Profile*> profile_of(const std::string& image, std::string field,
                                             const Images& images,
                                             const contracts::Profiles& profiles) {
  const auto row = images.find(image);
  if (row != images.end()) {
    const auto profile = profiles.find(row->second);
    if (profile != profiles.end()) return &profile->second;
  }
  std::vector<std::string> known;
  for (const auto& [name, profile] : images) known.push_back(name);
  return refuse("IMAGE_NOT_SERVED",
                {{std::move(field),
                  cat("no image is pulled; served are ", known.empty() ? "none" : join(known, ", "),
                      ", by the operator's table sessions.images")}});
}

template <class T>
void take(std::optional<int64_t>& to, const std::optional<T>& from) {
  if (!from) return;
  if constexpr (std::is_same_v<T, wire::Quantity>) {
    to = from->bytes;
  } else if constexpr (std::is_same_v<T, wire::Duration>) {
    to = from->value.count();
  } else {
    to = *from;
  }
}

// A profile as what a session may ask for; of the session's own profile that is nothing. How much
// output is kept is the session's: its answers are documents.
contracts::SecurityOptions security_of(const contracts::Profile& profile) {
  contracts::SecurityOptions out;
  const contracts::SandboxPolicy& policy = profile.policy;
  if (policy.network) out.network = *policy.network;
  out.host_mounts = policy.host_mounts;
  if (!policy.tools.empty()) out.tool_allowlist = policy.tools;
  take(out.limits.timeout_ms, policy.limits.wall_time);
  take(out.limits.memory_bytes, policy.limits.memory);
  take(out.limits.fs_bytes, policy.limits.fs_bytes);
  take(out.limits.file_count, policy.limits.file_count);
  out.env = policy.env;
  return out;
}

int64_t bytes_of(const Value& quantity) {
  if (quantity.integer() != nullptr) return *quantity.integer();
  if (quantity.string() == nullptr) return 0;
  const auto bytes = parse_quantity(*quantity.string());
  return bytes.ok() ? *bytes : 0;
}

// `resource` of a container as one of a session's limits. A request is at most as much.
Status set_limit(const Value& container, const char* resource, int64_t otherwise,
                 std::optional<int64_t>& out) {
  const Value* limit = container.at(cat("resources.limits.", resource));
  const Value* request = container.at(cat("resources.requests.", resource));
  if (limit != nullptr && !limit->is_null()) out = bytes_of(*limit);
  if (request == nullptr || request->is_null()) return {};
  const int64_t most = out.value_or(otherwise);
  if (bytes_of(*request) <= most) return {};
  return refuse(cat(kContainer, ".resources.requests.", resource),
                cat("is more than the limit, ", most, " bytes: say resources.limits.", resource));
}

Status set_limits(const Value& container, contracts::SessionLimits& out) {
  namespace d = contracts::session_defaults;
  TRY(set_limit(container, "memory", d::kMemoryBytes, out.memory_bytes));
  return set_limit(container, "ephemeral-storage", d::kFsBytes, out.fs_bytes);
}

Status set_env(const Value& container, SandboxSpec& out) {
  const auto& env = items(container.find("env"));
  std::set<std::string> seen;
  for (size_t i = 0; i < env.size(); ++i) {
    const std::string name = env[i].text("name");
    if (!seen.insert(name).second)
      return refuse(cat(kContainer, ".env[", i, "].name"), "is given twice");
    out.security.env[name] = env[i].text("value");
  }
  return {};
}

void set_pod(const Value& pod, SandboxSpec& out) {
  const Value* grace = pod.find("terminationGracePeriodSeconds");
  // One that no session may have is refused as such, and one that no number holds likewise.
  constexpr int64_t kMost = 86'400'000;
  if (grace != nullptr && grace->integer() != nullptr && *grace->integer() > 0)
    out.termination_grace = wire::Wait{std::chrono::seconds(std::min(*grace->integer(), kMost))};
  if (const Value* labels = pod.find("nodeSelector"); labels != nullptr && labels->object()) {
    for (const auto& [name, value] : *labels->object()) out.node_selector[name] = *value.string();
  }
}

// Checks the spec by the rules of every session.
Result<SandboxSpec> checked(const SandboxSpec& spec) {
  auto again = wire::decode<SandboxSpec>(wire::encode(spec));
  if (again.ok()) return again;
  Error error = std::move(again).error();
  error.code = Code::kFailedPrecondition;
  for (Cause& cause : error.causes) cause.field = cat("spec.", cause.field);
  error = in_its_words(std::move(error));
  return refuse(error.reason, std::move(error.causes));
}

std::string word_for(const std::string& field) {
  constexpr std::string_view kEnv = "spec.security.env";
  if (field.starts_with(kEnv)) return cat(kContainer, ".env", field.substr(kEnv.size()));
  if (field == "spec.security.limits.memoryBytes")
    return cat(kContainer, ".resources.limits.memory");
  if (field == "spec.security.limits.fsBytes")
    return cat(kContainer, ".resources.limits.ephemeral-storage");
  if (field.starts_with("spec.terminationGrace"))
    return cat(kPod, ".terminationGracePeriodSeconds");
  if (field.starts_with("spec.nodeSelector")) return cat(kPod, field.substr(4));
  // All else of a session's policy comes from the image's profile.
  if (field.starts_with("spec.security.")) return cat(kContainer, ".image");
  return field;
}

// These fields of a Sandbox may be changed; fixed_part() is everything else in its spec.
constexpr std::array<const char*, 3> kChangeable = {"operatingMode", "shutdownTime",
                                                    "shutdownPolicy"};
Value fixed_part(Value spec) {
  for (const char* name : kChangeable) spec.erase(name);
  return spec;
}

bool wants_suspension(const Value& spec) { return spec.text("operatingMode") == "Suspended"; }

}  // namespace

Images default_images() { return {{kSessionImage, std::string(contracts::kSessionProfile)}}; }

Result<contracts::SecurityOptions> image_security(const std::string& image, std::string field,
                                                  const Images& images,
                                                  const contracts::Profiles& profiles) {
  ASSIGN_OR_RETURN(const contracts::Profile* profile,
                   profile_of(image, std::move(field), images, profiles));
  if (images.at(image) == contracts::kSessionProfile) return contracts::SecurityOptions{};
  return security_of(*profile);
}

Result<SandboxSpec> session_spec(const Value& spec, const Images& images,
                                 const contracts::Profiles& profiles) {
  const Value& pod = *spec.at("podTemplate.spec");
  const auto& containers = items(pod.find("containers"));
  if (containers.size() != 1)
    return refuse(cat(kPod, ".containers"), "a session is one container: say exactly one");
  const Value& container = containers[0];
  SandboxSpec out;
  ASSIGN_OR_RETURN(out.security, image_security(container.text("image"), cat(kContainer, ".image"),
                                                images, profiles));
  if (!only_keeps_alive(container))
    return refuse("FIELD_NOT_SERVED",
                  {{cat(kContainer, ".command"),
                    "a session has no process of its own: leave this out, or only keep alive with "
                    "`sleep infinity`, and run it as a command of the session"}});
  TRY(set_limits(container, out.security.limits));
  TRY(set_env(container, out));
  set_pod(pod, out);
  out.lifetime = wire::Duration{contracts::kLongestLifetime};
  out.idle_timeout = out.lifetime;
  if (wants_suspension(spec)) out.suspended = true;
  return checked(out);
}

Result<WallTime> end_of(const Value& spec, WallTime created) {
  const WallTime latest = created + contracts::kLongestLifetime;
  const auto wanted = parse_time(spec.text("shutdownTime"));
  if (!wanted) return latest;
  if (*wanted <= latest) return *wanted;
  return refuse("spec.shutdownTime",
                cat("a session lives for at most 168h: say a time until ", format_time(latest)));
}

Result<SandboxSpec> changed_spec(const contracts::Sandbox& live, const Value& spec) {
  const Value before = fixed_part(*document_of(live).find("spec"));
  const Value after = fixed_part(spec);
  if (!(before == after)) {
    std::vector<Cause> causes;
    for (const Value* side : {&before, &after}) {
      for (const auto& [name, value] : *side->object()) {
        const Value* other = (side == &before ? after : before).find(name);
        const bool twice = side == &after && other != nullptr;
        if (!twice && (other == nullptr || !(*other == value)))
          causes.push_back({cat("spec.", name),
                            "a session's policy is fixed: delete the Sandbox, and make another"});
      }
    }
    if (!causes.empty()) return refuse("FIELD_IMMUTABLE", std::move(causes));
  }
  SandboxSpec next = live.spec;
  next.suspended = wants_suspension(spec) ? std::optional(true) : std::nullopt;
  return next;
}

Error in_its_words(Error error) {
  rename_fields(error, word_for);
  // kubectl prints the causes only of an Invalid object; of other errors it prints the sentence
  // alone.
  if (!error.causes.empty() && error.message.find(error.causes[0].field) == std::string::npos)
    error.message = cat(error.causes[0].field, ": ", error.message);
  return error;
}

bool goes_at_its_end(const contracts::Sandbox& session) {
  return session.status.agent_sandbox &&
         session.status.agent_sandbox->text("shutdownPolicy") == "Delete";
}

}  // namespace paddock::agent_sandboxes
