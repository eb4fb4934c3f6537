#include "controller/api/server/byte_range.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::api {

Result<std::optional<ByteRange>> parse_byte_range(std::string_view header, int64_t size) {
  using Range = std::optional<ByteRange>;
  constexpr std::string_view kUnit = "bytes=";
  if (!header.starts_with(kUnit)) return Range();
  const std::string_view text = trim(header.substr(kUnit.size()));
  const size_t dash = text.find('-');
  if (dash == std::string_view::npos || text.find(',') != std::string_view::npos) return Range();
  const auto from = parse_integer<int64_t>(text.substr(0, dash));
  const auto to = parse_integer<int64_t>(text.substr(dash + 1));
  const bool open = dash + 1 == text.size();
  if ((dash > 0 && !from) || (!open && (!to || *to < 0))) return Range();
  if (dash == 0 && open) return Range();
  ByteRange range{from.value_or(0), to ? std::min(*to, size - 1) : size - 1};
  if (dash == 0) range = {std::max<int64_t>(0, size - *to), size - 1};  // the last so many
  if (from && to && *to < *from) return Range();
  const bool empty = dash == 0 && *to == 0;
  if (!empty && range.first < size) return Range(range);
  return Error{Code::kInvalidArgument, "RANGE_UNSATISFIABLE",
               cat("the file has ", size, " bytes; the range lies outside")};
}

}  // namespace paddock::api
