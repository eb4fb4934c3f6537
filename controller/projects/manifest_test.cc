#include "controller/projects/manifest.h"

#include <gtest/gtest.h>

#include "common/wire/json.h"

namespace paddock::projects {
namespace {

constexpr WallTime kNow{1'750'000'000'000};

contracts::Workspace workspace() {
  contracts::Workspace out;
  out.metadata.name = "site";
  out.spec.source = "my site";
  return out;
}

contracts::Tree tree_with(const std::vector<std::string>& sorted_paths) {
  contracts::Tree tree;
  for (const std::string& path : sorted_paths)
    tree.entries.push_back({path, std::string(64, 'a'), 7, false});
  return tree;
}

const ExportFile& file(const ExportManifest& manifest, const std::string& name) {
  for (const auto& each : manifest.files)
    if (each.name == name) return each;
  static const ExportFile kNone;
  ADD_FAILURE() << "no file " << name;
  return kNone;
}

// proves: OD-43, OD-92
TEST(Manifest, HasTheDesignsShape) {
  const auto manifest = export_manifest(
      workspace(), tree_with({".env", "index.html", "logo.png", "notes"}), {}, kNow);
  EXPECT_EQ(wire::encode_json(manifest),
            R"({"schema":"paddock.workspace-export-manifest.v1","projectId":"site",)"
            R"("projectName":"my site","generatedAt":"2025-06-15T15:06:40Z",)"
            R"("entryFile":"index.html","files":[)"
            R"({"name":"index.html","size":7,"mtime":null,"kind":"html",)"
            R"("mime":"text/html; charset=utf-8","included":true,"role":"entry",)"
            R"("reasons":["visible-project-file","project-entry-file"]},)"
            R"({"name":"logo.png","size":7,"mtime":null,"kind":"image","mime":"image/png",)"
            R"("included":true,"role":"asset","reasons":["visible-project-file"]},)"
            R"({"name":"notes","size":7,"mtime":null,"kind":"other",)"
            R"("mime":"application/octet-stream","included":true,"role":"other",)"
            R"("reasons":["visible-project-file"]}],"artifacts":[]})");
}

TEST(Manifest, SaysNullWhereThereIsNothing) {
  contracts::Workspace bare = workspace();
  bare.spec.source.clear();
  const wire::Value out = wire::encode(export_manifest(bare, {}, {}, kNow));
  ASSERT_NE(out.find("entryFile"), nullptr);
  EXPECT_TRUE(out.find("entryFile")->is_null());
  EXPECT_TRUE(out.find("projectName")->is_null());
}

// proves: OD-43
TEST(Manifest, TakesArtifactsFromTheirSidecars) {
  const contracts::Tree tree = tree_with({"out/chart.svg", "out/chart.svg.artifact.json",
                                          "out/data.csv", "show.html", "show.html.artifact.json"});
  ASSERT_EQ(sidecars_of(tree).size(), 2U);
  Sidecars sidecars;
  add_sidecar(sidecars, "out/chart.svg.artifact.json",
              R"({"title":"Chart","kind":"chart","renderer":"svg","status":"final",)"
              R"("exports":["svg"],"supportingFiles":["data.csv","../../etc/passwd","none"],)"
              R"("somethingElse":1})");
  add_sidecar(sidecars, "show.html.artifact.json", R"({"title":"Show","entry":true})");
  const auto manifest = export_manifest(workspace(), tree, sidecars, kNow);
  EXPECT_EQ(manifest.entry_file.text, "show.html");
  ASSERT_EQ(manifest.artifacts.size(), 2U);
  EXPECT_EQ(manifest.artifacts[0].supporting_files, std::vector<std::string>{"out/data.csv"});
  EXPECT_EQ(file(manifest, "out/chart.svg").role, "artifact");
  EXPECT_EQ(file(manifest, "out/chart.svg").artifact_kind, "chart");
  EXPECT_EQ(file(manifest, "out/data.csv").role, "supporting");
  EXPECT_EQ(file(manifest, "show.html").role, "entry");
  EXPECT_EQ(manifest.files.size(), 3U) << "sidecars are not listed";
}

TEST(Manifest, PassesOverSidecarsThatAreNone) {
  Sidecars sidecars;
  for (const char* text : {"", "[]", "{\"title\":7}", "{\"exports\":\"x\"}", "\xff"})
    add_sidecar(sidecars, "a.html.artifact.json", text);
  EXPECT_TRUE(sidecars.empty());
  contracts::Tree tree = tree_with({"a.html", "a.html.artifact.json", "gone.html.artifact.json"});
  EXPECT_EQ(sidecars_of(tree).size(), 1U) << "of a file that is there";
  tree.entries[1].size = kMostSidecarBytes + 1;
  EXPECT_TRUE(sidecars_of(tree).empty()) << "too large";
}

}  // namespace
}  // namespace paddock::projects
