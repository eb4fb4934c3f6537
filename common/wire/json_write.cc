#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "common/base/control_text.h"
#include "common/base/text.h"
#include "common/wire/internal/json_scalar.h"
#include "common/wire/json.h"

namespace paddock::wire {
namespace internal {
namespace {

// One character of at most three bytes as \uXXXX.
std::string escaped(std::string_view character) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(character[i]); };
  unsigned code = byte(0);
  if (character.size() == 2) code = (code & 0x1FU) << 6 | (byte(1) & 0x3FU);
  if (character.size() == 3)
    code = (code & 0x0FU) << 12 | (byte(1) & 0x3FU) << 6 | (byte(2) & 0x3FU);
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  return cat("\\u", kHexDigits[code >> 12], kHexDigits[code >> 8 & 15], kHexDigits[code >> 4 & 15],
             kHexDigits[code & 15]);
}

// Most text is printable ASCII, which is copied as it is.
constexpr bool is_plain(char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; }

size_t plain_prefix(std::string_view text) {
  size_t length = 0;
  while (length < text.size() && is_plain(text[length])) ++length;
  return length;
}

// Adds what is at the start of the text and not plain: one character that is escaped, or one byte
// of another. Returns how many bytes of the text that was.
size_t append_special(std::string_view text, std::string& out) {
  constexpr std::string_view kShort = "\"\\\n\r\t\b\f";
  constexpr std::string_view kLetters = "\"\\nrtbf";
  if (const size_t found = kShort.find(text[0]); found != kShort.npos) {
    out += '\\';
    out += kLetters[found];
    return 1;
  }
  if (const size_t length = control_length(text); length > 0) {
    out += escaped(text.substr(0, length));
    return length;
  }
  out += text[0];
  return 1;
}

void append_escaped(std::string_view text, std::string& out) {
  while (!text.empty()) {
    const size_t plain = plain_prefix(text);
    out.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (!text.empty()) text.remove_prefix(append_special(text, out));
  }
}

}  // namespace

std::optional<double> parse_double(const std::string& text) {
  double number = 0;
#ifdef __cpp_lib_to_chars
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
#else  // libc++ 17; no program of ours sets a locale
  char* end = nullptr;
  number = std::strtod(text.c_str(), &end);
  if (end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
#endif
  return number;
}

std::optional<Value> number_from_text(std::string_view text) {
  if (text.find_first_of(".eE") == text.npos) {
    const auto integer = parse_integer<int64_t>(text);
    return integer ? std::optional<Value>(*integer) : std::nullopt;
  }
  const auto number = parse_double(std::string(text));
  return number ? std::optional<Value>(*number) : std::nullopt;
}

std::string number_to_text(double number) {
  if (!std::isfinite(number)) panic("a document cannot hold NaN or infinity");
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  if (error != std::errc()) panic("a double does not fit 32 characters");
  std::string text(buffer.data(), end);
  if (text.find_first_of(".e") == text.npos) text += ".0";
  return text;
}

void append_quoted(std::string_view text, std::string& out) {
  out += '"';
  const size_t plain = plain_prefix(text);
  out.append(text.substr(0, plain));
  text.remove_prefix(plain);
  if (!text.empty()) append_escaped(is_utf8(text) ? text : to_utf8_lossy(text), out);
  out += '"';
}

}  // namespace internal

namespace {

class Writer {
 public:
  Writer(std::string& to, bool pretty) : out_(to), pretty_(pretty) {}

  void write(const Value& value) {
    if (value.is_null()) out_ += "null";
    if (const bool* boolean = value.boolean()) out_ += *boolean ? "true" : "false";
    if (const int64_t* integer = value.integer()) out_ += std::to_string(*integer);
    if (const double* number = value.number()) out_ += internal::number_to_text(*number);
    if (const std::string* text = value.string()) internal::append_quoted(*text, out_);
    if (const Value::Array* items = value.array()) write_array(*items);
    if (const Value::Object* members = value.object()) write_object(*members);
  }

 private:
  void write_array(const Value::Array& items) {
    out_ += '[';
    ++depth_;
    for (size_t i = 0; i < items.size(); ++i) {
      next(i);
      write(items[i]);
    }
    close(items.empty(), ']');
  }
  void write_object(const Value::Object& members) {
    out_ += '{';
    ++depth_;
    for (size_t i = 0; i < members.size(); ++i) {
      next(i);
      internal::append_quoted(members[i].first, out_);
      out_ += pretty_ ? ": " : ":";
      write(members[i].second);
    }
    close(members.empty(), '}');
  }
  void next(size_t index) {
    if (index > 0) out_ += ',';
    new_line();
  }
  void close(bool empty, char bracket) {
    --depth_;
    if (!empty) new_line();
    out_ += bracket;
  }
  void new_line() {
    if (!pretty_) return;
    out_ += '\n';
    out_.append(depth_ * 2, ' ');
  }

  std::string& out_;
  bool pretty_;
  size_t depth_ = 0;
};

}  // namespace

void append_json(const Value& value, std::string& out) { Writer(out, false).write(value); }

std::string to_json(const Value& value) {
  std::string out;
  append_json(value, out);
  return out;
}

std::string to_pretty_json(const Value& value) {
  std::string out;
  Writer(out, true).write(value);
  out += '\n';
  return out;
}

}  // namespace paddock::wire
