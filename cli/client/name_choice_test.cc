#include "cli/client/name_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/client/object_choice.h"

namespace paddock::cli {
namespace {

using testing::ElementsAre;

TEST(NameChoice, TakesNamesAsTheyArePrinted) {
  EXPECT_THAT(*names_of(Kind::kRun, {"a", "run/b", "runs/c", "run.paddock.dev/d", "rn/a"}),
              ElementsAre("a", "b", "c", "d"));
  EXPECT_EQ(*name_of(Kind::kSandbox, "sandbox.paddock.dev/work"), "work");
}

TEST(NameChoice, RefusesOtherKinds) {
  EXPECT_EQ(name_of(Kind::kRun, "node/a").error().reason, "USAGE");
  EXPECT_EQ(name_of(Kind::kRun, "").error().reason, "USAGE");
  EXPECT_EQ(names_of(Kind::kRun, {"a", "run/"}).error().reason, "USAGE");
  EXPECT_EQ(name_of(Kind::kSandbox, "run/a").error().reason, "USAGE");
  EXPECT_EQ(name_of(Kind::kRun, "nothing/a").error().reason, "UNKNOWN_KIND");
}

TEST(NameChoice, AnArrayStandsForItsElements) {
  EXPECT_THAT(with_elements({"a", "sweep", "b"}, {{"sweep", {"sweep-0", "sweep-10", "sweep-2"}}}),
              ElementsAre("a", "sweep-0", "sweep-2", "sweep-10", "b"));
  EXPECT_THAT(with_elements({"sweep"}, {}), ElementsAre("sweep")) << "none of it is there yet";
}

// A selector of labels chooses the elements too, and one of fields perhaps some of them.
TEST(NameChoice, AnArrayIsPassedOverWhereElementsOfItAreChosen) {
  const std::map<std::string, std::vector<std::string>> elements = {
      {"sweep", {"sweep-0", "sweep-1"}}};
  EXPECT_THAT(with_elements({"sweep", "sweep-0", "sweep-1"}, elements),
              ElementsAre("sweep-0", "sweep-1"));
  EXPECT_THAT(with_elements({"sweep-1", "sweep"}, elements), ElementsAre("sweep-1"));
}

TEST(NameChoice, BlanksSelectNothing) {
  Parsed parsed;
  for (const char* blank : {"", " ", "\t \n"}) {
    parsed.values["selector"] = {blank};
    EXPECT_EQ(selector_of(parsed, "selector"), "");
  }
  parsed.values["selector"] = {" a=b "};
  EXPECT_EQ(selector_of(parsed, "selector"), "a=b");
  EXPECT_EQ(selector_of(parsed, "field-selector"), "");
}

}  // namespace
}  // namespace paddock::cli
