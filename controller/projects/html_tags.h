// The tags of an HTML document, one after another, with where each stands. Comments and the text of
// scripts and styles are passed over. (WHATWG HTML, 13.2.5, as far as attributes of start tags)
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::projects {

struct Attribute {
  std::string name;   // lower case
  std::string value;  // with &amp; and its like as they stand for
  size_t begin = 0;   // of the whole `name="value"`
  size_t end = 0;
};

struct Tag {
  std::string name;  // lower case
  std::vector<Attribute> attributes;
  size_t begin = 0;  // of '<'
  size_t end = 0;    // behind '>'
  // Behind the closing tag of a script or style; for all other tags the same as `end`.
  size_t element_end = 0;

  const Attribute* find(std::string_view name) const;
};

class TagScanner {
 public:
  explicit TagScanner(std::string_view html) : html_(html) {}
  // The next start tag. Linear in the document, whatever it holds.
  std::optional<Tag> next();

 private:
  bool skip_comment();
  std::optional<Tag> start_tag();
  bool attribute(Tag& tag);
  std::string attribute_value();
  void skip_spaces();
  size_t closing_tag(std::string_view name) const;

  std::string_view html_;
  size_t at_ = 0;
};

}  // namespace paddock::projects
