#include "common/mcp/tool_rows.h"

#include "common/base/percent.h"
#include "common/base/text.h"
#include "common/contracts/api_paths.h"
#include "common/mcp/answer_room.h"
#include "common/mcp/argument_formats.h"
#include "common/mcp/schema_words.h"

namespace paddock::mcp {
namespace {

using wire::Value;

constexpr size_t kMostDenials = 8;
constexpr size_t kDenialRoom = 300;
constexpr const char* kNoCursor =
    "cursor is not one that this server gave out as `next`; leave it out to begin again";

}  // namespace

void mark_untrusted(Value& answer, std::initializer_list<const char*> members) {
  Value::Array names;
  for (const char* member : members)
    if (answer.find(member) != nullptr) names.emplace_back(member);
  if (!names.empty()) answer.set("untrusted", std::move(names));
}

Result<Value> list_page(const Place& place, const std::string& target, const Arguments& given) {
  const std::string joint = target.find('?') == std::string::npos ? "?" : "&";
  const std::string cursor = given.text("cursor");
  std::string page = cat(target, joint, "limit=", given.integer("limit", 20));
  if (!cursor.empty()) page += cat("&continue=", percent_encode(cursor));
  Result<Value> listed = place.api.send({.target = page});
  if (!listed && listed.error().reason == "CONTINUE_INVALID")
    return Error{listed.error().code, "CONTINUE_INVALID", kNoCursor, {{"cursor", kNoCursor}}};
  return listed;
}

void set_cursor(Value& answer, const Value& page) {
  const std::string next = page.text("metadata.continue");
  if (!next.empty()) answer.set("next", next);
}

Value cursor() { return text("`next` of the page before"); }

Result<std::string> idempotency_key(const Arguments& given) {
  std::string key = given.text("idempotencyKey");
  TRY(check_format("idempotencyKey", key));
  return key;
}

Value metadata_of(const std::string& name, const char* prefix) {
  Value out = Value::Object{};
  out.set(name.empty() ? "generateName" : "name", name.empty() ? std::string(prefix) : name);
  return out;
}

Value denials_of(const Value* denials) {
  Value::Array out;
  if (denials == nullptr || denials->array() == nullptr) return out;
  for (const Value& each : *denials->array()) {
    if (out.size() == kMostDenials) break;
    Value denial = Value::Object{};
    for (const char* member : {"what", "target", "rule", "remedy"})
      if (const std::string said = each.text(member); !said.empty())
        denial.set(member, clipped(said, kDenialRoom));
    out.push_back(std::move(denial));
  }
  return out;
}

Value denials_schema() {
  return list_of(object({{"what", text("was tried")},
                         {"target", text("on what")},
                         {"rule", text("that refused it")},
                         {"remedy", text("what would allow it")}}),
                 "what the sandbox stopped");
}

}  // namespace paddock::mcp
