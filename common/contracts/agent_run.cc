#include "common/contracts/agent_run.h"

#include "common/base/control_text.h"
#include "common/base/text.h"
#include "common/wire/json.h"

namespace paddock::contracts {
namespace {

using wire::Value;

Error bad_request(const std::string& message, const char* field) {
  return invalid_argument("BAD_REQUEST", message, field);
}

std::optional<PendingToolUse> tool_use_of(const Value& block) {
  if (block.object() == nullptr || block.text("type") != "tool_use") return std::nullopt;
  PendingToolUse use{block.text("id"), block.text("name")};
  // A control character is in no id that a program makes, and not every store takes all of them.
  if (trim(use.id).empty() || use.id.size() > kLongestToolUseId || has_control(use.id))
    return std::nullopt;
  if (use.name.size() > kLongestToolUseId) use.name.clear();
  return use;
}

}  // namespace

Result<ToolResult> decode_tool_result(const Value& body) {
  if (body.object() == nullptr) return bad_request("the body must be an object", "");
  ToolResult out;
  for (const auto& [name, member] : *body.object()) {
    if (name == "toolUseId") {
      if (member.string() != nullptr) out.tool_use_id = *member.string();
    } else if (name == "content") {
      out.content = member;
    } else if (name == "isError") {
      if (member.boolean() == nullptr)
        return bad_request("isError must be true or false", "isError");
      out.is_error = *member.boolean();
    } else if (name == "runId") {
      if (member.string() == nullptr)
        return bad_request("runId must match the path run id", "runId");
      out.run_id = *member.string();
    } else {
      return bad_request(cat("unknown field ", to_utf8_lossy(name)), "");
    }
  }
  if (trim(out.tool_use_id).empty()) return bad_request("toolUseId is required", "toolUseId");
  const bool content_ok = out.content.string() != nullptr || out.content.array() != nullptr;
  if (!content_ok) return bad_request("content must be a string or a list of blocks", "content");
  return out;
}

std::string tool_result_line(const ToolResult& result) {
  const Value block = Value::Object{{"type", "tool_result"},
                                    {"tool_use_id", result.tool_use_id},
                                    {"content", result.content},
                                    {"is_error", result.is_error}};
  const Value message =
      Value::Object{{"type", "user"},
                    {"message", Value::Object{{"role", "user"}, {"content", Value::Array{block}}}}};
  return wire::to_json(message) + "\n";
}

std::vector<PendingToolUse> tool_uses_in(std::string_view line) {
  std::vector<PendingToolUse> uses;
  if (line.find("tool_use") == std::string_view::npos) return uses;
  const auto document = wire::parse_json(line);
  if (!document || document->object() == nullptr) return uses;
  if (auto use = tool_use_of(*document)) uses.push_back(std::move(*use));
  const Value* content = document->at("message.content");
  if (content == nullptr || content->array() == nullptr) return uses;
  for (const Value& block : *content->array()) {
    if (auto use = tool_use_of(block)) uses.push_back(std::move(*use));
  }
  return uses;
}

}  // namespace paddock::contracts
