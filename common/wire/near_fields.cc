#include "common/wire/near_fields.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/fault_sentence.h"
#include "common/base/nearest.h"
#include "common/base/text.h"

namespace paddock::wire {
namespace {

constexpr size_t kMostElsewhere = 2;  // a name that more types have is no help

bool is_unknown(const Cause& cause) { return cause.kind == CauseKind::kUnknownField; }

// A key that a type does not have, and the schema's fields at that place, if it names any.
struct Stranger {
  std::string_view key;
  const Value* beside = nullptr;
};

// Indices at the start of a path, `[2][0]`: the schema of such an item, or nothing.
const Value* item_schema(const Value* schema, std::string_view& path) {
  while (schema != nullptr && path.starts_with('[')) {
    const size_t end = path.find(']');
    if (end == std::string_view::npos) return nullptr;
    path.remove_prefix(end + 1);
    schema = schema->find("items");
  }
  return schema;
}

Stranger find_stranger(const Value& schema, std::string_view path) {
  const Value* at = &schema;
  while (at != nullptr) {
    const Value* properties = at->find("properties");
    const size_t end = path.find_first_of(".[");
    const std::string_view key = path.substr(0, end);
    at = properties != nullptr ? properties->find(key) : at->find("additionalProperties");
    if (at == nullptr || end == std::string_view::npos) return {path, properties};
    path.remove_prefix(end);
    at = item_schema(at, path);
    if (path.starts_with('.')) path.remove_prefix(1);
  }
  return {};
}

// Looks for the key everywhere but in lists and maps, and in the status, which the server writes.
void find_elsewhere(const Value& schema, std::string_view key, const std::string& above,
                    std::vector<std::string>& found) {
  const Value* properties = schema.find("properties");
  if (properties == nullptr || properties->object() == nullptr) return;
  for (const auto& [name, child] : *properties->object()) {
    if (above.empty() && name == "status") continue;
    const std::string path = above.empty() ? name : cat(above, ".", name);
    if (name == key) found.push_back(path);
    find_elsewhere(child, key, path, found);
  }
}

std::vector<std::string> names_of(const Value& properties) {
  std::vector<std::string> names;
  if (properties.object() == nullptr) return names;
  for (const auto& [name, schema] : *properties.object()) names.push_back(name);
  return names;
}

std::string did_you_mean(const Value& schema, const std::string& path) {
  const Stranger stranger = find_stranger(schema, path);
  if (stranger.beside == nullptr) return "";
  std::vector<std::string> meant;
  for (const std::string& name : names_of(*stranger.beside)) {
    if (name.size() == stranger.key.size() && ascii_lower(name) == ascii_lower(stranger.key))
      meant.push_back(name);
  }
  if (meant.empty()) find_elsewhere(schema, stranger.key, {}, meant);
  const std::vector<std::string> beside = names_of(*stranger.beside);
  if (meant.empty() || meant.size() > kMostElsewhere) meant = {nearest(stranger.key, beside)};
  if (meant.front().empty())
    return beside.size() == 1 ? cat("; the only field there is `", beside.front(), "`") : "";
  return cat("; did you mean `", join(meant, "` or `"), "`?");
}

}  // namespace

Error with_near_fields(Error error, const Value& schema) {
  for (Cause& cause : error.causes)
    if (is_unknown(cause)) cause.message += did_you_mean(schema, cause.field);
  if (error.faults > 0) tell_faults(error);
  return error;
}

Error with_near_fields(Error error, Value (*schema)()) {
  if (std::ranges::none_of(error.causes, is_unknown)) return error;
  return with_near_fields(std::move(error), schema());
}

}  // namespace paddock::wire
