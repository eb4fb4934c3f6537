#include "controller/e2b/fields.h"

#include <algorithm>
#include <array>
#include <vector>

#include "common/base/text.h"
#include "controller/e2b/sandboxes.h"

namespace paddock::e2b {
namespace {

using wire::Value;

constexpr size_t kMostMetadata = 64;
constexpr size_t kMostMetadataBytes = 8 << 10;
constexpr int64_t kLongestSeconds = contracts::kLongestLifetime.count() / 1000;

struct Unserved {
  std::string_view field;
  std::string_view way;
};
constexpr std::array kUnserved = {
    Unserved{"autoPause", "at its end a sandbox goes, with its files: give it a longer timeout"},
    Unserved{"autoPauseMemory", "there is no memory between two commands that could be kept"},
    Unserved{"autoResume", "a paused sandbox is resumed by Sandbox.connect()"},
    Unserved{"mcp", "there is no gateway inside: Paddock's own MCP server is POST /mcp"},
    Unserved{"iam", "there are no tokens of an identity inside: give what is needed in envVars"},
    Unserved{"volumeMounts",
             "there are no volumes: write files, or use a template whose profile "
             "mounts a folder"},
};

bool asks_for_nothing(const Value& value) {
  if (value.is_null()) return true;
  if (const bool* flag = value.boolean()) return !*flag;
  if (value.array() != nullptr) return value.array()->empty();
  if (value.object() == nullptr) return false;
  return std::ranges::all_of(*value.object(),
                             [](const auto& member) { return asks_for_nothing(member.second); });
}

Status check_unserved(const Value& request) {
  constexpr std::array<std::string_view, 7> kServed = {
      "templateID", "metadata", "envVars", "timeout", "secure", "network", "allow_internet_access"};
  for (const auto& [name, value] : *request.object()) {
    if (std::ranges::find(kServed, name) != kServed.end() || asks_for_nothing(value)) continue;
    const auto row = std::ranges::find(kUnserved, std::string_view(name), &Unserved::field);
    return not_served(name, row == kUnserved.end() ? "a sandbox has nothing like it: leave it out"
                                                   : std::string(row->way));
  }
  return {};
}

Result<std::map<std::string, std::string>> pairs_of(const Value& request, const char* field) {
  std::map<std::string, std::string> out;
  const Value* pairs = request.find(field);
  if (pairs == nullptr || pairs->is_null()) return out;
  if (pairs->object() == nullptr) return wrong_field(field, "must be an object of strings");
  for (const auto& [name, value] : *pairs->object()) {
    if (value.string() == nullptr) return wrong_field(cat(field, ".", name), "must be a string");
    out[name] = *value.string();
  }
  return out;
}

Result<std::map<std::string, std::string>> metadata_from(const Value& request) {
  ASSIGN_OR_RETURN(auto metadata, pairs_of(request, "metadata"));
  size_t bytes = 0;
  for (const auto& [name, value] : metadata) bytes += name.size() + value.size();
  if (metadata.size() > kMostMetadata || bytes > kMostMetadataBytes)
    return wrong_field("metadata", "has at most 64 pairs of 8 KiB together");
  return metadata;
}

Result<std::vector<std::string>> texts_of(const Value& network, const char* field) {
  std::vector<std::string> out;
  const Value* list = network.find(field);
  if (list == nullptr || list->is_null()) return out;
  if (list->array() == nullptr) return wrong_field(cat("network.", field), "must be an array");
  for (const Value& each : *list->array()) {
    if (each.string() == nullptr)
      return wrong_field(cat("network.", field), "must be an array of strings");
    out.push_back(*each.string());
  }
  return out;
}

// A list of names, and nothing beside: that is all that a session's network can be.
Result<contracts::NetworkPolicy> names_of(const Value& network) {
  if (network.object() == nullptr) return wrong_field("network", "must be an object");
  for (const auto& [name, value] : *network.object()) {
    if (name != "allowOut" && name != "denyOut" && !asks_for_nothing(value))
      return not_served(cat("network.", name),
                        "a sandbox reaches names in allowOut, and nothing reaches it");
  }
  ASSIGN_OR_RETURN(const auto allowed, texts_of(network, "allowOut"));
  ASSIGN_OR_RETURN(const auto denied, texts_of(network, "denyOut"));
  if (denied != std::vector<std::string>{kAllTraffic})
    return not_served("network.denyOut",
                      cat("all is denied but the names in allowOut: say [\"", kAllTraffic, "\"]"));
  contracts::NetworkPolicy out;
  out.enabled = !allowed.empty();
  out.allow_domains = allowed;
  return out;
}

Result<std::optional<contracts::NetworkPolicy>> network_from(const Value& request) {
  std::optional<contracts::NetworkPolicy> none;
  const Value* internet = request.find("allow_internet_access");
  const bool* wanted = internet == nullptr ? nullptr : internet->boolean();
  if (internet != nullptr && !internet->is_null() && wanted == nullptr)
    return wrong_field("allow_internet_access", "must be true or false");
  if (wanted != nullptr && *wanted)
    return not_served("allow_internet_access",
                      "no sandbox reaches the whole internet: leave it out for what the template "
                      "allows, or name hosts in network.allowOut");
  if (wanted != nullptr) return std::optional(contracts::NetworkPolicy{});
  const Value* network = request.find("network");
  if (network == nullptr || asks_for_nothing(*network)) return none;
  ASSIGN_OR_RETURN(auto names, names_of(*network));
  return std::optional(std::move(names));
}

}  // namespace

Error wrong_field(std::string_view field, std::string message) {
  Error error = invalid_argument("INVALID_FIELD", cat(field, ": ", message));
  error.causes = {{std::string(field), std::move(message)}};
  return error;
}
Error wrong_parameter(std::string_view name, std::string_view message) {
  return invalid_argument("PARAMETER_INVALID", cat(name, " ", message), std::string(name));
}
Error not_served(std::string_view field, std::string message) {
  return {Code::kFailedPrecondition,
          "E2B_NOT_SERVED",
          cat(field, ": ", message),
          {{std::string(field), std::move(message)}}};
}

Result<std::optional<Millis>> timeout_of(const Value& request) {
  const Value* timeout = request.find("timeout");
  if (timeout == nullptr || timeout->is_null()) return std::optional<Millis>();
  const int64_t* seconds = timeout->integer();
  if (seconds == nullptr || *seconds < 0 || *seconds > kLongestSeconds)
    return wrong_field("timeout", cat("is whole seconds, at most ", kLongestSeconds));
  return std::optional<Millis>(std::chrono::seconds(*seconds));
}

Result<NewSandbox> read_new_sandbox(const Value& request) {
  if (request.object() == nullptr)
    return invalid_argument("INVALID_FIELD", "the body must be an object");
  TRY(check_unserved(request));
  NewSandbox out;
  const Value* template_id = request.find("templateID");
  if (template_id == nullptr || template_id->string() == nullptr || template_id->string()->empty())
    return wrong_field("templateID", "which template?");
  out.template_id = *template_id->string();
  ASSIGN_OR_RETURN(out.metadata, metadata_from(request));
  ASSIGN_OR_RETURN(out.env, pairs_of(request, "envVars"));
  ASSIGN_OR_RETURN(out.timeout, timeout_of(request));
  ASSIGN_OR_RETURN(out.network, network_from(request));
  return out;
}

}  // namespace paddock::e2b
