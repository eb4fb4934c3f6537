#include "controller/s3/xml.h"

#include <expat.h>

#include <algorithm>
#include <memory>

#include "common/base/freed.h"
#include "common/base/text.h"

namespace paddock::s3 {
namespace {

using Parser = std::unique_ptr<XML_ParserStruct, Freed<&XML_ParserFree>>;

Error bad_xml(std::string_view why) {
  return {Code::kUnavailable, "BUCKET_BAD_ANSWER", cat("the bucket's server sent XML that ", why)};
}

// The state of expat's callbacks while they build the tree.
struct Building {
  XML_Parser parser = nullptr;
  Element top;                      // the document's root is its only child
  std::vector<Element*> open = {};  // from `top` on; children of an open one do not move
  size_t elements = 0;
  const char* refused = nullptr;

  void refuse(const char* why) {
    refused = why;
    XML_StopParser(parser, XML_FALSE);
  }
};

std::string local_name(std::string_view name) {
  const size_t colon = name.rfind(':');
  return std::string(colon == std::string_view::npos ? name : name.substr(colon + 1));
}

void on_start(void* data, const char* name, const char**) {
  auto& building = *static_cast<Building*>(data);
  if (building.open.size() > kDeepest) return building.refuse("is nested too deeply");
  if (++building.elements > kMostElements) return building.refuse("has too many elements");
  std::vector<Element>& siblings = building.open.back()->children;
  siblings.push_back({local_name(name), {}, {}});
  building.open.push_back(&siblings.back());
}

void on_end(void* data, const char*) { static_cast<Building*>(data)->open.pop_back(); }

void on_text(void* data, const char* text, int size) {
  static_cast<Building*>(data)->open.back()->text.append(text, static_cast<size_t>(size));
}

// Entities of a document's own, and files that it names, are of no use to a server of objects.
void on_doctype(void* data, const char*, const char*, const char*, int) {
  static_cast<Building*>(data)->refuse("declares a document type");
}

}  // namespace

const Element* Element::find(std::string_view child) const {
  const auto found = std::ranges::find(children, child, &Element::name);
  return found == children.end() ? nullptr : &*found;
}

std::string Element::text_of(std::string_view child) const {
  const Element* found = find(child);
  return found == nullptr ? std::string() : found->text;
}

Result<Element> parse_xml(std::string_view document) {
  if (document.size() > kMostXml) return bad_xml("is too large");
  const Parser parser(XML_ParserCreate("UTF-8"));
  if (!parser) return Error{Code::kInternal, "INTERNAL", "no XML parser could be made"};
  Building building{.parser = parser.get(), .top = {}};
  building.open.push_back(&building.top);
  XML_SetUserData(parser.get(), &building);
  XML_SetElementHandler(parser.get(), &on_start, &on_end);
  XML_SetCharacterDataHandler(parser.get(), &on_text);
  XML_SetStartDoctypeDeclHandler(parser.get(), &on_doctype);
  const XML_Status parsed =
      XML_Parse(parser.get(), document.data(), static_cast<int>(document.size()), XML_TRUE);
  if (building.refused != nullptr) return bad_xml(building.refused);
  if (parsed != XML_STATUS_OK || building.top.children.size() != 1)
    return bad_xml("is not well formed");
  return std::move(building.top.children.front());
}

}  // namespace paddock::s3
