#include "controller/http_server/target.h"

#include <algorithm>

#include "common/base/percent.h"
#include "common/base/text.h"

namespace paddock::http_server {
namespace {

Error invalid(std::string message) {
  return invalid_argument("TARGET_INVALID", std::move(message));
}

Error too_long(std::string_view what, size_t limit) {
  return {Code::kTooLarge, "TARGET_TOO_LONG",
          cat("the ", what, " may have at most ", limit, " bytes")};
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// Only visible ASCII may stand in a target, and none of these. (RFC 3986 section 2)
bool may_stand_raw(char c) {
  return c > 0x20 && c < 0x7f && std::string_view("\"<>\\^`{|}#").find(c) == std::string_view::npos;
}

Result<std::string> decode(std::string_view raw, bool plus_is_space) {
  std::string out;
  out.reserve(raw.size());
  for (size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (raw[i] != '%') {
      out += raw[i];
    } else {
      const int high = i + 2 < raw.size() ? hex_value(raw[i + 1]) : -1;
      const int low = i + 2 < raw.size() ? hex_value(raw[i + 2]) : -1;
      if (high < 0 || low < 0) return invalid("a '%' must be followed by two hexadecimal digits");
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  if (!is_utf8(out)) return invalid("a decoded part is not UTF-8");
  if (out.find('\0') != std::string::npos) return invalid("NUL may not be sent");
  return out;
}

Result<std::string> decode_segment(std::string_view raw) {
  if (raw.empty()) return invalid("a path may not have empty parts");
  ASSIGN_OR_RETURN(std::string segment, decode(raw, false));
  if (segment == "." || segment == "..") return invalid("'.' and '..' may not be parts of a path");
  if (segment.find_first_of("/\\") != std::string::npos) {
    return invalid("a part of a path may not have an encoded '/' or '\\'");
  }
  if (std::any_of(segment.begin(), segment.end(), is_control)) {
    return invalid("a part of a path may not have control characters");
  }
  return segment;
}

Status parse_path(std::string_view path, Target& target) {
  target.path = path;
  path.remove_prefix(1);
  if (path.ends_with('/')) path.remove_suffix(1);
  if (path.empty())
    return target.path == "/" ? Status() : Status(invalid("a path may not have empty parts"));
  for (const std::string& raw : split(path, '/')) {
    ASSIGN_OR_RETURN(std::string segment, decode_segment(raw));
    target.segments.push_back(std::move(segment));
  }
  return {};
}

Status parse_query(std::string_view query, Target& target) {
  if (query.empty()) return {};
  for (const std::string& piece : split(query, '&')) {
    if (piece.empty()) continue;
    if (target.query.size() == kMaxQueryParameters) {
      return invalid(cat("a query may have at most ", kMaxQueryParameters, " parameters"));
    }
    const std::string_view text = piece;
    const size_t equals = std::min(text.find('='), text.size());
    ASSIGN_OR_RETURN(std::string name, decode(text.substr(0, equals), true));
    ASSIGN_OR_RETURN(std::string value,
                     decode(text.substr(std::min(equals + 1, text.size())), true));
    target.query.emplace_back(std::move(name), std::move(value));
  }
  return {};
}

}  // namespace

Result<Target> parse_target(std::string_view raw, size_t max_path_bytes) {
  const size_t question = std::min(raw.find('?'), raw.size());
  const std::string_view path = raw.substr(0, question);
  const std::string_view query = raw.substr(std::min(question + 1, raw.size()));
  if (path.size() > max_path_bytes) return too_long("path", max_path_bytes);
  if (query.size() > kMaxQueryBytes) return too_long("query", kMaxQueryBytes);
  if (!path.starts_with('/')) return invalid("the target must be a path that starts with '/'");
  if (!std::all_of(raw.begin(), raw.end(), may_stand_raw)) {
    return invalid("the target has a character that must be percent-encoded");
  }
  Target target;
  TRY(parse_path(path, target));
  TRY(parse_query(query, target));
  return target;
}

std::string path_of(const std::vector<std::string>& segments) {
  std::string path;
  for (const std::string& segment : segments) path += cat("/", percent_encode(segment));
  return path.empty() ? "/" : path;
}

}  // namespace paddock::http_server
