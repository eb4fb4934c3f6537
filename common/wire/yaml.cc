#include "common/wire/yaml.h"

#include <istream>
#include <optional>
#include <streambuf>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "common/base/text.h"
#include "common/wire/internal/tree_builder.h"
#include "common/wire/internal/yaml_scalar.h"

namespace paddock::wire {
namespace {

using internal::TreeBuilder;

// Ends yaml-cpp's parse at the first event that is refused. Never leaves this file.
struct Refused {
  YAML::Mark mark;
  std::string message;  // empty: the builder knows why
};

// yaml-cpp's handler: refuses what JSON does not have and passes the rest on to the builder, so
// that a bomb of aliases or brackets is refused before it is a tree.
class EventBuilder final : public YAML::EventHandler {
 public:
  // `too_many` is said when no further document is allowed; otherwise it is empty.
  EventBuilder(TreeBuilder& builder, std::string too_many)
      : builder_(builder), too_many_(std::move(too_many)) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (!too_many_.empty()) throw Refused{mark, too_many_};
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    if (builder_.expects_key()) throw Refused{mark, "a key is missing"};
    check(mark, builder_.scalar(nullptr));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Refused{mark, "aliases are not allowed"};
  }
  void OnAnchor(const YAML::Mark& mark, const std::string&) override {
    throw Refused{mark, "anchors are not allowed"};
  }
  // yaml-cpp gives plain scalars the tag `?` and quoted ones `!`.
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    refuse_anchor(mark, anchor);
    if (tag != "?" && tag != "!") throw Refused{mark, "tags are not allowed"};
    if (tag == "!") return text_event(mark, text);
    auto plain = internal::plain_scalar(text);
    if (!plain) throw Refused{mark, plain.error().message};
    if (plain->string() != nullptr) return text_event(mark, text, true);
    if (builder_.expects_key()) {
      throw Refused{mark, cat("a key must be a string; write \"", text, "\" in quotes")};
    }
    check(mark, builder_.scalar(std::move(*plain)));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    refuse_container(mark, tag, anchor);
    check(mark, builder_.begin_array());
  }
  void OnSequenceEnd() override { builder_.end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    refuse_container(mark, tag, anchor);
    check(mark, builder_.begin_object());
  }
  void OnMapEnd() override { builder_.end(); }

 private:
  void text_event(const YAML::Mark& mark, const std::string& text, bool plain = false) {
    if (!is_utf8(text)) throw Refused{mark, "an escape is not a character"};
    if (!builder_.expects_key()) return check(mark, builder_.scalar(text));
    if (plain && text == "<<") throw Refused{mark, "merge keys are not allowed"};
    check(mark, builder_.key(text));
  }
  static void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) throw Refused{mark, "anchors are not allowed"};
  }
  void refuse_container(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    refuse_anchor(mark, anchor);
    if (!tag.empty() && tag != "?") throw Refused{mark, "tags are not allowed"};
    if (builder_.expects_key()) throw Refused{mark, "a key must be a string"};
  }
  static void check(const YAML::Mark& mark, bool accepted) {
    if (!accepted) throw Refused{mark, {}};
  }
  TreeBuilder& builder_;
  std::string too_many_;
};

// A stream over memory that copies nothing.
class ViewBuffer final : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* start = const_cast<char*>(text.data());
    setg(start, start, start + text.size());
  }
};

std::string place(const YAML::Mark& mark) {
  return cat(" at line ", mark.line + 1, ", column ", mark.column + 1);
}

std::string too_many(size_t most) {
  return most == 1 ? "only one document is allowed"
                   : cat("at most ", most, " documents are allowed");
}

Error malformed(std::string message) {
  return {Code::kInvalidArgument, "MALFORMED_YAML", std::move(message)};
}

// yaml-cpp takes byte 4 for the end and guesses UTF-16 from NUL bytes: neither may reach it.
bool is_forbidden(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 && c != '\t' && c != '\n' && c != '\r';
}

Status check_bytes(std::string_view text) {
  if (const size_t bad = utf8_prefix(text); bad != text.size()) {
    return malformed(cat("the text is not UTF-8 at byte ", bad));
  }
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_forbidden(text[i])) return malformed(cat("a control character at byte ", i));
  }
  return {};
}

// JSON is nearly YAML: yaml-cpp lacks surrogate pairs and tabs in some places.
bool looks_like_json(std::string_view text) {
  const std::string_view start = trim(text);
  return start.starts_with('{') || start.starts_with('[');
}

// The next document, or nothing at the end.
Result<std::optional<Value>> next_document(YAML::Parser& parser, const ParseLimits& limits,
                                           std::string too_many) {
  TreeBuilder builder(limits, "MALFORMED_YAML");
  EventBuilder handler(builder, std::move(too_many));
  try {
    if (!parser.HandleNextDocument(handler)) return std::optional<Value>();
  } catch (const Refused& refused) {
    Error error = refused.message.empty() ? *builder.fault() : malformed(refused.message);
    error.message += place(refused.mark);
    return error;
  } catch (const YAML::Exception& exception) {
    // yaml-cpp looks for the anchor first, and repeats its name: it may be anything of the text.
    const bool alias = exception.msg.starts_with(YAML::ErrorMsg::UNKNOWN_ANCHOR);
    return malformed(cat(alias ? "aliases are not allowed" : exception.msg, place(exception.mark)));
  }
  return std::optional<Value>(builder.take());
}

Result<std::vector<Value>> parse_events(std::string_view text, const ParseLimits& limits,
                                        size_t most) {
  ViewBuffer buffer(text);
  std::istream stream(&buffer);
  YAML::Parser parser(stream);
  std::vector<Value> documents;
  for (;;) {
    const bool full = documents.size() == most;
    ASSIGN_OR_RETURN(auto document, next_document(parser, limits, full ? too_many(most) : ""));
    if (!document) return documents;
    documents.push_back(std::move(*document));
  }
}

}  // namespace

Result<std::vector<Value>> parse_yaml_documents(std::string_view text, size_t most,
                                                const ParseLimits& limits) {
  if (text.size() > limits.max_bytes) return internal::too_large(limits);
  TRY(check_bytes(text));
  if (looks_like_json(text)) {
    auto parsed = parse_json(text, limits);
    if (parsed.ok()) return std::vector<Value>{std::move(*parsed)};
    if (parsed.error().reason != "MALFORMED_JSON") return parsed.error();
  }
  return parse_events(text, limits, most);
}

Result<Value> parse_yaml(std::string_view text, const ParseLimits& limits) {
  ASSIGN_OR_RETURN(auto documents, parse_yaml_documents(text, 1, limits));
  return documents.empty() ? Value() : std::move(documents.front());
}

}  // namespace paddock::wire
