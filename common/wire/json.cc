#include "common/wire/json.h"

#include "common/base/text.h"
#include "common/wire/internal/json_scalar.h"
#include "common/wire/internal/rapidjson.h"
#include "common/wire/internal/tree_builder.h"

namespace paddock::wire {
namespace {

using internal::TreeBuilder;

// Iterative: no input can exhaust the stack. Numbers stay text: RapidJSON 1.1.0 reads out of bounds
// for some exponents (CVE-2024-38517) and turns integers beyond 64 bits into doubles silently.
// Strings are unescaped where they lie, in a copy of the text: else each character of each of them
// is put on a stack of RapidJSON's.
constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseInsituFlag |
                            rapidjson::kParseNumbersAsStringsFlag;

// RapidJSON's handler: passes each event on to the builder.
class Handler {
 public:
  // `escapes`: the text has some by number.
  Handler(TreeBuilder& builder, bool escapes) : builder_(builder), escapes_(escapes) {}
  bool Null() { return builder_.scalar(nullptr); }
  bool Bool(bool value) { return builder_.scalar(value); }
  bool RawNumber(const char* text, rapidjson::SizeType length, bool) {
    if (auto number = internal::number_from_text({text, length})) {
      return builder_.scalar(std::move(*number));
    }
    return builder_.refuse("a number is out of range");
  }
  bool String(const char* text, rapidjson::SizeType length, bool) {
    if (!check_text({text, length})) return false;
    return builder_.scalar(std::string(text, length));
  }
  bool Key(const char* text, rapidjson::SizeType length, bool) {
    if (!check_text({text, length})) return false;
    return builder_.key(std::string(text, length));
  }
  bool StartObject() { return builder_.begin_object(); }
  bool EndObject(rapidjson::SizeType) { return builder_.end(); }
  bool StartArray() { return builder_.begin_array(); }
  bool EndArray(rapidjson::SizeType) { return builder_.end(); }
  // Never called with numbers as strings; RapidJSON still wants them to exist.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(int64_t) { return false; }
  bool Uint64(uint64_t) { return false; }
  bool Double(double) { return false; }

 private:
  // RapidJSON lets `\udc00` alone through and writes it as malformed UTF-8. Nothing else is: the
  // whole text was looked at before.
  bool check_text(std::string_view text) {
    return !escapes_ || is_utf8(text) || builder_.refuse("an escape is half of a surrogate pair");
  }
  TreeBuilder& builder_;
  const bool escapes_;
};

Error malformed(std::string_view what, size_t offset) {
  return {Code::kInvalidArgument, "MALFORMED_JSON", cat(what, " at byte ", offset)};
}

// RapidJSON ends its sentences with a full stop.
std::string_view words_of(rapidjson::ParseErrorCode code) {
  std::string_view words = rapidjson::GetParseError_En(code);
  while (words.ends_with('.')) words.remove_suffix(1);
  return words;
}

}  // namespace

Result<Value> parse_json(std::string_view text, const ParseLimits& limits) {
  if (text.size() > limits.max_bytes) return internal::too_large(limits);
  if (const size_t nul = text.find('\0'); nul != text.npos) return malformed("a NUL byte", nul);
  if (const size_t bad = utf8_prefix(text); bad != text.size()) {
    return malformed("the text is not UTF-8", bad);
  }
  TreeBuilder builder(limits, "MALFORMED_JSON");
  Handler handler(builder, text.find("\\u") != text.npos);
  std::string copy(text);
  rapidjson::InsituStringStream input(copy.data());
  rapidjson::Reader reader;
  try {
    const rapidjson::ParseResult result = reader.Parse<kFlags>(input, handler);
    if (builder.fault()) {
      Error error = *builder.fault();
      error.message += cat(" at byte ", input.Tell());
      return error;
    }
    if (result.IsError()) return malformed(words_of(result.Code()), result.Offset());
  } catch (const internal::RapidJsonAssertion&) {
    return malformed("the text cannot be parsed", input.Tell());
  }
  return builder.take();
}

}  // namespace paddock::wire
