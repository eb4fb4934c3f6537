#include "cli/options/label_changes.h"

#include <gtest/gtest.h>

#include "common/wire/json.h"

namespace paddock::cli {
namespace {

std::string patch_of(const std::vector<std::string>& words) {
  const auto patch = label_patch(words);
  return patch.ok() ? wire::to_json(*patch) : patch.error().message;
}

TEST(IsLabelChange, TellsThemFromNames) {
  for (const char* word : {"a=1", "b=", "c-", "=1", "-"})
    EXPECT_TRUE(is_label_change(word)) << word;
  for (const char* word : {"a", "run/a", "a-b", "run.paddock.dev/a"})
    EXPECT_FALSE(is_label_change(word)) << word;
}

TEST(LabelPatch, SetsAndRemoves) {
  EXPECT_EQ(patch_of({"a=1", "b=", "c-", "d=x=y-"}),
            R"({"metadata":{"labels":{"a":"1","b":"","c":null,"d":"x=y-"}}})");
}

TEST(LabelPatch, RefusesWhatIsNoLabel) {
  EXPECT_EQ(patch_of({"a"}), "`a` is neither KEY=VALUE nor KEY-");
  EXPECT_EQ(patch_of({"=1"}), "`=1` is neither KEY=VALUE nor KEY-");
  EXPECT_EQ(patch_of({"-"}), "`-` is neither KEY=VALUE nor KEY-");
  EXPECT_EQ(patch_of({"a=1", "a-"}), "`a` is named twice");
}

TEST(KeepsLabels, NamesThoseThatWouldGetAnotherValue) {
  const auto object = wire::parse_json(R"({"metadata":{"labels":{"a":"1","b":"2","c":"3"}}})");
  const auto kept = [&](const std::vector<std::string>& words) {
    const Status status = keeps_labels(*object, *label_patch(words));
    return status.ok() ? std::string() : status.error().message;
  };
  EXPECT_EQ(kept({"a=1", "b-", "d=4"}), "");
  EXPECT_EQ(kept({"a=2"}), "the label `a` has another value; --overwrite replaces it");
  EXPECT_EQ(kept({"a=2", "c="}),
            "the labels `a`, `c` have another value; --overwrite replaces them");
  EXPECT_TRUE(keeps_labels(wire::Value(), *label_patch({"a=1"})).ok());
}

TEST(LabelPatch, IsOneOfAnnotationsWhereThatIsMeant) {
  const auto patch = label_patch({"note=two words", "old-"}, "annotations");
  EXPECT_EQ(wire::to_json(*patch),
            R"({"metadata":{"annotations":{"note":"two words","old":null}}})");
  const auto object =
      wire::parse_json(R"({"metadata":{"labels":{"note":"1"},"annotations":{"note":"one"}}})");
  EXPECT_TRUE(keeps_labels(*object, *label_patch({"note=one"}, "annotations")).ok());
  const Error kept = keeps_labels(*object, *patch).error();
  EXPECT_EQ(kept.reason, "LABEL_EXISTS");
  EXPECT_TRUE(kept.message.starts_with("the annotation `note` has ")) << kept.message;
}

}  // namespace
}  // namespace paddock::cli
