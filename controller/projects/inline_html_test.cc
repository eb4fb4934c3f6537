#include "controller/projects/inline_html.h"

#include <map>

#include <gtest/gtest.h>

namespace paddock::projects {
namespace {

using Files = std::map<std::string, std::string>;

std::string inlined(const std::string& html, const Files& files,
                    const std::string& path = "index.html") {
  return inline_html(html, path, [&](const std::string& name, int64_t most) {
    const auto found = files.find(name);
    const bool there = found != files.end() && static_cast<int64_t>(found->second.size()) <= most;
    return there ? std::optional(found->second) : std::nullopt;
  });
}

// proves: OD-69
TEST(InlineHtml, TakesStylesScriptsAndImagesIn) {
  const Files files = {
      {"s.css", "b{background:url(i/dot.png)}"}, {"a.js", "let a = '<b>';"}, {"i/dot.png", "PNG"}};
  EXPECT_EQ(inlined("<link rel=stylesheet href=s.css><p>x</p>", files),
            "<style>b{background:url(\"data:image/png;base64,UE5H\")}</style><p>x</p>");
  EXPECT_EQ(inlined("<script type='module' src='a.js' defer></script>!", files),
            "<script type='module'  defer>let a = '<b>';</script>!");
  EXPECT_EQ(inlined("<IMG alt=\"a>b\" SRC='./i/dot.png?v=1#x' />", files),
            "<IMG alt=\"a>b\" src=\"data:image/png;base64,UE5H\" />");
  EXPECT_EQ(inlined("<video poster=i/dot.png></video>", files),
            "<video poster=\"data:image/png;base64,UE5H\"></video>");
  EXPECT_EQ(inlined("<img src=../i/dot.png>", files, "pages/a.html"),
            "<img src=\"data:image/png;base64,UE5H\">");
}

// proves: OD-104
TEST(InlineHtml, LeavesWhatItMayNotTakeAsALink) {
  const Files files = {{"x.js", "1"}, {"end.js", "'</script>'"}, {"end.css", "</style>"}};
  for (const char* html :
       {"<script src='https://example.com/x.js'></script>", "<script src='//host/x.js'></script>",
        "<script src='/x.js'></script>", "<script src='../x.js'></script>",
        "<script src='%2e%2e/x.js'></script>", "<script src='javascript:x.js'></script>",
        "<script src='missing.js'></script>", "<script src='end.js'></script>",
        "<link rel=stylesheet href=end.css>", "<link rel=preload href=x.js>",
        "<!-- <script src='x.js'></script> -->", "<script>'<script src=\"x.js\">'</script>",
        "<textarea><script src='x.js'></script></textarea>", "<script src='x.js'", "<", "<img src",
        "<!--", "<img src=\"x.js", "<a href='x.js'>x</a>"}) {
    EXPECT_EQ(inlined(html, files), html);
  }
}

TEST(InlineHtml, KeepsItsBounds) {
  std::string html;
  for (int i = 0; i < kMostCandidates + 1; ++i) html += "<img src=a.png>";
  const std::string out = inlined(html, {{"a.png", "x"}});
  EXPECT_TRUE(out.ends_with("<img src=a.png>"));
  EXPECT_EQ(out.find("<img src=a.png>"), out.size() - 15) << "only the last one is left";
  const std::string large(static_cast<size_t>(kMostAssetBytes) + 1, 'x');
  EXPECT_EQ(inlined("<img src=a.png>", {{"a.png", large}}), "<img src=a.png>");
}

TEST(InlineHtml, IsLinearInWhatNeverEnds) {
  std::string open;
  for (int i = 0; i < 100'000; ++i) open += "<script src=a.js ";
  EXPECT_EQ(inlined(open, {}), open);
  std::string comments;
  for (int i = 0; i < 100'000; ++i) comments += "<!--<a ";
  EXPECT_EQ(inlined(comments, {}), comments);
}

TEST(ResolveLink, StaysWithinTheProject) {
  EXPECT_EQ(resolve_link("a/b.html", "c.css"), "a/c.css");
  EXPECT_EQ(resolve_link("a/b.html", "../c%20d.css"), "c d.css");
  EXPECT_EQ(resolve_link("b.html", "../c.css"), std::nullopt);
  EXPECT_EQ(resolve_link("a/b.html", "../../c.css"), std::nullopt);
  EXPECT_EQ(resolve_link("b.html", "a%zz"), std::nullopt);
  EXPECT_EQ(resolve_link("b.html", ""), std::nullopt);
  EXPECT_EQ(resolve_link("b.html", "data:text/css,x"), std::nullopt);
  EXPECT_EQ(resolve_link("b.html", "a\\b"), std::nullopt);
}

}  // namespace
}  // namespace paddock::projects
