#include "controller/k8s/selectors.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::k8s {
namespace {

Error invalid(std::string_view text) {
  return invalid_argument(
      "SELECTOR_INVALID",
      cat("\"", text, "\" is no selector; write key=value, key!=value, key in (a,b), key or !key"),
      "labelSelector");
}

Error invalid_field(std::string_view text) {
  return invalid_argument("SELECTOR_INVALID",
                          cat("\"", text, "\" is no selector; write field=value or field!=value"),
                          "fieldSelector");
}

// Splits at commas outside parentheses.
std::vector<std::string_view> terms(std::string_view text) {
  std::vector<std::string_view> out;
  size_t start = 0;
  bool inside = false;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '(') inside = true;
    if (i < text.size() && text[i] == ')') inside = false;
    if (i < text.size() && (text[i] != ',' || inside)) continue;
    out.push_back(trim(text.substr(start, i - start)));
    start = i + 1;
  }
  return out;
}

bool is_key(std::string_view key) {
  return !key.empty() && key.size() <= 317 && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_./").find(c) != std::string_view::npos;
  });
}

// What can be a label's value; a selector with another one could never match. (As Kubernetes.)
bool is_label_value(std::string_view value) {
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  if (value.empty()) return true;
  return value.size() <= 63 && is_word(value.front()) && is_word(value.back()) &&
         std::ranges::all_of(
             value, [&](char c) { return is_word(c) || c == '-' || c == '_' || c == '.'; });
}

Result<Requirement> set_requirement(std::string_view term, std::string_view key,
                                    std::string_view rest) {
  const SelectorOp op = rest.starts_with("notin") ? SelectorOp::kNotIn : SelectorOp::kIn;
  rest = trim(rest.substr(op == SelectorOp::kNotIn ? 5 : 2));
  if (rest.size() < 2 || rest.front() != '(' || rest.back() != ')') return invalid(term);
  Requirement out{std::string(key), op, {}};
  for (const std::string& value : split(rest.substr(1, rest.size() - 2), ','))
    out.values.emplace_back(trim(value));
  if (!std::ranges::all_of(out.values, is_label_value)) return invalid(term);
  return out;
}

// Cuts `key OP value` at its operator; false if there is none.
bool cut_equality(std::string_view term, Requirement& out) {
  const size_t equals = term.find('=');
  if (equals == std::string_view::npos) return false;
  const bool negative = equals > 0 && term[equals - 1] == '!';
  std::string_view value = term.substr(equals + 1);
  if (!negative && value.starts_with('=')) value.remove_prefix(1);
  out.key = trim(term.substr(0, equals - (negative ? 1 : 0)));
  out.op = negative ? SelectorOp::kNotIn : SelectorOp::kIn;
  out.values = {std::string(trim(value))};
  return true;
}

Result<Requirement> label_requirement(std::string_view term) {
  Requirement out;
  if (const size_t space = term.find(' '); space != std::string_view::npos) {
    const std::string_view rest = trim(term.substr(space));
    if (is_key(term.substr(0, space)) && (rest.starts_with("in") || rest.starts_with("notin"))) {
      return set_requirement(term, term.substr(0, space), rest);
    }
  }
  if (!cut_equality(term, out)) {
    out.op = term.starts_with('!') ? SelectorOp::kMissing : SelectorOp::kExists;
    out.key = trim(out.op == SelectorOp::kMissing ? term.substr(1) : term);
  }
  if (!is_key(out.key) || !std::ranges::all_of(out.values, is_label_value)) return invalid(term);
  return out;
}

}  // namespace

bool Selector::matches(const Labels& labels) const {
  return std::ranges::all_of(requirements, [&](const Requirement& each) {
    const auto found = labels.find(each.key);
    const bool present = found != labels.end();
    const bool listed =
        present && std::ranges::find(each.values, found->second) != each.values.end();
    switch (each.op) {
      case SelectorOp::kIn:
        return listed;
      case SelectorOp::kNotIn:
        return !listed;
      case SelectorOp::kExists:
        return present;
      case SelectorOp::kMissing:
        return !present;
    }
    return false;
  });
}

Result<Selector> parse_label_selector(std::string_view text) {
  Selector out;
  if (trim(text).empty()) return out;
  for (const std::string_view term : terms(text)) {
    ASSIGN_OR_RETURN(Requirement requirement, label_requirement(term));
    out.requirements.push_back(std::move(requirement));
  }
  return out;
}

Result<Selector> parse_field_selector(std::string_view text,
                                      const std::vector<std::string>& supported) {
  Selector out;
  if (trim(text).empty()) return out;
  for (const std::string_view term : terms(text)) {
    Requirement requirement;
    const bool cut = cut_equality(term, requirement);
    if (!cut || requirement.values[0].find('=') != std::string::npos) return invalid_field(term);
    if (std::ranges::find(supported, requirement.key) == supported.end()) {
      return invalid_argument("FIELD_SELECTOR_UNSUPPORTED",
                              cat("field label not supported: ", requirement.key,
                                  "; supported: ", join(supported, ", ")),
                              "fieldSelector");
    }
    out.requirements.push_back(std::move(requirement));
  }
  return out;
}

std::optional<std::string> demanded(const Selector& selector, std::string_view key) {
  for (const Requirement& each : selector.requirements) {
    const bool one = each.op == SelectorOp::kIn && each.values.size() == 1;
    if (each.key == key && one) return each.values[0];
  }
  return std::nullopt;
}

}  // namespace paddock::k8s
