// `paddock explain` and `api-resources`: what the controller says of its own API.
#include "cli/output/explain.h"

#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/output/kinds.h"
#include "cli/output/object_output.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/table.h"
#include "common/base/text.h"
#include "common/contracts/api_paths.h"
#include "common/contracts/meta.h"

namespace paddock::cli {
namespace {

using wire::Value;

Result<int> explain(Watcher& watcher, const Parsed& parsed, const Env& env) {
  std::vector<std::string> words = split(parsed.text("FIELD"), '.');
  ASSIGN_OR_RETURN(const Kind kind, parse_kind(words.front()));
  words.erase(words.begin());
  ASSIGN_OR_RETURN(const Value openapi,
                   watcher.client.get(cat("/openapi/v3", contracts::paths::kBase)));
  ASSIGN_OR_RETURN(const std::string text,
                   explain_text(openapi, {std::string(info(kind).object_kind), std::move(words),
                                          parsed.has("recursive")}));
  env.out.write(text);
  return kExitOk;
}

std::string words_of(const Value& resource, std::string_view field) {
  std::vector<std::string> words;
  if (const Value* list = resource.find(field); list != nullptr && list->array() != nullptr)
    for (const Value& each : *list->array()) words.push_back(each.string() ? *each.string() : "");
  return join(words, ",");
}

Result<int> api_resources(Watcher& watcher, const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const OutputFormat format, parse_output_format(parsed.text("output")));
  ASSIGN_OR_RETURN(const Value answer, watcher.client.get(contracts::paths::kBase));
  if (is_document(format)) {
    env.out.write(document_text(answer, format));
    return kExitOk;
  }
  const bool wide = format == OutputFormat::kWide;
  Table table{{"NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"}, {}};
  if (wide) table.header.emplace_back("VERBS");
  const Value* resources = answer.find("resources");
  if (resources == nullptr || resources->array() == nullptr) return kExitOk;
  for (const Value& each : *resources->array()) {
    const std::string name = each.text("name");
    if (name.find('/') != std::string::npos) continue;  // a subresource
    const Value* namespaced = each.find("namespaced");
    const bool yes = namespaced != nullptr && namespaced->boolean() && *namespaced->boolean();
    table.rows.push_back({name, words_of(each, "shortNames"), contracts::kApiVersion,
                          yes ? "true" : "false", each.text("kind")});
    if (wide) table.rows.back().push_back(words_of(each, "verbs"));
  }
  env.out.write(render(table));
  return kExitOk;
}

}  // namespace

int explain_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) { return explain(watcher, parsed, env); });
}

int api_resources_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) { return api_resources(watcher, parsed, env); });
}

}  // namespace paddock::cli
