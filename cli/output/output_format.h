// -o table|wide|json|yaml|name: how objects are written to stdout.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/wire/value.h"

namespace paddock::cli {

enum class OutputFormat { kTable, kWide, kJson, kYaml, kName };

// Empty is the table. UNKNOWN_OUTPUT_FORMAT names the known ones.
Result<OutputFormat> parse_output_format(std::string_view text);
// A document as JSON or YAML; `format` is one of the two.
std::string document_text(const wire::Value& document, OutputFormat format);
inline bool is_document(OutputFormat format) {
  return format == OutputFormat::kJson || format == OutputFormat::kYaml;
}

}  // namespace paddock::cli
