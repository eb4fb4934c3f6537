// The answers of an S3 server as elements with text. They are hostile input: what is large, deep,
// declares a document type or is not well formed is refused. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace paddock::s3 {

inline constexpr size_t kMostXml = size_t{4} << 20;  // of one answer, in bytes
inline constexpr size_t kMostElements = 50'000;
inline constexpr size_t kDeepest = 8;

struct Element {
  std::string name;  // without its namespace's prefix
  std::string text;  // of it alone, not of its children
  std::vector<Element> children;

  const Element* find(std::string_view child) const;  // the first of this name
  std::string text_of(std::string_view child) const;  // empty: there is none
};

// The document's root. Unavailable, BUCKET_BAD_ANSWER.
Result<Element> parse_xml(std::string_view document);

}  // namespace paddock::s3
