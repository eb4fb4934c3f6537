#include "cli/options/label_changes.h"

#include "common/base/text.h"

namespace paddock::cli {

using wire::Value;

bool is_label_change(std::string_view word) {
  return word.find('=') != std::string_view::npos || word.ends_with('-');
}

Result<Value> label_patch(const std::vector<std::string>& words, const char* map) {
  Value labels = Value::Object{};
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    const bool removes = equals == std::string::npos && word.size() > 1 && word.ends_with('-');
    if (!removes && (equals == std::string::npos || equals == 0))
      return invalid_argument("USAGE", cat("`", word, "` is neither KEY=VALUE nor KEY-"), "NAME");
    const std::string key = word.substr(0, removes ? word.size() - 1 : equals);
    if (labels.find(key) != nullptr)
      return invalid_argument("USAGE", cat("`", key, "` is named twice"), "NAME");
    labels.set(key, removes ? Value() : Value(word.substr(equals + 1)));
  }
  return Value(Value::Object{{"metadata", Value::Object{{map, std::move(labels)}}}});
}

Status keeps_labels(const Value& object, const Value& patch) {
  std::vector<std::string> changed;
  const auto& [map, changes] = patch.at("metadata")->object()->front();
  const Value* now = object.at(cat("metadata.", map));
  for (const auto& [key, wanted] : *changes.object()) {
    const Value* had = now == nullptr ? nullptr : now->find(key);
    if (had != nullptr && !wanted.is_null() && !(*had == wanted))
      changed.push_back(cat("`", key, "`"));
  }
  if (changed.empty()) return {};
  const bool one = changed.size() == 1;
  return Error{
      Code::kAlreadyExists, "LABEL_EXISTS",
      cat("the ", one ? map.substr(0, map.size() - 1) : map, " ", join(changed, ", "),
          one ? " has" : " have", " another value; --overwrite replaces ", one ? "it" : "them")};
}

}  // namespace paddock::cli
