#include "common/requirements/toml.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

#include "common/base/text.h"

namespace paddock::requirements {
namespace {

using wire::Value;

constexpr size_t kMostToml = 4 << 20;
constexpr size_t kMostKeys = 10'000;  // of one table
constexpr int kMostValues = 500'000;
constexpr int kMostLevels = 32;

void append_utf8(uint32_t code, std::string& out) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | (code >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

bool is_bare(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

using Key = std::vector<std::string>;

class TomlParser {
 public:
  explicit TomlParser(std::string_view text) : text_(text) {}

  Result<Value> run() {
    Value root = Value::Object{};
    Value* table = &root;
    for (skip_blank_lines(); !at_end(); skip_blank_lines()) {
      if (peek() == '[') {
        ASSIGN_OR_RETURN(table, read_header(root));
      } else {
        TRY(read_member(*table, 0));
      }
      TRY(end_of_line());
    }
    return root;
  }

 private:
  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  Error wrong(std::string_view what) const {
    const auto line =
        1 + std::count(text_.begin(),
                       text_.begin() + static_cast<ptrdiff_t>(std::min(at_, text_.size())), '\n');
    return invalid_argument("REQUIREMENTS_INVALID", cat("line ", line, ": ", what));
  }

  void skip_spaces() {
    while (peek() == ' ' || peek() == '\t') ++at_;
  }
  void skip_comment() {
    if (peek() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
  }
  void skip_blank_lines() {
    do {
      skip_spaces();
      skip_comment();
    } while (take("\n") || take("\r\n"));
  }
  Status end_of_line() {
    skip_spaces();
    skip_comment();
    if (at_end() || take("\n") || take("\r\n")) return {};
    return wrong("something stands behind a value");
  }

  Result<Key> read_key() {
    Key out;
    do {
      skip_spaces();
      ASSIGN_OR_RETURN(std::string part, read_key_part());
      out.push_back(std::move(part));
      skip_spaces();
      if (out.size() > kMostLevels) return wrong("a key has too many parts");
    } while (take("."));
    return out;
  }
  Result<std::string> read_key_part() {
    if (peek() == '"' || peek() == '\'') return read_short_string();
    const size_t start = at_;
    while (is_bare(peek())) ++at_;
    if (at_ == start) return wrong("a key was expected");
    return std::string(text_.substr(start, at_ - start));
  }

  // The table that `[a.b]` or `[[a.b]]` begins. In an array, that is the last table.
  Result<Value*> read_header(Value& root) {
    ++at_;
    const bool array = take("[");
    ASSIGN_OR_RETURN(const Key key, read_key());
    if (!take(array ? "]]" : "]")) return wrong("the table's name does not end");
    ASSIGN_OR_RETURN(Value * parent, table_below(root, {key.begin(), key.end() - 1}));
    Value* found = parent->find(key.back());
    if (!array)
      return found != nullptr ? table_of(found) : add_member(*parent, key.back(), Value::Object{});
    if (found == nullptr) {
      ASSIGN_OR_RETURN(found, add_member(*parent, key.back(), Value::Array{}));
    }
    if (found->array() == nullptr) return wrong("a key is given twice");
    if (++values_ > kMostValues) return wrong("too many values");
    found->push_back(Value::Object{});
    return &found->array()->back();
  }

  Result<Value*> add_member(Value& table, const std::string& key, Value value) {
    if (table.object()->size() >= kMostKeys) return wrong("a table has too many keys");
    table.set(key, std::move(value));
    return &table.object()->back().second;
  }
  Result<Value*> table_of(Value* value) {
    if (value->array() != nullptr && !value->array()->empty()) value = &value->array()->back();
    if (value->object() == nullptr) return wrong("a key is given twice");
    return value;
  }
  Result<Value*> table_below(Value& root, const Key& path) {
    Value* table = &root;
    for (const std::string& part : path) {
      Value* next = table->find(part);
      if (next == nullptr) {
        ASSIGN_OR_RETURN(next, add_member(*table, part, Value::Object{}));
      }
      ASSIGN_OR_RETURN(table, table_of(next));
    }
    return table;
  }

  Status read_member(Value& table, int level) {
    ASSIGN_OR_RETURN(const Key key, read_key());
    if (!take("=")) return wrong("a key has no value");
    ASSIGN_OR_RETURN(Value value, read_value(level + 1));
    ASSIGN_OR_RETURN(Value * parent, table_below(table, {key.begin(), key.end() - 1}));
    if (parent->find(key.back()) != nullptr) return wrong("a key is given twice");
    TRY(add_member(*parent, key.back(), std::move(value)));
    return {};
  }

  Result<Value> read_value(int level) {
    if (level > kMostLevels) return wrong("too many levels");
    if (++values_ > kMostValues) return wrong("too many values");
    skip_spaces();
    if (peek() == '"' || peek() == '\'') {
      ASSIGN_OR_RETURN(std::string text, read_string());
      return Value(std::move(text));
    }
    if (peek() == '[') return read_array(level);
    if (peek() == '{') return read_inline_table(level);
    if (take("true")) return Value(true);
    if (take("false")) return Value(false);
    const size_t start = at_;
    while (is_bare(peek()) || peek() == '+' || peek() == '.' || peek() == ':') ++at_;
    if (at_ == start) return wrong("a value was expected");
    return Value(text_.substr(start, at_ - start));
  }

  Result<Value> read_array(int level) {
    Value out = Value::Array{};
    ++at_;
    for (skip_blank_lines(); !take("]"); skip_blank_lines()) {
      ASSIGN_OR_RETURN(Value value, read_value(level + 1));
      out.push_back(std::move(value));
      skip_blank_lines();
      if (take(",")) continue;
      if (peek() != ']') return wrong("an array does not end");
    }
    return out;
  }

  Result<Value> read_inline_table(int level) {
    Value out = Value::Object{};
    ++at_;
    for (skip_blank_lines(); !take("}"); skip_blank_lines()) {
      TRY(read_member(out, level));
      skip_blank_lines();
      if (take(",")) continue;
      if (peek() != '}') return wrong("an inline table does not end");
    }
    return out;
  }

  Result<std::string> read_string() {
    for (const std::string_view quotes : {"\"\"\"", "'''"}) {
      if (take(quotes)) return read_long_string(quotes);
    }
    return read_short_string();
  }

  Result<std::string> read_short_string() {
    const char quote = text_[at_++];
    std::string out;
    while (peek() != quote) {
      if (at_end() || peek() == '\n') return wrong("a string does not end");
      TRY(read_character(quote == '"', out));
    }
    ++at_;
    return out;
  }

  Result<std::string> read_long_string(std::string_view quotes) {
    std::string out;
    if (!take("\n")) (void)take("\r\n");
    while (!take(quotes)) {
      if (at_end()) return wrong("a string does not end");
      TRY(read_character(quotes[0] == '"', out));
    }
    // Up to two quotes may stand before the three that end it.
    for (int more = 0; more < 2 && peek() == quotes[0]; ++more) out += text_[at_++];
    return out;
  }

  Status read_character(bool escapes, std::string& out) {
    const char c = text_[at_++];
    if (c != '\\' || !escapes) {
      out += c;
      return {};
    }
    const char kind = peek();
    if (kind == '\n' || kind == '\r' || kind == ' ' || kind == '\t') {
      while (std::isspace(static_cast<unsigned char>(peek())) != 0) ++at_;
      return {};
    }
    ++at_;
    constexpr std::string_view kNames = "btnfre\"\\";
    constexpr std::string_view kMeant = "\b\t\n\f\r\x1b\"\\";
    if (const size_t known = kNames.find(kind); kind != '\0' && known != std::string_view::npos) {
      out += kMeant[known];
      return {};
    }
    return read_code_point(kind == 'u' ? 4 : kind == 'U' ? 8 : 0, out);
  }

  Status read_code_point(size_t digits, std::string& out) {
    if (digits == 0 || at_ + digits > text_.size()) return wrong("an escape cannot be read");
    uint32_t code = 0;
    for (size_t i = 0; i < digits; ++i) {
      const char c = text_[at_++];
      if (std::isxdigit(static_cast<unsigned char>(c)) == 0)
        return wrong("an escape cannot be read");
      const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
      code = code * 16 + static_cast<uint32_t>(digit);
    }
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
      return wrong("an escape cannot be read");
    append_utf8(code, out);
    return {};
  }

  std::string_view text_;
  size_t at_ = 0;
  int values_ = 0;
};

}  // namespace

Result<wire::Value> parse_toml(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  if (text.size() > kMostToml)
    return Error{Code::kTooLarge, "REQUIREMENTS_INVALID", "larger than 4 MiB"};
  if (!is_utf8(text)) return invalid_argument("REQUIREMENTS_INVALID", "not UTF-8");
  return TomlParser(text).run();
}

}  // namespace paddock::requirements
