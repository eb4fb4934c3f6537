#include "common/wire/units.h"

namespace paddock::wire {

std::optional<Duration> Duration::decode_value(const Value& value, Check& check) {
  if (value.string() == nullptr) {
    check.fail(cat("expected a duration such as \"30m\", got ", value.type_name()),
               CauseKind::kWrongType);
    return std::nullopt;
  }
  auto parsed = parse_duration(*value.string());
  if (!parsed) {
    check.fail(parsed.error().message);
    return std::nullopt;
  }
  return Duration{*parsed};
}

Value Duration::encode_value() const { return format_duration(value); }
Value Duration::value_schema() { return Value::Object{{"type", "string"}, {"example", "30m"}}; }

Result<Wait> Wait::parse(std::string_view text) {
  if (text == "0" || text == "0s") return Wait{};
  ASSIGN_OR_RETURN(const Millis value, parse_duration(text));
  return Wait{value};
}

std::optional<Wait> Wait::decode_value(const Value& value, Check& check) {
  if (value.string() != nullptr && parse(*value.string()).ok()) return *parse(*value.string());
  const auto duration = Duration::decode_value(value, check);  // says what is wrong with it
  return duration ? std::optional(Wait{duration->value}) : std::nullopt;
}

Value Wait::encode_value() const { return format_duration(value); }
Value Wait::value_schema() { return Duration::value_schema(); }

std::optional<Quantity> Quantity::decode_value(const Value& value, Check& check) {
  if (value.integer() != nullptr) {
    if (*value.integer() >= 0) return Quantity{*value.integer()};
    check.fail("must not be negative");
    return std::nullopt;
  }
  if (value.string() == nullptr) {
    check.fail(cat("expected a quantity such as \"512Mi\", got ", value.type_name()),
               CauseKind::kWrongType);
    return std::nullopt;
  }
  auto parsed = parse_quantity(*value.string());
  if (!parsed) {
    check.fail(parsed.error().message);
    return std::nullopt;
  }
  return Quantity{*parsed};
}

Value Quantity::encode_value() const { return format_quantity(bytes); }
Value Quantity::value_schema() { return Value::Object{{"type", "string"}, {"example", "512Mi"}}; }

std::optional<Timestamp> Timestamp::decode_value(const Value& value, Check& check) {
  const auto parsed = value.string() == nullptr ? std::nullopt : parse_time(*value.string());
  if (!parsed) {
    check.fail("expected a time such as \"2026-01-02T03:04:05Z\"", CauseKind::kWrongType);
    return std::nullopt;
  }
  return Timestamp{*parsed};
}

// Times that must order events keep their milliseconds; whole seconds stay as kubectl writes them.
Value Timestamp::encode_value() const { return format_time(value, value.ms % 1000 != 0); }
Value Timestamp::value_schema() {
  return Value::Object{{"type", "string"}, {"format", "date-time"}};
}

}  // namespace paddock::wire
