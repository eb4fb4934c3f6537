#include "cli/output/object_output.h"

#include "cli/terminal/safe_output.h"
#include "common/base/text.h"
#include "common/contracts/meta.h"

namespace paddock::cli {

using wire::Value;

Result<ObjectOutput> parse_object_output(std::string_view text) {
  constexpr std::string_view kPath = "jsonpath=";
  ObjectOutput output;
  if (text.starts_with(kPath)) {
    ASSIGN_OR_RETURN(output.path, JsonPath::parse(text.substr(kPath.size())));
    return output;
  }
  const Result<OutputFormat> format = parse_output_format(text);
  if (format.ok()) {
    output.format = *format;
    return output;
  }
  return invalid_argument(format.error().reason, format.error().message + ", jsonpath=TEMPLATE",
                          "--output");
}

void print_document(const Value& document, const ObjectOutput& output, const Env& env) {
  if (!output.path) return env.out.write(document_text(document, output.format));
  const std::string text = output.path->render(document);
  env.out.write(env.out.tty ? terminal_safe(text) : text);
}

std::string object_reference(Kind kind, std::string_view name) {
  return cat(info(kind).singular, ".", contracts::kGroup, "/", printable(name));
}

Value as_list(std::vector<Value> objects) {
  return Value::Object{{"kind", "List"},
                       {"apiVersion", "v1"},
                       {"metadata", Value::Object{}},
                       {"items", Value::Array(std::move(objects))}};
}

Value as_one_document(std::vector<Value> objects) {
  return objects.size() == 1 ? std::move(objects.front()) : as_list(std::move(objects));
}

}  // namespace paddock::cli
