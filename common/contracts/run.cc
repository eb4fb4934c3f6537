#include "common/contracts/run.h"

#include "common/contracts/ceilings.h"

namespace paddock::contracts {
namespace {

std::string word_fault(std::string_view word, bool first) {
  if (first && word.empty()) return "must not be empty";
  return word.find('\0') == word.npos ? "" : "must not contain a NUL byte";
}

std::vector<std::string> words_of_list(const wire::Value::Array& items, wire::Check& check) {
  std::vector<std::string> words;
  for (size_t i = 0; i < items.size(); ++i) {
    const wire::Check::Scope scope(check, i);
    const std::string* word = items[i].string();
    if (word == nullptr) {
      check.fail(cat("expected string, got ", items[i].type_name()), CauseKind::kWrongType);
      continue;
    }
    if (std::string fault = word_fault(*word, i == 0); !fault.empty()) check.fail(std::move(fault));
    words.push_back(*word);
  }
  if (items.empty()) check.fail("must not be empty");
  return words;
}

std::vector<std::string> words_of_line(const std::string& line, wire::Check& check) {
  auto words = split_command(line);
  if (!words) {
    check.fail(words.error().message);
    return {};
  }
  std::string fault = words->empty() ? "must not be empty" : "";
  for (size_t i = 0; i < words->size() && fault.empty(); ++i)
    fault = word_fault((*words)[i], i == 0);
  if (!fault.empty()) check.fail(std::move(fault));
  return std::move(words).value();
}

}  // namespace

std::optional<Command> Command::decode_value(const wire::Value& value, wire::Check& check) {
  const size_t faults_before = check.causes().size();
  Command out;
  if (const std::string* line = value.string()) {
    out.line = *line;
    out.argv = words_of_line(*line, check);
  } else if (const wire::Value::Array* items = value.array()) {
    out.argv = words_of_list(*items, check);
  } else {
    check.fail(cat("expected a list of strings or one string, got ", value.type_name()),
               CauseKind::kWrongType);
  }
  if (check.causes().size() > faults_before) return std::nullopt;
  return out;
}

// The command is stored in the form in which the caller sent it: a string stays a string.
wire::Value Command::encode_value() const {
  if (!line.empty()) return line;
  wire::Value::Array items;
  for (const std::string& word : argv) items.emplace_back(word);
  return items;
}

wire::Value Command::value_schema() {
  using wire::Value;
  const Value text = Value::Object{{"type", "string"}};
  const Value list = Value::Object{{"type", "array"}, {"items", text}};
  return Value::Object{{"oneOf", Value::Array{text, list}},
                       {"x-kubernetes-preserve-unknown-fields", true}};
}

void RunSpec::validate(wire::Check& check) const {
  if (type != RunType::kCode && command.argv.empty())
    check.fail("command", "required field is missing", CauseKind::kRequired);
  if (code.find('\0') != std::string::npos) check.fail("code", "must not contain a NUL byte");
  if (input_data && !input_data->is_null() && input_data->object() == nullptr)
    check.fail("inputData", cat("must be an object or null, got ", input_data->type_name()));
  check_grace_field(termination_grace, check);
}

std::string command_text(const RunSpec& spec) {
  if (spec.type == RunType::kCode) return cat("code of ", spec.code.size(), " bytes");
  return join(spec.command.argv, " ");
}

Result<std::vector<std::string>> split_command(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      const bool escaped = quote == '"' && c == '\\' && i + 1 < line.size() &&
                           (line[i + 1] == '"' || line[i + 1] == '\\');
      if (escaped) {
        word += line[++i];
      } else if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == '\\') {
      if (i + 1 == line.size())
        return invalid_argument("COMMAND_INVALID", "the command ends with a backslash");
      word += line[++i];
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (in_word) words.push_back(std::exchange(word, {}));
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != 0)
    return invalid_argument("COMMAND_INVALID", cat("the command has an unclosed ", quote));
  if (in_word) words.push_back(std::move(word));
  return words;
}

}  // namespace paddock::contracts

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::Run);
PADDOCK_INSTANTIATE_CODEC(paddock::contracts::RunSpec);
