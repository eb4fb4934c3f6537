// Both directions of an agent run. What a program prints asks for tools with ids that can be
// answered, or for none; an answer that is taken becomes exactly one line, which is JSON.
#include "common/contracts/agent_run.h"
#include "common/wire/json.h"

namespace {

using namespace paddock;

void check_output(std::string_view line) {
  for (const contracts::PendingToolUse& use : contracts::tool_uses_in(line)) {
    if (use.id.empty() || use.id.size() > contracts::kLongestToolUseId)
      panic("an id that cannot be answered");
    if (use.id.find('\0') != std::string::npos) panic("an id that not every store takes");
    if (use.name.size() > contracts::kLongestToolUseId) panic("a name without an end");
    if (line.find("tool_use") == std::string_view::npos) panic("nothing asked for it");
  }
}

void check_answer(const wire::Value& body) {
  const auto result = contracts::decode_tool_result(body);
  if (!result) {
    if (result.error().reason != "BAD_REQUEST") panic("a refusal of another kind");
    return;
  }
  const std::string line = contracts::tool_result_line(*result);
  if (line.find('\n') != line.size() - 1) panic("an answer is not one line");
  const auto message = wire::parse_json(line);
  if (!message || message->text("type") != "user") panic("an answer is not a message");
  const auto* content = message->at("message.content");
  if (content == nullptr || content->array() == nullptr || content->array()->size() != 1)
    panic("an answer is not one result");
  if (content->array()->front().text("tool_use_id") != result->tool_use_id)
    panic("an answer for another id");
  if (!contracts::tool_uses_in(line).empty()) panic("an answer asks for a tool");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_output(bytes);
  if (const auto body = wire::parse_json(bytes)) check_answer(*body);
  return 0;
}
