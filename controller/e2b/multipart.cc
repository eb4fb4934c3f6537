#include "controller/e2b/multipart.h"

#include <algorithm>
#include <optional>

#include "common/base/text.h"

namespace paddock::e2b {
namespace {

constexpr size_t kMostHeaders = 8 << 10;  // of one part
constexpr size_t kLongestBoundary = 70;
constexpr std::string_view kLine = "\r\n";

Error no_form(std::string message) {
  return invalid_argument("MULTIPART_INVALID", std::move(message));
}

std::string_view unquoted(std::string_view text) {
  const bool quotes = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return quotes ? text.substr(1, text.size() - 2) : text;
}

// The end of what `;` ends, outside of quotes.
size_t end_of_parameter(std::string_view text) {
  bool inside = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') inside = !inside;
    if (text[i] == ';' && !inside) return i;
  }
  return text.size();
}

// A parameter of a header, as it is written: `form-data; name="file"`.
std::optional<std::string_view> parameter(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    const size_t end = end_of_parameter(header);
    const std::string_view one = trim(header.substr(0, end));
    header.remove_prefix(std::min(end + 1, header.size()));
    const size_t equals = one.find('=');
    if (equals == std::string_view::npos) continue;
    if (ascii_lower(trim(one.substr(0, equals))) == name)
      return unquoted(trim(one.substr(equals + 1)));
  }
  return std::nullopt;
}

Result<std::string> boundary_of(std::string_view content_type) {
  const std::string kind = ascii_lower(trim(content_type.substr(0, content_type.find(';'))));
  if (kind != "multipart/form-data") return no_form("files come as multipart/form-data");
  const auto boundary = parameter(content_type, "boundary");
  if (!boundary || boundary->empty() || boundary->size() > kLongestBoundary)
    return no_form("the boundary has 1 to 70 letters");
  return cat("--", *boundary);
}

// A browser writes these three so; all else stays as it is. (HTML, multipart form data)
std::string without_escapes(std::string_view name) {
  std::string out;
  while (!name.empty()) {
    const std::string_view three = name.substr(0, 3);
    const char plain = three == "%22" ? '"' : three == "%0D" ? '\r' : three == "%0A" ? '\n' : '\0';
    out += plain == '\0' ? name[0] : plain;
    name.remove_prefix(plain == '\0' ? 1 : 3);
  }
  return out;
}

Result<std::string> name_of_file(std::string_view headers) {
  while (!headers.empty()) {
    const size_t end = std::min(headers.find(kLine), headers.size());
    const std::string_view line = headers.substr(0, end);
    headers.remove_prefix(std::min(end + kLine.size(), headers.size()));
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) return no_form("a part has a header without `:`");
    if (ascii_lower(trim(line.substr(0, colon))) != "content-disposition") continue;
    const std::string_view value = line.substr(colon + 1);
    if (parameter(value, "name") != std::string_view("file"))
      return no_form("each part has the name `file`");
    return without_escapes(parameter(value, "filename").value_or(""));
  }
  return no_form("a part has no Content-Disposition");
}

// Reads the part behind a boundary, and cuts `rest` down to what begins with the next boundary.
Result<UploadedFile> next_part(std::string_view& rest, const std::string& boundary) {
  const size_t head = rest.find("\r\n\r\n");
  if (head == std::string_view::npos || head > kMostHeaders)
    return no_form("a part's headers have no end, or are over 8 KiB");
  ASSIGN_OR_RETURN(std::string name, name_of_file(rest.substr(0, head)));
  rest.remove_prefix(head + 4);
  const size_t end = rest.find(cat(kLine, boundary));
  if (end == std::string_view::npos) return no_form("a part has no end");
  const std::string_view content = rest.substr(0, end);
  rest.remove_prefix(end + kLine.size() + boundary.size());
  return UploadedFile{std::move(name), content};
}

}  // namespace

Result<std::vector<UploadedFile>> uploaded_files(std::string_view content_type,
                                                 std::string_view body) {
  ASSIGN_OR_RETURN(const std::string boundary, boundary_of(content_type));
  if (!body.starts_with(boundary)) return no_form("the body does not begin with the boundary");
  body.remove_prefix(boundary.size());
  std::vector<UploadedFile> files;
  while (!body.starts_with("--")) {
    if (!body.starts_with(kLine)) return no_form("a boundary has no end of line");
    body.remove_prefix(kLine.size());
    if (files.size() == kMostFiles) return no_form("there are more than 1000 files");
    ASSIGN_OR_RETURN(UploadedFile file, next_part(body, boundary));
    files.push_back(std::move(file));
  }
  if (files.empty()) return no_form("there is no file");
  return files;
}

}  // namespace paddock::e2b
