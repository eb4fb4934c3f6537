#include "common/contracts/placement.h"

#include <algorithm>

namespace paddock::contracts {

namespace {

constexpr Millis kLongestBackoff{24 * 3'600'000};

bool is_effect(const std::string& effect) { return effect == "NoSchedule"; }

bool covers(const Toleration& toleration, const Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (toleration.op == TolerationOperator::kExists)
    return toleration.key.empty() || toleration.key == taint.key;
  return toleration.key == taint.key && toleration.value == taint.value;
}

void check_backoff(wire::Check& check, const char* field, const wire::Wait& duration) {
  if (duration.value < Millis(0) || duration.value > kLongestBackoff)
    check.fail(field, "must be between 0s and 24h");
}

}  // namespace

void Taint::validate(wire::Check& check) const {
  if (key.empty()) check.fail("key", "must not be empty");
  if (!is_effect(effect)) check.fail("effect", "must be NoSchedule");
}

void Toleration::validate(wire::Check& check) const {
  if (op == TolerationOperator::kEqual && key.empty())
    check.fail("key", "must not be empty with the operator Equal");
  if (op == TolerationOperator::kExists && !value.empty())
    check.fail("value", "must be empty with the operator Exists");
  if (!effect.empty() && !is_effect(effect)) check.fail("effect", "must be NoSchedule or empty");
}

bool tolerates(const std::vector<Toleration>& tolerations, const Taint& taint) {
  return std::ranges::any_of(tolerations,
                             [&](const Toleration& each) { return covers(each, taint); });
}

void RetryPolicy::validate(wire::Check& check) const {
  check_backoff(check, "backoff", backoff);
  check_backoff(check, "maxBackoff", max_backoff);
}

}  // namespace paddock::contracts
