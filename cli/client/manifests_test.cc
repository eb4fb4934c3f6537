#include "cli/client/manifests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "tests/support/temp_dir.h"

namespace paddock::cli {
namespace {

using testing::ContainsRegex;
using testing::ElementsAre;
using testing::StartsWith;

constexpr const char* kRun =
    "apiVersion: paddock.dev/v1alpha1\nkind: Run\nmetadata: {name: a}\nspec: {type: code}\n";

std::vector<std::string> targets(const std::string& text, const std::string& name_space = {},
                                 ManifestUse use = ManifestUse::kCreate) {
  const auto manifests = parse_manifests({{"f.yaml", text}}, name_space, use);
  if (!manifests.ok()) {
    std::vector<std::string> faults;
    for (const Cause& each : manifests.error().causes)
      faults.push_back(cat(each.field, ": ", each.message));
    return faults;
  }
  std::vector<std::string> out;
  for (const Manifest& each : *manifests) out.push_back(each.target());
  return out;
}

constexpr const char* kNamespaces = "/apis/paddock.dev/v1alpha1/namespaces/";

TEST(Manifests, AreWhereTheirNamespaceAndKindSay) {
  EXPECT_THAT(targets(kRun), ElementsAre(cat(kNamespaces, "default/runs/a")));
  EXPECT_THAT(targets(kRun, "team"), ElementsAre(cat(kNamespaces, "team/runs/a")));
  EXPECT_THAT(targets("apiVersion: paddock.dev/v1alpha1\nkind: Grant\n"
                      "metadata: {name: g, namespace: own}\n"),
              ElementsAre(cat(kNamespaces, "own/grants/g")));
  EXPECT_THAT(targets("apiVersion: paddock.dev/v1alpha1\nkind: Node\nmetadata: {name: n}\n", "x"),
              ElementsAre("/apis/paddock.dev/v1alpha1/nodes/n"));
}

TEST(Manifests, ANameCannotLeadElsewhere) {
  EXPECT_THAT(targets("apiVersion: paddock.dev/v1alpha1\nkind: Run\n"
                      "metadata: {name: '../../nodes/n', namespace: 'a/b?c'}\n"),
              ElementsAre(cat(kNamespaces, "a%2Fb%3Fc/runs/..%2F..%2Fnodes%2Fn")));
}

TEST(Manifests, ComeFromSeveralDocumentsAndLists) {
  const std::string two = cat(kRun, "---\n---\n", R"({"kind":"RunList",
    "items":[{"metadata":{"name":"b"}},
             {"kind":"Grant","apiVersion":"paddock.dev/v1alpha1","metadata":{"name":"c"}}]})");
  EXPECT_THAT(targets(two),
              ElementsAre(cat(kNamespaces, "default/runs/a"), cat(kNamespaces, "default/runs/b"),
                          cat(kNamespaces, "default/grants/c")));
  const auto read = parse_manifests({{"f.yaml", two}}, "", ManifestUse::kCreate);
  EXPECT_EQ(read->at(1).place.source, "f.yaml, document 3, items[0]");
  EXPECT_EQ(read->at(1).object.text("kind"), "Run");
}

TEST(Manifests, SayEverythingThatIsWrongAtOnce) {
  EXPECT_THAT(
      targets("kind: Pod\napiVersion: v1\n---\nkind: Rum\napiVersion: paddock.dev/v1alpha1\n---\n"
              "kind: Run\napiVersion: paddock.dev/v1alpha1\n---\n- 1\n---\n"
              "kind: Run\napiVersion: paddock.dev/v1alpha1\nmetadata: {name: a, namespace: b}\n",
              "c"),
      ElementsAre(ContainsRegex("^f.yaml:2: apiVersion: .*`paddock.dev/v1alpha1`.*`v1`"),
                  ContainsRegex("^f.yaml:4: kind: `Rum` .*Run, Workspace"),
                  StartsWith("f.yaml, document 3: metadata.name: "),
                  ContainsRegex("^f.yaml, document 4: .*array"),
                  ContainsRegex("^f.yaml:14: metadata.namespace: .*`b`.*`c`")));
  EXPECT_THAT(targets("kind: Run\n---\nkind: Sandbox\napiVersion: agents.x-k8s.io/v1beta1\n"),
              ElementsAre(testing::EndsWith("`paddock.dev/v1alpha1` is expected, and missing"),
                          ContainsRegex("^f.yaml:4: .*`kubectl apply`")));
  EXPECT_THAT(targets("a: ["), ElementsAre(StartsWith("f.yaml: ")));
  EXPECT_THAT(targets("# nothing\n"), ElementsAre(StartsWith("--filename: ")));
}

TEST(Manifests, WhatCannotBeAppliedOrDeletedIsSaidWithTheRest) {
  const std::string unnamed =
      "kind: Run\napiVersion: paddock.dev/v1alpha1\nmetadata: {generateName: r-}\n---\n";
  const std::string token =
      "kind: ToolToken\napiVersion: paddock.dev/v1alpha1\nmetadata: {name: t}\n---\n";
  const std::string wrong = "kind: Rum\napiVersion: paddock.dev/v1alpha1\n---\n";
  EXPECT_THAT(targets(unnamed + token + wrong + token, "", ManifestUse::kApply),
              ElementsAre(ContainsRegex("^f.yaml:3: metadata.name: .*`paddock create`"),
                          ContainsRegex("^f.yaml:5: kind: .*`paddock token create`"),
                          StartsWith("f.yaml:9: kind: `Rum`"),
                          StartsWith("f.yaml:12: kind: `paddock token create`")));
  const auto reason = [](const std::string& text, ManifestUse use) {
    const auto manifests = parse_manifests({{"f.yaml", text}}, "", use);
    return manifests.ok() ? std::string("none") : cat(manifests.error().reason);
  };
  EXPECT_EQ(reason(token + token, ManifestUse::kCreate), "TOKEN_IN_FILE");
  EXPECT_EQ(reason(token + wrong, ManifestUse::kCreate), "BAD_MANIFEST");
  EXPECT_EQ(reason(token, ManifestUse::kDelete), "none");
  EXPECT_EQ(reason(unnamed, ManifestUse::kDelete), "NAME_MISSING");
  EXPECT_EQ(reason(unnamed, ManifestUse::kCreate), "none");
}

TEST(Manifests, WhatTheServerRefusesHasItsLine) {
  const std::string list =
      "kind: RunList\nitems:\n- metadata: {name: b}\n  spec:\n    nope: 1\n    odd: 2\n";
  const auto manifests =
      parse_manifests({{"f.yaml", cat(kRun, "---\n", list)}}, "", ManifestUse::kCreate);
  ASSERT_TRUE(manifests.ok()) << manifests.error().describe();
  const Error two{Code::kInvalidArgument,
                  "UNKNOWN_FIELD",
                  "spec.nope: unknown field (and 1 more)",
                  {{"spec.nope", "unknown field"}, {"spec.odd", "unknown field"}}};
  EXPECT_EQ(manifests->at(1).place.in_front_of(two).describe(),
            "f.yaml:10: spec.nope: unknown field; f.yaml:11: spec.odd: unknown field");
  const Error taken{
      Code::kAlreadyExists, "SECRET_ALREADY_EXISTS", "there is one", {{"metadata.name", "b"}}};
  EXPECT_EQ(manifests->at(1).place.in_front_of(taken).describe(),
            "f.yaml, document 2, items[0]: there is one; f.yaml:8: metadata.name: b");
}

class ManifestFiles : public testing::Test {
 protected:
  ManifestFiles() { env.cwd = folder.path(); }
  void write(const std::string& name) {
    EXPECT_TRUE(os::write_file_atomic(os::join_path(folder.path(), name), kRun).ok());
  }
  std::vector<std::string> sources(const std::vector<std::string>& paths) {
    const auto texts = read_manifests(paths, env);
    if (!texts.ok()) return {texts.error().reason};
    std::vector<std::string> out;
    for (const ManifestText& each : *texts) out.push_back(each.source);
    return out;
  }
  test::TempDir folder;
  SystemClock clock;
  SystemRandom random;
  Env env{.vars = {},
          .cwd = {},
          .program_dir = {},
          .out = {},
          .err = {},
          .clock = clock,
          .random = random};
};

TEST_F(ManifestFiles, OfAFolderComeInTheOrderOfTheirNames) {
  for (const char* name : {"2.yaml", "1.yml", "3.json", "notes.txt"}) write(name);
  EXPECT_THAT(sources({"."}), ElementsAre("./1.yml", "./2.yaml", "./3.json"));
  EXPECT_THAT(sources({"2.yaml", "notes.txt"}), ElementsAre("2.yaml", "notes.txt"));
  EXPECT_THAT(sources({"4.yaml"}), ElementsAre("SYSTEM_ERROR"));
}

TEST_F(ManifestFiles, AFolderWithoutOneIsNoEmptySet) {
  write("notes.txt");
  EXPECT_THAT(sources({"."}), ElementsAre("NO_MANIFESTS"));
}

}  // namespace
}  // namespace paddock::cli
