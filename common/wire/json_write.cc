#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "common/base/control_text.h"
#include "common/base/text.h"
#include "common/wire/internal/json_number.h"
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

std::string quoted(std::string_view text) {
  const std::string repaired = is_utf8(text) ? std::string() : to_utf8_lossy(text);
  if (!repaired.empty()) text = repaired;
  std::string out = "\"";
  out.reserve(text.size() + 2);
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      default:
        const bool plain = c >= 0x20 && c < 0x7F;
        if (const size_t length = plain ? 0 : control_length(text.substr(i)); length > 0) {
          out += escaped(text.substr(i, length));
          i += length - 1;
        } else {
          out += c;
        }
    }
  }
  out += '"';
  return out;
}

}  // namespace internal

namespace {

class Writer {
 public:
  explicit Writer(bool pretty) : pretty_(pretty) {}

  void write(const Value& value) {
    if (value.is_null()) out += "null";
    if (const bool* boolean = value.boolean()) out += *boolean ? "true" : "false";
    if (const int64_t* integer = value.integer()) out += std::to_string(*integer);
    if (const double* number = value.number()) out += internal::number_to_text(*number);
    if (const std::string* text = value.string()) out += internal::quoted(*text);
    if (const Value::Array* items = value.array()) write_array(*items);
    if (const Value::Object* members = value.object()) write_object(*members);
  }

  std::string out;

 private:
  void write_array(const Value::Array& items) {
    out += '[';
    ++depth_;
    for (size_t i = 0; i < items.size(); ++i) {
      next(i);
      write(items[i]);
    }
    close(items.empty(), ']');
  }
  void write_object(const Value::Object& members) {
    out += '{';
    ++depth_;
    for (size_t i = 0; i < members.size(); ++i) {
      next(i);
      out += internal::quoted(members[i].first);
      out += pretty_ ? ": " : ":";
      write(members[i].second);
    }
    close(members.empty(), '}');
  }
  void next(size_t index) {
    if (index > 0) out += ',';
    new_line();
  }
  void close(bool empty, char bracket) {
    --depth_;
    if (!empty) new_line();
    out += bracket;
  }
  void new_line() {
    if (!pretty_) return;
    out += '\n';
    out.append(depth_ * 2, ' ');
  }

  bool pretty_;
  size_t depth_ = 0;
};

}  // namespace

std::string to_json(const Value& value) {
  Writer writer(false);
  writer.write(value);
  return std::move(writer.out);
}

std::string to_pretty_json(const Value& value) {
  Writer writer(true);
  writer.write(value);
  writer.out += '\n';
  return std::move(writer.out);
}

}  // namespace paddock::wire
