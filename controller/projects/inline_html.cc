#include "controller/projects/inline_html.h"

#include <algorithm>
#include <vector>

#include "common/base/percent.h"
#include "common/base/relative_path.h"
#include "common/base/text.h"
#include "controller/projects/files.h"
#include "controller/projects/html_tags.h"

namespace paddock::projects {
namespace {

// Whether the text may stand between <style> and </style>, or <script> and </script>, without
// ending it.
bool may_stand_in(std::string_view element, std::string_view text) {
  const std::string lower = ascii_lower(text);
  return lower.find(cat("</", element)) == std::string::npos &&
         lower.find("<!--") == std::string::npos;
}

class Inliner {
 public:
  Inliner(std::string_view html, const std::string& path, const Fetch& fetch)
      : html_(html), path_(path), fetch_(fetch) {}

  std::string run() {
    TagScanner scanner(html_);
    while (const std::optional<Tag> tag = scanner.next()) replace(*tag);
    out_ += html_.substr(copied_);
    return std::move(out_);
  }

 private:
  // The file behind a link, while there is room for it.
  std::optional<std::string> asset(const std::string& from, std::string_view link,
                                   std::string* resolved = nullptr) {
    if (candidates_ >= kMostCandidates) return std::nullopt;
    ++candidates_;
    const std::optional<std::string> path = resolve_link(from, link);
    if (!path) return std::nullopt;
    const int64_t room = std::min(kMostAssetBytes, kMostInlinedBytes - inlined_);
    std::optional<std::string> content = fetch_(*path, room);
    if (!content) return std::nullopt;
    inlined_ += static_cast<int64_t>(content->size());
    if (resolved != nullptr) *resolved = *path;
    return content;
  }

  std::optional<std::string> data_url(const std::string& from, std::string_view link) {
    std::string path;
    const std::optional<std::string> content = asset(from, link, &path);
    if (!content) return std::nullopt;
    return cat("data:", media_type(path).mime, ";base64,", base64(*content));
  }

  // The document up to `begin`, then `text`; it goes on at `end`.
  void put(size_t begin, size_t end, std::string_view text) {
    out_ += html_.substr(copied_, begin - copied_);
    out_ += text;
    copied_ = end;
  }

  void replace(const Tag& tag) {
    if (tag.name == "link") return replace_stylesheet(tag);
    if (tag.name == "script") return replace_script(tag);
    for (const Attribute& attribute : tag.attributes) {
      const bool image = tag.name == "img" || tag.name == "source" || tag.name == "video" ||
                         tag.name == "audio" || tag.name == "track" || tag.name == "input";
      if (!image || (attribute.name != "src" && attribute.name != "poster")) continue;
      if (const auto url = data_url(path_, attribute.value))
        put(attribute.begin, attribute.end, cat(attribute.name, "=\"", *url, "\""));
    }
  }

  void replace_stylesheet(const Tag& tag) {
    const Attribute* rel = tag.find("rel");
    const Attribute* href = tag.find("href");
    if (rel == nullptr || href == nullptr || href->value.empty()) return;
    const std::string kind = ascii_lower(rel->value);
    if (kind == "icon" || kind == "shortcut icon") {
      if (const auto url = data_url(path_, href->value))
        put(href->begin, href->end, cat("href=\"", *url, "\""));
      return;
    }
    if (kind != "stylesheet") return;
    std::string path;
    const auto content = asset(path_, href->value, &path);
    if (!content) return;
    const std::string style = inline_urls(*content, path);
    if (!may_stand_in("style", style)) return;
    const Attribute* media = tag.find("media");
    const bool plain = media != nullptr && media->value.find('"') == std::string::npos;
    put(tag.begin, tag.end,
        cat("<style", plain ? cat(" media=\"", media->value, "\"") : std::string(), ">", style,
            "</style>"));
  }

  void replace_script(const Tag& tag) {
    const Attribute* src = tag.find("src");
    if (src == nullptr) return;
    const auto content = asset(path_, src->value);
    if (!content || !may_stand_in("script", *content)) return;
    std::string open(html_.substr(tag.begin, src->begin - tag.begin));
    open += html_.substr(src->end, tag.end - src->end);
    if (open.ends_with("/>")) open.erase(open.size() - 2, 1);
    put(tag.begin, tag.element_end, cat(open, *content, "</script>"));
  }

  // url(…) of a style sheet, relative to the sheet.
  std::string inline_urls(std::string_view css, const std::string& from) {
    std::string out;
    size_t copied = 0;
    for (size_t at = css.find("url("); at != std::string_view::npos; at = css.find("url(", at)) {
      const size_t open = at + 4;
      const size_t close = css.find(')', open);
      if (close == std::string_view::npos) break;
      std::string_view link = trim(css.substr(open, close - open));
      const bool quoted = link.size() >= 2 && (link.front() == '"' || link.front() == '\'') &&
                          link.back() == link.front();
      if (quoted) link = link.substr(1, link.size() - 2);
      if (const auto url = data_url(from, link)) {
        out += css.substr(copied, at - copied);
        out += cat("url(\"", *url, "\")");
        copied = close + 1;
      }
      at = close;
    }
    return out += css.substr(copied);
  }

  std::string_view html_;
  const std::string& path_;
  const Fetch& fetch_;
  std::string out_;
  size_t copied_ = 0;
  int candidates_ = 0;
  int64_t inlined_ = 0;
};

}  // namespace

std::optional<std::string> resolve_link(const std::string& from, std::string_view link) {
  link = trim(link.substr(0, link.find_first_of("?#")));
  const size_t colon = link.find(':');
  const bool scheme = colon != std::string_view::npos && colon < link.find('/');
  if (link.empty() || scheme || link.front() == '/' || link.find('\\') != std::string_view::npos)
    return std::nullopt;
  const std::optional<std::string> plain = percent_decode(link);
  if (!plain || plain->find('\0') != std::string::npos) return std::nullopt;
  return path_beside(from, *plain);
}

std::string inline_html(std::string_view html, const std::string& path, const Fetch& fetch) {
  return Inliner(html, path, fetch).run();
}

}  // namespace paddock::projects
