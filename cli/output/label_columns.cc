#include "cli/output/label_columns.h"

namespace paddock::cli {

std::string label_header(std::string_view label) {
  std::string name(label.substr(label.rfind('/') + 1));
  for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return name;
}

std::string label_cell(const wire::Value& object, std::string_view label) {
  const wire::Value* labels = object.at("metadata.labels");
  const wire::Value* value = labels == nullptr ? nullptr : labels->find(label);
  return value != nullptr && value->string() != nullptr ? *value->string() : std::string();
}

}  // namespace paddock::cli
