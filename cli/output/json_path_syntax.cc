#include "cli/output/json_path_syntax.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/wire/json.h"

namespace paddock::cli::json_path {
namespace {

constexpr int kDeepest = 16;  // ranges in ranges, filters in filters
constexpr std::string_view kNotInNames = ".[]{}()'\"=!<>,@$*?: \t\n";

// Reads a template from its start to its end; every function leaves `at_` behind what it has read.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<Node> whole() {
    Node root;
    if (text_.find('{') == std::string_view::npos) {
      root.inside.push_back({.kind = Node::Kind::kQuery});
      ASSIGN_OR_RETURN(root.inside[0].query, query(0));
      if (!ended()) return fault("a path has no such character");
      return root;
    }
    TRY(nodes(root.inside, 0));
    return root;
  }

 private:
  bool ended() const { return at_ >= text_.size(); }
  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t') ++at_;
  }
  Error fault(std::string_view what) const {
    return invalid_argument("BAD_JSONPATH", cat(what, ", at character ", at_ + 1), "--output");
  }
  Status expect(std::string_view word) {
    if (take(word)) return {};
    return fault(cat("`", word, "` is missing"));
  }

  // Up to the `{end}` of the range that these are in, or the end of the text.
  Status nodes(std::vector<Node>& out, int depth) {
    while (!ended()) {
      const size_t brace = std::min(text_.find('{', at_), text_.size());
      if (brace > at_)
        out.push_back(
            {.kind = Node::Kind::kText, .text = std::string(text_.substr(at_, brace - at_))});
      at_ = brace;
      if (ended()) break;
      ++at_;
      skip_blanks();
      if (take("end")) {
        if (depth == 0) return fault("`end` without a `range`");
        skip_blanks();
        return expect("}");
      }
      ASSIGN_OR_RETURN(Node node, braced(depth));
      out.push_back(std::move(node));
    }
    if (depth > 0) return fault("a `range` has no `{end}`");
    return {};
  }

  // Parses what is between braces, up to and with the closing one.
  Result<Node> braced(int depth) {
    Node node;
    if (peek() == '"' || peek() == '\'') {
      node.kind = Node::Kind::kText;
      ASSIGN_OR_RETURN(node.text, quoted());
    } else if (take("range ")) {
      if (depth == kDeepest) return fault("ranges are nested too deep");
      node.kind = Node::Kind::kRange;
      skip_blanks();
      ASSIGN_OR_RETURN(node.query, query(0));
      skip_blanks();
      TRY(expect("}"));
      TRY(nodes(node.inside, depth + 1));
      return node;
    } else {
      node.kind = Node::Kind::kQuery;
      ASSIGN_OR_RETURN(node.query, query(0));
    }
    skip_blanks();
    TRY(expect("}"));
    return node;
  }

  Result<std::string> quoted() {
    const char quote = peek();
    std::string out;
    for (++at_; !ended() && peek() != quote; ++at_) {
      if (peek() != '\\') {
        out += peek();
        continue;
      }
      ++at_;
      const char next = peek();
      out += next == 'n' ? '\n' : next == 't' ? '\t' : next == 'r' ? '\r' : next;
    }
    if (ended()) return fault("a quote is not closed");
    ++at_;
    return out;
  }

  Result<Query> query(int depth) {
    Query out{.from_root = take("$")};
    const bool named = out.from_root || take("@");
    if (!named && peek() != '.' && peek() != '[')
      return fault("a path begins with `.`, `[`, `$` or `@`");
    while (peek() == '.' || peek() == '[') {
      if (take("..")) {
        out.steps.push_back({.kind = Step::Kind::kDescend});
        if (peek() == '[') continue;
        TRY(member(out.steps));
      } else if (take(".")) {
        const bool nothing_more = ended() || peek() == '}' || peek() == '[';
        if (nothing_more) continue;  // `{.}` and `.[0]`
        TRY(member(out.steps));
      } else {
        ASSIGN_OR_RETURN(Step step, bracketed(depth));
        out.steps.push_back(std::move(step));
      }
    }
    return out;
  }

  Status member(std::vector<Step>& steps) {
    if (take("*")) {
      steps.push_back({.kind = Step::Kind::kAll});
      return {};
    }
    std::string name;
    for (; !ended(); ++at_) {
      const bool escaped = peek() == '\\' && peek(1) != '\0';
      if (escaped) ++at_;
      if (!escaped && kNotInNames.find(peek()) != std::string_view::npos) break;
      name += peek();
    }
    if (name.empty()) return fault("a name is missing");
    steps.push_back({.kind = Step::Kind::kMember, .name = std::move(name)});
    return {};
  }

  Result<Step> bracketed(int depth) {
    TRY(expect("["));
    Step step;
    if (take("*")) {
      step.kind = Step::Kind::kAll;
    } else if (peek() == '"' || peek() == '\'') {
      ASSIGN_OR_RETURN(step.name, quoted());
    } else if (take("?(")) {
      ASSIGN_OR_RETURN(step, filter(depth));
    } else {
      ASSIGN_OR_RETURN(step, index_or_slice());
    }
    TRY(expect("]"));
    return step;
  }

  Result<Step> index_or_slice() {
    Step step{.kind = Step::Kind::kIndex};
    ASSIGN_OR_RETURN(step.from, number());
    if (take(":")) {
      step.kind = Step::Kind::kSlice;
      ASSIGN_OR_RETURN(step.to, number());
    } else if (!step.from) {
      return fault("an index, a slice, `*`, a quoted name or `?(` belongs between brackets");
    }
    return step;
  }

  Result<std::optional<int64_t>> number() {
    const size_t start = at_;
    if (peek() == '-') ++at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    if (start == at_) return std::optional<int64_t>();
    const auto value = parse_integer<int64_t>(text_.substr(start, at_ - start));
    if (!value) return fault("this is no whole number");
    return value;
  }

  Result<Step> filter(int depth) {
    if (depth == kDeepest) return fault("filters are nested too deep");
    Step step{.kind = Step::Kind::kFilter};
    skip_blanks();
    ASSIGN_OR_RETURN(step.condition, query(depth + 1));
    skip_blanks();
    step.comparison = comparison();
    if (step.comparison != Comparison::kExists) {
      skip_blanks();
      ASSIGN_OR_RETURN(step.operand, operand());
      skip_blanks();
    }
    TRY(expect(")"));
    return step;
  }

  Comparison comparison() {
    if (take("==")) return Comparison::kEqual;
    if (take("!=")) return Comparison::kNotEqual;
    if (take("<=")) return Comparison::kLessOrEqual;
    if (take(">=")) return Comparison::kGreaterOrEqual;
    if (take("<")) return Comparison::kLess;
    if (take(">")) return Comparison::kGreater;
    return Comparison::kExists;
  }

  Result<wire::Value> operand() {
    if (peek() == '"' || peek() == '\'') {
      ASSIGN_OR_RETURN(std::string text, quoted());
      return wire::Value(std::move(text));
    }
    const size_t end = std::min(text_.find_first_of(") \t", at_), text_.size());
    const auto value = wire::parse_json(text_.substr(at_, end - at_));
    if (!value.ok() || value->array() != nullptr || value->object() != nullptr)
      return fault("a quoted text, a number, true, false or null belongs here");
    at_ = end;
    return *value;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Result<Node> parse(std::string_view text) { return Reader(text).whole(); }

}  // namespace paddock::cli::json_path
