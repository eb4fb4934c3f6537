#include "cli/options/option_values.h"

namespace paddock::cli {
namespace {

Error bad_option(const std::string& name, std::string_view text, std::string_view expected) {
  return invalid_argument("INVALID_OPTION", cat("`", text, "`: expected ", expected),
                          cat("--", name));
}

}  // namespace

Result<std::optional<Millis>> duration_option(const Parsed& parsed, const std::string& name) {
  if (!parsed.has(name)) return std::optional<Millis>();
  const Result<Millis> value = parse_duration(parsed.text(name));
  if (!value.ok())
    return bad_option(name, parsed.text(name), "a duration such as 90s, 30m or 1h30m");
  return std::optional<Millis>(*value);
}

Result<std::optional<Millis>> wait_option(const Parsed& parsed, const std::string& name) {
  if (!parsed.has(name)) return std::optional<Millis>();
  const auto value = wire::Wait::parse(parsed.text(name));
  if (!value.ok()) return bad_option(name, parsed.text(name), "a duration such as 30s, or 0s");
  return std::optional<Millis>(value->value);
}

Result<std::optional<int64_t>> integer_option(const Parsed& parsed, const std::string& name,
                                              int64_t min, int64_t max) {
  if (!parsed.has(name)) return std::optional<int64_t>();
  const auto value = parse_integer<int64_t>(parsed.text(name));
  if (!value || *value < min || *value > max) {
    return bad_option(name, parsed.text(name), cat("a whole number from ", min, " to ", max));
  }
  return std::optional<int64_t>(*value);
}

Result<std::optional<int64_t>> quantity_option(const Parsed& parsed, const std::string& name) {
  if (!parsed.has(name)) return std::optional<int64_t>();
  const Result<int64_t> value = parse_quantity(parsed.text(name));
  if (!value.ok())
    return bad_option(name, parsed.text(name), "a number of bytes such as 512Mi or 8Gi");
  return std::optional<int64_t>(*value);
}

std::vector<std::string> size_remarks(const Parsed& parsed) {
  constexpr int64_t kSmall = 1 << 20;
  std::vector<std::string> out;
  for (const char* name : {"memory", "disk", "fs-bytes"}) {
    const auto bytes = parse_integer<int64_t>(parsed.text(name));
    if (!bytes || *bytes <= 0 || *bytes >= kSmall) continue;
    out.push_back(cat("--", name, " ", *bytes, " is ", format_bytes(*bytes), "; ", *bytes, "Mi or ",
                      *bytes, "Gi have a unit"));
  }
  return out;
}

Result<bool> switch_option(const Parsed& parsed, const std::string& name, bool remembered) {
  const std::string opposite = cat("no-", name);
  if (parsed.has(name) && parsed.has(opposite))
    return invalid_argument("USAGE",
                            cat("--", name, " or --", opposite, ": leave one of the two out"),
                            cat("--", opposite));
  return parsed.has(name) || (remembered && !parsed.has(opposite));
}

Result<contracts::Accelerators> parse_accelerator(std::string_view text) {
  const size_t equals = text.find('=');
  const auto kind = wire::parse_enum<contracts::AcceleratorKind>(text.substr(0, equals));
  const auto count = equals == std::string_view::npos
                         ? std::optional<int64_t>(1)
                         : parse_integer<int64_t>(text.substr(equals + 1));
  if (!kind || !count || *count < 1 || *count > 64) {
    return bad_option("accelerator", text,
                      "nvidia, apple or any, with =N from 1 to 64 for several");
  }
  return contracts::Accelerators{*kind, *count};
}

Result<contracts::VolumeUse> parse_volume(std::string_view text) {
  contracts::VolumeUse volume;
  const size_t at = text.find('@');
  volume.name = text.substr(0, at);
  if (at != std::string_view::npos) {
    volume.version = parse_integer<int64_t>(text.substr(at + 1));
    if (volume.version.value_or(0) < 1) volume.name.clear();
  }
  if (!volume.name.empty()) return volume;
  return invalid_argument("USAGE", cat("`", text, "` is neither NAME nor NAME@VERSION"),
                          "--volume");
}

Result<contracts::SecretUse> parse_secret(std::string_view text) {
  contracts::SecretUse use;
  const size_t equals = text.find('=');
  const std::string_view value = text.substr(0, equals);
  const size_t slash = value.find('/');
  use.name = value.substr(0, slash);
  if (slash != std::string_view::npos) use.key = value.substr(slash + 1);
  if (equals != std::string_view::npos) use.variable = text.substr(equals + 1);
  const bool empty_part = (slash != std::string_view::npos && use.key.empty()) ||
                          (equals != std::string_view::npos && use.variable.empty());
  const auto checked = wire::decode<contracts::SecretUse>(wire::encode(use));
  if (!empty_part && checked.ok()) return use;
  return bad_option("secret", text,
                    cat("NAME, NAME/KEY, NAME=VARIABLE or NAME/KEY=VARIABLE, of a Secret of the "
                        "namespace",
                        empty_part ? "" : "; ", empty_part ? "" : checked.error().message));
}

Result<std::map<std::string, std::string>> parse_labels(const std::vector<std::string>& texts,
                                                        const std::string& name) {
  std::map<std::string, std::string> labels;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) return bad_option(name, text, "key=value");
    labels[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return labels;
}

}  // namespace paddock::cli
