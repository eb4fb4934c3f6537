#include "cli/output/explain.h"

#include <algorithm>
#include <vector>

#include "cli/terminal/terminal.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/contracts/meta.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

using wire::Value;

constexpr std::string_view kReference = "#/components/schemas/";
constexpr int kDeepest = 24;  // types may hold themselves

// A document of one API: what its types look like.
class Schemas {
 public:
  explicit Schemas(const Value& openapi) : all_(openapi.at("components.schemas")) {}

  const Value* named(std::string_view name) const {
    return all_ == nullptr ? nullptr : all_->find(name);
  }
  // The type that a property refers to, if it does.
  static std::string reference(const Value& property) {
    const Value* all_of = property.find("allOf");
    const bool refers =
        all_of != nullptr && all_of->array() != nullptr && !all_of->array()->empty();
    const std::string target =
        refers ? all_of->array()->front().text("$ref") : property.text("$ref");
    return target.starts_with(kReference) ? target.substr(kReference.size()) : std::string();
  }
  // Where a property's own fields are: its type, its items' or its values'.
  const Value& inside(const Value& property) const {
    if (const Value* type = named(reference(property))) return *type;
    if (const Value* items = property.find("items")) return inside(*items);
    if (const Value* values = property.find("additionalProperties"); values && values->object())
      return inside(*values);
    return property;
  }

 private:
  const Value* all_;
};

std::string type_of(const Value& property) {
  if (const std::string name = Schemas::reference(property); !name.empty()) return name;
  if (const Value* items = property.find("items")) return cat("[]", type_of(*items));
  if (const Value* values = property.find("additionalProperties"); values && values->object())
    return cat("map[string]", type_of(*values));
  if (property.find("oneOf") != nullptr) return "string or []string";
  const std::string type = property.text("type");
  return type.empty() ? "any" : type;
}

bool is_required(const Value& type, std::string_view name) {
  const Value* required = type.find("required");
  return required != nullptr && required->array() != nullptr &&
         std::ranges::any_of(*required->array(), [&](const Value& each) {
           return each.string() != nullptr && *each.string() == name;
         });
}

// The rules for a value, as far as the schema says.
std::string rules_of(const Value& property) {
  std::vector<std::string> rules;
  if (const Value* words = property.find("enum"); words != nullptr && words->array() != nullptr) {
    std::vector<std::string> names;
    for (const Value& each : *words->array()) names.push_back(each.string() ? *each.string() : "");
    rules.push_back(cat("one of ", join(names, ", ")));
  }
  constexpr std::pair<const char*, const char*> kRules[] = {{"minimum", "at least "},
                                                            {"maximum", "at most "},
                                                            {"minLength", "characters at least "},
                                                            {"maxLength", "characters at most "},
                                                            {"pattern", "matches "},
                                                            {"example", "e.g. "}};
  for (const auto& [name, words] : kRules) {
    if (const Value* rule = property.find(name))
      rules.push_back(cat(words, rule->string() ? *rule->string() : wire::to_json(*rule)));
  }
  const Value* fallback = property.find("default");
  if (fallback != nullptr && fallback->object() == nullptr && fallback->array() == nullptr &&
      !(fallback->string() != nullptr && fallback->string()->empty()))
    rules.push_back(
        cat("default ", fallback->string() ? *fallback->string() : wire::to_json(*fallback)));
  return join(rules, "; ");
}

std::string field_line(const std::string& name, const Value& property, bool required,
                       const std::string& indent) {
  return cat(indent, printable(name), " <", printable(type_of(property)), ">",
             required ? " -required-" : "", "\n");
}

std::string described(const Value& property, const std::string& indent) {
  std::string out;
  for (const std::string& line : {property.text("description"), rules_of(property)})
    if (!line.empty()) out += cat(indent, printable(line), "\n");
  return out;
}

std::string fields_of(const Schemas& schemas, const Value& type, bool recursive, int depth) {
  const Value* properties = type.find("properties");
  if (properties == nullptr || properties->object() == nullptr || depth == kDeepest) return "";
  const std::string indent(static_cast<size_t>(depth) * 2, ' ');
  std::string out;
  for (const auto& [name, property] : *properties->object()) {
    out += field_line(name, property, is_required(type, name), indent);
    out += recursive ? fields_of(schemas, schemas.inside(property), true, depth + 1)
                     : described(property, indent + "    ");
  }
  return out;
}

Error unknown_field(const std::string& name, const std::string& where, const Value& type) {
  std::vector<std::string> known;
  if (const Value* properties = type.find("properties"); properties && properties->object())
    for (const auto& [each, property] : *properties->object()) known.push_back(each);
  std::string message = cat("`", where, "` has no field `", name, "`");
  if (const std::string near = nearest(name, known); !near.empty()) {
    message += cat("; did you mean `", near, "`?");
  } else if (known.empty()) {
    message += "; it has no fields of its own";
  }
  return {Code::kNotFound, "UNKNOWN_FIELD", message};
}

}  // namespace

Result<std::string> explain_text(const Value& openapi, const Question& question) {
  const Schemas schemas(openapi);
  const Value* type = schemas.named(question.kind);
  if (type == nullptr)
    return Error{Code::kNotFound, "UNKNOWN_KIND",
                 cat("the server does not describe `", question.kind, "`")};
  std::string out = cat("KIND:     ", question.kind, "\nVERSION:  ", contracts::kApiVersion, "\n");
  std::string where = ascii_lower(question.kind);
  const Value* property = nullptr;
  for (const std::string& name : question.path) {
    const Value* properties = type->find("properties");
    property = properties == nullptr ? nullptr : properties->find(name);
    if (property == nullptr) return unknown_field(name, where, *type);
    where += cat(".", name);
    type = &schemas.inside(*property);
  }
  if (property != nullptr) {
    out += cat("FIELD:    ", where, " <", printable(type_of(*property)), ">\n");
    if (const std::string text = described(*property, "  "); !text.empty()) out += cat("\n", text);
  }
  if (const std::string fields = fields_of(schemas, *type, question.recursive, 1); !fields.empty())
    out += cat("\nFIELDS:\n", fields);
  return out;
}

}  // namespace paddock::cli
