#include "common/contracts/drain.h"

namespace paddock::contracts {

Result<Grace> Grace::parse(std::string_view text) {
  if (text == "0" || text == "0s") return Grace{};
  ASSIGN_OR_RETURN(const Millis value, parse_duration(text));
  return Grace{value};
}

std::optional<Grace> Grace::decode_value(const wire::Value& value, wire::Check& check) {
  if (value.string() != nullptr && parse(*value.string()).ok()) return *parse(*value.string());
  const auto duration = wire::Duration::decode_value(value, check);  // says what is wrong with it
  return duration ? std::optional(Grace{duration->value}) : std::nullopt;
}

wire::Value Grace::encode_value() const { return format_duration(value); }
wire::Value Grace::value_schema() { return wire::Duration::value_schema(); }

void DrainRequest::validate(wire::Check& check) const {
  constexpr Millis kLongest = std::chrono::hours(7 * 24);
  if (grace.value < Millis(0) || grace.value > kLongest)
    check.fail("grace", "must be between 0s and 168h");
}

}  // namespace paddock::contracts
