#include "cli/output/json_path.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "common/wire/json.h"

namespace paddock::cli {
namespace {

using json_path::Comparison;
using json_path::Node;
using json_path::Query;
using json_path::Step;
using wire::Value;
using Values = std::vector<const Value*>;

struct Place {
  const Value& root;
  const Value& here;
};

Values select(const Query& query, const Place& place);

void add_members(const Value& of, Values& out) {
  if (const auto* items = of.array()) {
    for (const Value& each : *items) out.push_back(&each);
  } else if (const auto* members = of.object()) {
    for (const auto& [name, each] : *members) out.push_back(&each);
  }
}

// The value itself and all below it, parents first.
void add_all_below(const Value& of, Values& out) {
  out.push_back(&of);
  Values members;
  add_members(of, members);
  for (const Value* each : members) add_all_below(*each, out);
}

// Negative ones count from the end; what lies outside becomes the nearest place inside.
size_t bounded(int64_t index, size_t size) {
  const auto length = static_cast<int64_t>(size);
  const int64_t from_start = index < 0 ? index + length : index;
  return static_cast<size_t>(std::clamp<int64_t>(from_start, 0, length));
}

void add_slice(const Value& of, const Step& step, Values& out) {
  const auto* items = of.array();
  if (items == nullptr) return;
  const size_t end = step.to ? bounded(*step.to, items->size()) : items->size();
  for (size_t i = bounded(step.from.value_or(0), items->size()); i < end; ++i)
    out.push_back(&(*items)[i]);
}

void add_index(const Value& of, int64_t index, Values& out) {
  const auto* items = of.array();
  if (items == nullptr) return;
  const auto size = static_cast<int64_t>(items->size());
  if (index < 0) index += size;
  if (index >= 0 && index < size) out.push_back(&(*items)[static_cast<size_t>(index)]);
}

std::optional<double> as_number(const Value& value) {
  if (const auto* whole = value.integer()) return static_cast<double>(*whole);
  if (const auto* number = value.number()) return *number;
  return std::nullopt;
}

// -1, 0 or 1; nothing when the two cannot be put in an order.
std::optional<int> order(const Value& left, const Value& right) {
  if (left.string() != nullptr && right.string() != nullptr) {
    const int sign = left.string()->compare(*right.string());
    return sign < 0 ? -1 : sign > 0 ? 1 : 0;
  }
  const auto a = as_number(left);
  const auto b = as_number(right);
  if (!a || !b) return std::nullopt;
  return *a < *b ? -1 : *a > *b ? 1 : 0;
}

bool compares(const Value& left, Comparison comparison, const Value& right) {
  const std::optional<int> sign = order(left, right);
  switch (comparison) {
    case Comparison::kExists:
      return true;
    case Comparison::kEqual:
      return sign ? *sign == 0 : left == right;
    case Comparison::kNotEqual:
      return sign ? *sign != 0 : !(left == right);
    case Comparison::kLess:
      return sign && *sign < 0;
    case Comparison::kLessOrEqual:
      return sign && *sign <= 0;
    case Comparison::kGreater:
      return sign && *sign > 0;
    case Comparison::kGreaterOrEqual:
      return sign && *sign >= 0;
  }
  return false;
}

bool holds(const Step& filter, const Place& place) {
  return std::ranges::any_of(select(filter.condition, place), [&](const Value* found) {
    return compares(*found, filter.comparison, filter.operand);
  });
}

void apply(const Step& step, const Place& place, Values& out) {
  switch (step.kind) {
    case Step::Kind::kMember:
      if (const Value* found = place.here.find(step.name)) out.push_back(found);
      return;
    case Step::Kind::kDescend:
      return add_all_below(place.here, out);
    case Step::Kind::kAll:
      return add_members(place.here, out);
    case Step::Kind::kIndex:
      return add_index(place.here, *step.from, out);
    case Step::Kind::kSlice:
      return add_slice(place.here, step, out);
    case Step::Kind::kFilter: {
      Values members;
      add_members(place.here, members);
      std::ranges::copy_if(members, std::back_inserter(out), [&](const Value* each) {
        return holds(step, {place.root, *each});
      });
      return;
    }
  }
}

Values select(const Query& query, const Place& place) {
  Values found = {query.from_root ? &place.root : &place.here};
  for (const Step& step : query.steps) {
    Values next;
    for (const Value* each : found) apply(step, {place.root, *each}, next);
    found = std::move(next);
  }
  return found;
}

std::string text_of(const Value& value) {
  return value.string() != nullptr ? *value.string() : wire::to_json(value);
}

void write(const Node& node, const Place& place, std::string& out) {
  switch (node.kind) {
    case Node::Kind::kText:
      out += node.text;
      return;
    case Node::Kind::kQuery: {
      bool first = true;
      for (const Value* each : select(node.query, place)) {
        if (!first) out += ' ';
        first = false;
        out += text_of(*each);
      }
      return;
    }
    case Node::Kind::kRange:
      for (const Value* each : select(node.query, place)) {
        for (const Node& inside : node.inside) write(inside, {place.root, *each}, out);
      }
      return;
    case Node::Kind::kAll:
      for (const Node& inside : node.inside) write(inside, place, out);
      return;
  }
}

}  // namespace

Result<JsonPath> JsonPath::parse(std::string_view text) {
  ASSIGN_OR_RETURN(Node root, json_path::parse(text));
  return JsonPath(std::move(root));
}

std::string JsonPath::render(const Value& document) const {
  std::string out;
  write(root_, {document, document}, out);
  return out;
}

std::vector<std::string> JsonPath::names() const {
  if (root_.inside.size() != 1 || root_.inside.front().kind != Node::Kind::kQuery) return {};
  std::vector<std::string> out;
  for (const json_path::Step& step : root_.inside.front().query.steps) {
    if (step.kind != json_path::Step::Kind::kMember) return {};
    out.push_back(step.name);
  }
  return out;
}

}  // namespace paddock::cli
