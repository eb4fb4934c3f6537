// The dashboard: pages for people, as files that are part of this program. They are the same for
// every caller and hold nothing that is secret; what they show they ask the public API for, with
// the token of the person who looks. Pure; the files are read by nobody at run time.
#pragma once

#include <string>
#include <string_view>

namespace paddock::dashboard {

struct File {
  std::string_view media_type;
  std::string_view content;
  std::string etag;  // of the content: a new program's files are never mistaken for the old one's
};

inline constexpr std::string_view kPage = "index.html";

// By whole name; null if there is none. Names are looked up, never opened.
const File* find_file(std::string_view name);

// What the page may load and do: its own files and this server, nothing else and nothing inline.
extern const std::string_view kContentPolicy;

}  // namespace paddock::dashboard
