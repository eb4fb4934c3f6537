#include "cli/options/secret_values.h"

#include "common/base/text.h"

namespace paddock::cli {
namespace {

Error value_fault(std::string_view option, const std::string& message) {
  return invalid_argument("INVALID_OPTION", message, std::string(option));
}

}  // namespace

Result<ValueFile> parse_value_file(std::string_view text) {
  constexpr const char* kOption = "--from-file";
  const size_t equals = text.find('=');
  ValueFile out;
  out.file = equals == std::string_view::npos ? text : text.substr(equals + 1);
  out.key =
      equals == std::string_view::npos ? text.substr(text.rfind('/') + 1) : text.substr(0, equals);
  if (out.file == "-" && equals == std::string_view::npos)
    return value_fault(kOption, "`-`: say what the value from stdin is called: KEY=-");
  if (out.file.empty()) return value_fault(kOption, cat("`", text, "`: expected KEY=FILE"));
  return out;
}

Status add_literal(std::string_view text, std::map<std::string, std::string>& out) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) return value_fault("--from-literal", "expected KEY=VALUE");
  return add_value(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)),
                   "--from-literal", out);
}

Status add_value(const std::string& key, std::string value, std::string_view option,
                 std::map<std::string, std::string>& out) {
  if (const std::string fault = contracts::secret_key_fault(key); !fault.empty())
    return value_fault(option, cat("`", key, "`: ", fault));
  if (!out.emplace(key, std::move(value)).second)
    return value_fault(option, cat("`", key, "` is given twice"));
  return {};
}

contracts::Secret make_secret(const std::string& name, const std::string& name_space,
                              const std::map<std::string, std::string>& values) {
  contracts::Secret secret;
  secret.metadata.name = name;
  secret.metadata.name_space = name_space;
  for (const auto& [key, value] : values) secret.data[key] = base64(value);
  return secret;
}

}  // namespace paddock::cli
