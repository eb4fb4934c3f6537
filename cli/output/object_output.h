// -o table|wide|json|yaml|name|jsonpath=TEMPLATE, for commands that print objects.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output/json_path.h"
#include "cli/output/kinds.h"
#include "cli/output/output_format.h"
#include "cli/terminal/env.h"

namespace paddock::cli {

struct ObjectOutput {
  OutputFormat format = OutputFormat::kTable;
  std::optional<JsonPath> path = {};

  // Whether the whole object is wanted, or what a path picks from it.
  bool is_document() const { return path || cli::is_document(format); }
};
// UNKNOWN_OUTPUT_FORMAT or BAD_JSONPATH.
Result<ObjectOutput> parse_object_output(std::string_view text);

// A document as `output` wants it. What a path picks is as the object has it, but cannot drive a
// terminal.
void print_document(const wire::Value& document, const ObjectOutput& output, const Env& env);

// `run.paddock.dev/hello`
std::string object_reference(Kind kind, std::string_view name);

// Several objects as one document: the only one, or a List.
wire::Value as_one_document(std::vector<wire::Value> objects);
wire::Value as_list(std::vector<wire::Value> objects);

}  // namespace paddock::cli
