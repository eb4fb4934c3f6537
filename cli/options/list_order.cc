#include "cli/options/list_order.h"

#include <charconv>
#include <cmath>

#include "cli/options/option_values.h"
#include "cli/output/known_fields.h"
#include "common/base/text.h"
#include "common/base/units.h"

namespace paddock::cli {
namespace {

constexpr int64_t kMostShown = 1'000'000'000;

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (whole) return std::isfinite(value) ? std::optional(value) : std::nullopt;
  const Result<int64_t> bytes = parse_quantity(text);
  return bytes.ok() ? std::optional(static_cast<double>(*bytes)) : std::nullopt;
}

}  // namespace

SortKey sort_key(std::string text) {
  SortKey key;
  key.there = !text.empty();
  key.number = key.there ? number_of(text) : std::nullopt;
  key.text = std::move(text);
  return key;
}

bool operator<(const SortKey& a, const SortKey& b) {
  const auto rank = [](const SortKey& key) { return !key.there ? 0 : key.number ? 1 : 2; };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  return a.number ? *a.number < *b.number : a.text < b.text;
}

SortKey ListOrder::key_of(const wire::Value& object) const {
  if (by) return sort_key(by->render(object));
  // No number, whatever it looks like: times of one form are in order as texts.
  if (newest_last) return {true, std::nullopt, object.text("metadata.creationTimestamp")};
  return {};
}

Status ListOrder::check_known(Kind kind) const {
  if (!by) return {};
  Status known = check_field(kind, by->names());
  if (known.ok()) return known;
  return invalid_argument(known.error().reason, known.error().message, "--sort-by");
}

Result<ListOrder> list_order(const Parsed& parsed, Kind kind, bool as_rows) {
  ListOrder order;
  ASSIGN_OR_RETURN(order.limit, integer_option(parsed, "limit", 1, kMostShown));
  if (parsed.has("sort-by")) {
    const std::string path = parsed.text("sort-by");
    if (path.empty())
      return invalid_argument("INVALID_OPTION", "expected a field, such as .status.startedAt",
                              "--sort-by");
    auto read =
        JsonPath::parse(path.starts_with('.') || path.starts_with('{') ? path : cat(".", path));
    if (!read.ok()) return invalid_argument(read.error().reason, read.error().message, "--sort-by");
    order.by = std::move(*read);
  }
  const bool unnamed = kind == Kind::kRun || kind == Kind::kSandbox;
  order.newest_last = !order.by && unnamed && (as_rows || order.limit);
  return order;
}

Result<std::vector<std::string>> label_columns(const Parsed& parsed) {
  std::vector<std::string> out;
  for (const std::string& given : parsed.list("label-columns")) {
    for (std::string& label : split(given, ',')) {
      if (label.empty())
        return invalid_argument("INVALID_OPTION",
                                cat("`", given, "`: expected names of labels, such as team,stage"),
                                "--label-columns");
      out.push_back(std::move(label));
    }
  }
  return out;
}

}  // namespace paddock::cli
