#include "controller/projects/html_tags.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/base/text.h"

namespace paddock::projects {
namespace {

constexpr size_t kMostAttributes = 256;  // of one tag; a browser needs no more either

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The references that stand in links.
std::string decoded(std::string_view text) {
  constexpr std::array kReferences = {std::pair<std::string_view, char>{"&amp;", '&'},
                                      std::pair<std::string_view, char>{"&quot;", '"'},
                                      std::pair<std::string_view, char>{"&#39;", '\''},
                                      std::pair<std::string_view, char>{"&lt;", '<'},
                                      std::pair<std::string_view, char>{"&gt;", '>'}};
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const auto found = std::ranges::find_if(
        kReferences, [&](const auto& each) { return text.substr(i).starts_with(each.first); });
    if (found == kReferences.end()) {
      out += text[i++];
    } else {
      out += found->second;
      i += found->first.size();
    }
  }
  return out;
}

bool equal_ignoring_case(std::string_view a, std::string_view lower) {
  return a.size() == lower.size() && ascii_lower(a) == lower;
}

}  // namespace

const Attribute* Tag::find(std::string_view wanted) const {
  const auto found = std::ranges::find(attributes, wanted, &Attribute::name);
  return found == attributes.end() ? nullptr : &*found;
}

std::optional<Tag> TagScanner::next() {
  while (true) {
    at_ = html_.find('<', at_);
    if (at_ == std::string_view::npos) {
      at_ = html_.size();
      return std::nullopt;
    }
    if (skip_comment()) continue;
    if (at_ + 1 < html_.size() && is_letter(html_[at_ + 1])) {
      if (std::optional<Tag> tag = start_tag()) return tag;
      return std::nullopt;  // it never ends: the rest is text
    }
    ++at_;
  }
}

bool TagScanner::skip_comment() {
  if (!html_.substr(at_).starts_with("<!--")) return false;
  const size_t end = html_.find("-->", at_ + 4);
  at_ = end == std::string_view::npos ? html_.size() : end + 3;
  return true;
}

void TagScanner::skip_spaces() {
  while (at_ < html_.size() && is_space(html_[at_])) ++at_;
}

std::optional<Tag> TagScanner::start_tag() {
  Tag tag;
  tag.begin = at_++;
  const size_t name = at_;
  while (at_ < html_.size() && !is_space(html_[at_]) && html_[at_] != '>' && html_[at_] != '/')
    ++at_;
  tag.name = ascii_lower(html_.substr(name, at_ - name));
  while (attribute(tag)) {
  }
  if (at_ >= html_.size()) return std::nullopt;
  tag.end = ++at_;
  tag.element_end = tag.end;
  const bool raw = tag.name == "script" || tag.name == "style" || tag.name == "textarea" ||
                   tag.name == "title" || tag.name == "noscript" || tag.name == "iframe";
  if (raw) at_ = tag.element_end = closing_tag(tag.name);
  return tag;
}

// False at the tag's end.
bool TagScanner::attribute(Tag& tag) {
  while (at_ < html_.size() && (is_space(html_[at_]) || html_[at_] == '/')) ++at_;
  if (at_ >= html_.size() || html_[at_] == '>') return false;
  Attribute out;
  out.begin = at_;
  constexpr std::string_view kEnds = " \t\n\r\f/>=";
  ++at_;  // whatever it is, an '=' too, it begins a name
  at_ = std::min(html_.find_first_of(kEnds, at_), html_.size());
  out.name = ascii_lower(html_.substr(out.begin, at_ - out.begin));
  out.end = at_;
  skip_spaces();
  if (at_ < html_.size() && html_[at_] == '=') {
    ++at_;
    skip_spaces();
    out.value = decoded(attribute_value());
    out.end = at_;
  }
  if (tag.attributes.size() < kMostAttributes) tag.attributes.push_back(std::move(out));
  return true;
}

std::string TagScanner::attribute_value() {
  if (at_ >= html_.size()) return {};
  const char quote = html_[at_];
  const bool quoted = quote == '"' || quote == '\'';
  const size_t begin = quoted ? at_ + 1 : at_;
  const size_t end = quoted ? html_.find(quote, begin) : html_.find_first_of(" \t\n\r\f>", begin);
  at_ = std::min(end, html_.size());
  const std::string value(html_.substr(std::min(begin, html_.size()), at_ - std::min(begin, at_)));
  if (quoted && at_ < html_.size()) ++at_;
  return value;
}

// Behind </name>, or the document's end.
size_t TagScanner::closing_tag(std::string_view name) const {
  for (size_t from = at_;;) {
    const size_t open = html_.find("</", from);
    if (open == std::string_view::npos) return html_.size();
    if (equal_ignoring_case(html_.substr(open + 2, name.size()), name)) {
      const size_t close = html_.find('>', open);
      return close == std::string_view::npos ? html_.size() : close + 1;
    }
    from = open + 2;
  }
}

}  // namespace paddock::projects
