#include "cli/output/output_format.h"

#include "common/base/text.h"
#include "common/wire/yaml.h"

namespace paddock::cli {

Result<OutputFormat> parse_output_format(std::string_view text) {
  if (text.empty() || text == "table") return OutputFormat::kTable;
  if (text == "wide") return OutputFormat::kWide;
  if (text == "json") return OutputFormat::kJson;
  if (text == "yaml") return OutputFormat::kYaml;
  if (text == "name") return OutputFormat::kName;
  return invalid_argument("UNKNOWN_OUTPUT_FORMAT",
                          cat("`", text, "` is not a format; known: table, wide, json, yaml, name"),
                          "--output");
}

std::string document_text(const wire::Value& document, OutputFormat format) {
  if (format != OutputFormat::kYaml) return wire::to_pretty_json(document);
  std::string text = wire::to_yaml(document);
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

}  // namespace paddock::cli
