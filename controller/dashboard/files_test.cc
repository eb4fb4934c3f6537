#include "controller/dashboard/files.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include <gtest/gtest.h>

namespace paddock::dashboard {
namespace {

// The files as they are in the source tree.
std::filesystem::path source_folder() {
  const char* source = std::getenv("PADDOCK_SOURCE_DIR");
  return std::filesystem::path(source == nullptr ? "." : source) / "controller/dashboard/web";
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class Check>
void each_file(const Check& check) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder())) {
    const std::string name = entry.path().filename();
    if (name.ends_with("_test.mjs")) continue;
    const File* file = find_file(name);
    ASSERT_NE(file, nullptr) << name;
    check(entry.path(), name, *file);
    ++files;
  }
  EXPECT_GT(files, 10);
}

TEST(DashboardFiles, AreThoseOfTheSourceTreeByteForByte) {
  each_file([](const auto& path, const std::string& name, const File& file) {
    EXPECT_EQ(file.content, read(path)) << name;
    EXPECT_EQ(file.etag.size(), 66U) << name;
  });
}

TEST(DashboardFiles, AreFoundByTheirWholeNameOnly) {
  EXPECT_EQ(find_file("index.html")->media_type, "text/html; charset=utf-8");
  EXPECT_EQ(find_file("app.css")->media_type, "text/css; charset=utf-8");
  EXPECT_EQ(find_file("app.mjs")->media_type, "text/javascript; charset=utf-8");
  EXPECT_EQ(find_file("icon.svg")->media_type, "image/svg+xml");
  for (const char* name : {"", ".", "..", "../files.cc", "/etc/passwd", "INDEX.HTML", "index",
                           "index.html/", "web/index.html", "format_test.mjs"})
    EXPECT_EQ(find_file(name), nullptr) << name;
}

// The policy of the page forbids all of it too; here it is not even written.
TEST(DashboardFiles, HoldNothingInlineNothingFromElsewhereAndNoMarkupFromText) {
  const std::regex inline_code(R"(<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)|javascript:)");
  const std::regex from_text(
      R"(innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|DOMParser|document\.write|\beval\(|new Function|document\.cookie|\.setAttribute\(["']style)");
  const std::regex elsewhere(R"((https?:)?//(?!www\.w3\.org/2000/svg)[a-z0-9-]+\.[a-z])");
  each_file([&](const auto&, const std::string& name, const File& file) {
    const std::string text(file.content);
    if (name.ends_with(".html")) {
      EXPECT_FALSE(std::regex_search(text, inline_code)) << name;
    }
    if (name.ends_with(".mjs")) {
      EXPECT_FALSE(std::regex_search(text, from_text)) << name;
      // What is stored is one module's: the token of the tab, and nothing besides.
      EXPECT_EQ(text.find("sessionStorage") != std::string::npos, name == "tab_token.mjs") << name;
    }
    if (!name.ends_with(".svg")) {
      EXPECT_FALSE(std::regex_search(text, elsewhere)) << name;
    }
    EXPECT_LT(text.size(), size_t{40} << 10) << name;
  });
}

}  // namespace
}  // namespace paddock::dashboard
