#include "controller/k8s/api_types.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/text.h"
#include "common/contracts/access_token.h"
#include "common/contracts/audit.h"
#include "common/contracts/audit_chain.h"
#include "common/contracts/execute.h"
#include "common/contracts/grant.h"
#include "common/contracts/node.h"
#include "common/contracts/policy_explanation.h"
#include "common/contracts/receipt.h"
#include "common/contracts/run.h"
#include "common/contracts/run_exec.h"
#include "common/contracts/run_plan.h"
#include "common/contracts/run_signal.h"
#include "common/contracts/sandbox.h"
#include "common/contracts/secret.h"
#include "common/contracts/session_calls.h"
#include "common/contracts/tool_token.h"
#include "common/contracts/tree.h"
#include "common/contracts/volume.h"
#include "common/contracts/workspace.h"

namespace paddock::k8s {
namespace {

using wire::Value;

template <class T>
struct Tag {};

template <class T>
concept OwnSchema = requires {
  T::value_schema();
};

// `RunSpec` of `… [with T = paddock::contracts::RunSpec]`.
template <class T>
std::string name_of() {
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(text.find("T = ") + 4);
  text = text.substr(0, text.find_first_of(";]"));
  return std::string(text.substr(text.rfind(':') + 1));
}

template <class T>
void add(Value& types);

// Puts a reference in place of each named type that is written out in the schema of a field.
template <class T>
void refer(Tag<T>, Value& schema, Value& types) {
  if constexpr (wire::Described<T> || OwnSchema<T>) {
    if (schema.find("properties") == nullptr) return;
    add<T>(types);
    Value reference = Value::Object{
        {"allOf",
         Value::Array{Value::Object{{"$ref", cat("#/components/schemas/", name_of<T>())}}}}};
    if (const Value* text = schema.find("description")) reference.set("description", *text);
    schema = std::move(reference);
  }
}
template <class T>
void refer(Tag<std::optional<T>>, Value& schema, Value& types) {
  refer(Tag<T>(), schema, types);
}
template <class T>
void refer(Tag<std::vector<T>>, Value& schema, Value& types) {
  refer(Tag<T>(), *schema.find("items"), types);
}
template <class T>
void refer(Tag<std::map<std::string, T>>, Value& schema, Value& types) {
  refer(Tag<T>(), *schema.find("additionalProperties"), types);
}

template <class T>
constexpr bool kOptional = false;
template <class T>
constexpr bool kOptional<std::optional<T>> = true;

Value empty_of(std::string_view type) {
  if (type == "array") return Value::Array{};
  if (type == "boolean") return false;  // of a wire::Flag
  return "";
}

// Sets the default of a field that is not optional: what is in force where it is absent, since for
// such a field absent and empty are the same. If an object only says that it may be absent, the
// defaults are those of its own fields.
template <class T>
void set_default(const wire::Rules& rules, const Value* encoded, Value& property) {
  if (kOptional<T> || rules.required) return;
  const std::string type = property.text("type");
  if (rules.omit_empty) property.set("x-omitempty", true);
  if (property.find("allOf") != nullptr || type == "object") {
    property.set("default", Value::Object{});
  } else if (encoded != nullptr) {
    property.set("default", *encoded);
  } else if (rules.omit_empty) {
    property.set("default", empty_of(type));
  }
}

template <class T>
void add(Value& types) {
  static_assert(wire::Described<T> || OwnSchema<T>, "a type without a declaration of its own");
  const std::string name = name_of<T>();
  if (types.find(name) != nullptr) return;
  Value schema = wire::schema<T>();
  types.set(name, Value());  // it has a place before those that it leads to
  if constexpr (wire::Described<T>) {
    const Value empty = wire::encode(T{});
    const auto describe = [&](const auto& f) {
      using Member = std::remove_cvref_t<decltype(std::declval<T>().*(f.member))>;
      Value& property = *schema.find("properties")->find(f.name);
      refer(Tag<Member>(), property, types);
      set_default<Member>(f.rules, empty.find(f.name), property);
    };
    T::describe([&](const auto&... f) { (describe(f), ...); });
  }
  types.set(name, std::move(schema));
}

// The answer of a short program has fields that are null or something.
void describe_nullable(Value& answer) {
  Value& properties = *answer.find("properties");
  const Value text = Value::Object{{"type", "string"}};
  const std::pair<const char*, Value> nullable[] = {
      {"error", text}, {"validation_errors", Value::Object{{"type", "array"}, {"items", text}}}};
  for (const auto& [name, type] : nullable) {
    Value& property = *properties.find(name);
    property.erase("x-kubernetes-preserve-unknown-fields");
    property.set("nullable", true);
    for (const auto& [key, value] : *type.object()) property.set(key, value);
  }
}

// The words that `error.code` of a Status and `status.reason` of a run can have. A later version
// may add some.
Value reason_schema() {
  Value words = Value::Array{};
  for (const reasons::Row& row : reasons::kRows) words.push_back(row.word);
  return Value::Object{{"type", "string"},
                       {"description", "a stable word that says why; a later version may add some"},
                       {"x-extensible-enum", std::move(words)}};
}

Value make_types() {
  using namespace contracts;  // NOLINT: a list of their names
  Value types = Value::Object{};
  add<Run>(types);
  add<RunPlan>(types);
  add<PolicyQuestion>(types);
  add<PolicyExplanation>(types);
  add<MediaTask>(types);
  add<Sandbox>(types);
  add<CommandRequest>(types);
  add<RunCommandRequest>(types);
  add<SignalRequest>(types);
  add<InputPiece>(types);
  add<InputTaken>(types);
  add<RunResult>(types);
  add<SessionFileList>(types);
  add<Workspace>(types);
  add<Tree>(types);
  add<TreeAnswer>(types);
  add<Volume>(types);
  add<contracts::Grant>(types);
  add<GrantQuestion>(types);
  add<GrantDecision>(types);
  add<contracts::ToolToken>(types);
  add<contracts::Secret>(types);
  add<SecretKeyRotation>(types);
  add<ReceiptEnvelope>(types);
  add<ReceiptKeyList>(types);
  add<Node>(types);
  add<Drain>(types);
  add<ExecuteRequest>(types);
  add<ExecuteAnswer>(types);
  add<AuditList>(types);
  add<AuditChainPage>(types);
  add<AccessTokenRequest>(types);
  add<AccessTokenList>(types);
  describe_nullable(*types.find("ExecuteAnswer"));
  types.set("Reason", reason_schema());
  return types;
}

}  // namespace

const Value& api_types() {
  static const Value kTypes = make_types();
  return kTypes;
}

}  // namespace paddock::k8s
