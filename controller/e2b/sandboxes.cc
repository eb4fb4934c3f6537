#include "controller/e2b/sandboxes.h"

#include <algorithm>
#include <array>

#include "common/base/percent.h"
#include "common/base/text.h"
#include "common/wire/json.h"
#include "controller/e2b/fields.h"

namespace paddock::e2b {
namespace {

using contracts::Sandbox;
using wire::Value;

constexpr Millis kLongestCommand = std::chrono::hours(1);

bool is_paused(const Sandbox& session) { return session.spec.suspended.value_or(false); }
const char* state_of(const Sandbox& session) { return is_paused(session) ? "paused" : "running"; }

int64_t least(int64_t wanted, const std::optional<int64_t>& ceiling) {
  return ceiling ? std::min(wanted, *ceiling) : wanted;
}

// Their tools know no limits of one command but the caller's time: what a profile does not say is
// as wide as a session may have it, beneath the operator's ceilings.
void widen(contracts::SessionLimits& limits, const contracts::SandboxLimits& ceilings) {
  const auto time = ceilings.wall_time ? std::optional(ceilings.wall_time->value.count())
                                       : std::optional<int64_t>();
  const auto bytes = [](const std::optional<wire::Quantity>& ceiling) {
    return ceiling ? std::optional(ceiling->bytes) : std::optional<int64_t>();
  };
  if (!limits.timeout_ms) limits.timeout_ms = least(kLongestCommand.count(), time);
  limits.command_bytes = least(contracts::kMostCommandBytes, bytes(ceilings.command_bytes));
  limits.stdout_bytes = least(contracts::kMostSessionOutput, bytes(ceilings.stdout_bytes));
  limits.stderr_bytes = least(contracts::kMostSessionOutput, bytes(ceilings.stderr_bytes));
}

Result<contracts::SecurityOptions> security_of(const std::string& template_id, const Offer& offer) {
  if (template_id == kBaseTemplate && !offer.images.contains(template_id))
    return contracts::SecurityOptions{};
  auto security =
      agent_sandboxes::image_security(template_id, "templateID", offer.images, offer.profiles);
  if (security.ok()) return security;
  Error error = std::move(security).error();
  error.message += cat(", and ", kBaseTemplate, " of every controller");
  return error;
}

std::string pairs_as_json(const std::map<std::string, std::string>& pairs) {
  Value::Object out;
  for (const auto& [name, value] : pairs) out.emplace_back(name, value);
  return wire::to_json(Value(std::move(out)));
}

Value network_of(const contracts::NetworkPolicy& network) {
  Value allowed = Value::Array{};
  for (const auto& domain : network.allow_domains) allowed.push_back(domain);
  return Value::Object{{"allowOut", std::move(allowed)}, {"denyOut", Value::Array{kAllTraffic}}};
}

// `a=b&c=d`, of which each name and value was encoded once more.
Result<std::map<std::string, std::string>> metadata_wanted(std::string_view text) {
  std::map<std::string, std::string> out;
  if (text.empty()) return out;
  for (const std::string& pair : split(text, '&')) {
    const size_t equals = pair.find('=');
    if (equals == std::string::npos) return wrong_parameter("metadata", "is name=value&name=value");
    std::array<std::string, 2> sides = {pair.substr(0, equals), pair.substr(equals + 1)};
    for (std::string& side : sides) {
      for (int times = 0; times < 2; ++times) {
        auto decoded = percent_decode(side);
        if (!decoded) return wrong_parameter("metadata", "has a % without two digits");
        side = std::move(*decoded);
      }
    }
    out[sides[0]] = sides[1];
  }
  return out;
}

}  // namespace

void forget_default_internet(Value& request) {
  if (request.object() == nullptr) return;
  const Value* internet = request.find("allow_internet_access");
  if (internet != nullptr && *internet == Value(true)) request.erase("allow_internet_access");
}

Result<Sandbox> new_session(const Value& request, const Offer& offer, std::string name) {
  ASSIGN_OR_RETURN(const NewSandbox wanted, read_new_sandbox(request));
  Sandbox session;
  session.metadata.name = std::move(name);
  session.metadata.annotations[kTemplateNote] = wanted.template_id;
  if (!wanted.metadata.empty())
    session.metadata.annotations[kMetadataNote] = pairs_as_json(wanted.metadata);
  ASSIGN_OR_RETURN(session.spec.security, security_of(wanted.template_id, offer));
  contracts::SecurityOptions& security = session.spec.security;
  for (const auto& [variable, value] : wanted.env) security.env[variable] = value;
  if (wanted.network) security.network = *wanted.network;
  widen(security.limits, offer.ceilings.limits);
  session.spec.lifetime =
      wire::Duration{std::max(wanted.timeout.value_or(kDefaultTimeout), Millis(1'000))};
  // Theirs do not end by being idle.
  session.spec.idle_timeout = wire::Duration{contracts::kLongestLifetime};
  return session;
}

Result<Millis> lifetime_until(const Sandbox& session, WallTime now, Millis timeout) {
  const auto& created = session.metadata.creation_timestamp;
  const WallTime begin = created ? created->value : now;
  const Millis lifetime = std::max((now + timeout) - begin, Millis(1'000));
  if (lifetime <= contracts::kLongestLifetime) return lifetime;
  return wrong_field("timeout", cat("a sandbox lives until 168h after it was made: ",
                                    format_time(begin + contracts::kLongestLifetime)));
}

std::string template_of(const Sandbox& session) {
  const auto found = session.metadata.annotations.find(kTemplateNote);
  return found == session.metadata.annotations.end() ? kBaseTemplate : found->second;
}

std::map<std::string, std::string> metadata_of(const Sandbox& session) {
  std::map<std::string, std::string> out;
  const auto found = session.metadata.annotations.find(kMetadataNote);
  if (found == session.metadata.annotations.end()) return out;
  const auto read = wire::parse_json(found->second);
  if (!read.ok() || read->object() == nullptr) return out;
  for (const auto& [name, value] : *read->object()) {
    if (value.string() != nullptr) out[name] = *value.string();
  }
  return out;
}

Value sandbox_info(const Sandbox& session) {
  Value::Object metadata;
  for (const auto& [name, value] : metadata_of(session)) metadata.emplace_back(name, value);
  Value info = Value::Object{{"sandboxID", session.metadata.name},
                             {"templateID", template_of(session)},
                             {"clientID", "paddock"},
                             {"envdVersion", kEnvdVersion},
                             {"state", state_of(session)},
                             {"metadata", std::move(metadata)}};
  if (const auto& created = session.metadata.creation_timestamp)
    info.set("startedAt", format_time(created->value, true));
  if (const auto& end = session.status.expires_at) info.set("endAt", format_time(end->value, true));
  const contracts::SecurityOptions& security = session.spec.security;
  namespace d = contracts::session_defaults;
  // A session has no cores of its own. The SDK for Python reads no sandbox without the number.
  info.set("cpuCount", 0);
  info.set("memoryMB", security.limits.memory_bytes.value_or(d::kMemoryBytes) >> 20);
  info.set("diskSizeMB", security.limits.fs_bytes.value_or(d::kFsBytes) >> 20);
  // If only listed names can be reached, internet access is neither on nor off: `network` has the
  // list.
  if (security.network.enabled)
    info.set("network", network_of(security.network));
  else
    info.set("allowInternetAccess", false);
  return info;
}

Value sandbox_access(const Sandbox& session, std::string_view access_token) {
  return Value::Object{{"sandboxID", session.metadata.name},
                       {"templateID", template_of(session)},
                       {"clientID", "paddock"},
                       {"envdVersion", kEnvdVersion},
                       {"envdAccessToken", access_token}};
}

Result<Filter> filter_of(const Parameter& parameter) {
  Filter out;
  if (const auto states = parameter("state"); states && !states->empty()) {
    for (std::string& state : split(*states, ',')) {
      if (state != "running" && state != "paused")
        return wrong_parameter("state", "is running or paused");
      out.states.insert(std::move(state));
    }
  }
  ASSIGN_OR_RETURN(out.metadata, metadata_wanted(parameter("metadata").value_or("")));
  out.template_id = parameter("template").value_or("");
  if (const auto after = parameter("startedAfter")) {
    out.started_after = parse_time(*after);
    if (!out.started_after) return wrong_parameter("startedAfter", "is a time as of RFC 3339");
  }
  if (parameter("order"))
    return not_served("order", "they come by their names: sort what came, by startedAt");
  return out;
}

bool fits(const Sandbox& session, const Filter& filter) {
  if (!filter.states.empty() && !filter.states.contains(state_of(session))) return false;
  if (!filter.template_id.empty() && filter.template_id != template_of(session)) return false;
  const auto& created = session.metadata.creation_timestamp;
  if (filter.started_after && (!created || created->value < *filter.started_after)) return false;
  const auto has = metadata_of(session);
  return std::ranges::all_of(filter.metadata, [&](const auto& pair) {
    const auto found = has.find(pair.first);
    return found != has.end() && found->second == pair.second;
  });
}

}  // namespace paddock::e2b
