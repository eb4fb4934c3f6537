#include "cli/output/label_columns.h"

#include "cli/terminal/table.h"

namespace paddock::cli {

std::string label_header(std::string_view label) {
  return column_title(label.substr(label.rfind('/') + 1));
}

std::string label_cell(const wire::Value& object, std::string_view label) {
  const wire::Value* labels = object.at("metadata.labels");
  const wire::Value* value = labels == nullptr ? nullptr : labels->find(label);
  return value != nullptr && value->string() != nullptr ? *value->string() : std::string();
}

}  // namespace paddock::cli
