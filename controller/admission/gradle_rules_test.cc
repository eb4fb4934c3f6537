#include "controller/admission/gradle_rules.h"

#include <gtest/gtest.h>

namespace paddock::admission {
namespace {

using Words = std::vector<std::string>;

class GradleRules : public testing::Test {
 protected:
  static std::string reason(const Words& argv, const contracts::Tree* tree) {
    const auto refusals = check_gradle_command(argv, tree);
    return refusals.empty() ? "" : refusals[0].reason.str();
  }
  std::string reason(const Words& argv) const { return reason(argv, &tree_); }
  contracts::Tree tree_{
      {{"app/gradlew", std::string(64, 'a'), 1, true}, {"gradlew", std::string(64, 'a'), 1, true}}};
};

TEST_F(GradleRules, TakeTheWrapperOrTheNodesGradleAndTasks) {
  for (const Words& argv :
       {Words{"./gradlew"}, Words{"gradle", "build"},
        Words{"./gradlew", ":app:assembleDebug", "lint"},
        Words{"./gradlew", "check", "-x", "test", "--stacktrace", "--offline"},
        Words{"./gradlew", "test", "--tests=com.example.*Test", "--max-workers=2"},
        Words{"./gradlew", "-Pversion=1.2", "-Pflag", "jar"}}) {
    EXPECT_EQ(reason(argv), "") << argv.back();
  }
}

TEST_F(GradleRules, TakeNoOtherProgram) {
  for (const char* program : {"gradlew", "/usr/bin/gradle", "../gradlew", "app/gradlew", "GRADLE",
                              "./gradlew.sh", "bash", "java", ""}) {
    EXPECT_EQ(reason({program, "build"}), "COMMAND_NOT_ALLOWED") << program;
  }
  EXPECT_EQ(reason({}), "COMMAND_REQUIRED");
}

TEST_F(GradleRules, WantAWrapperThatIsThereAndCanBeExecuted) {
  EXPECT_EQ(reason({"./gradlew", "build"}, nullptr), "SCRIPT_NOT_FOUND");
  tree_.entries[1].executable = false;
  EXPECT_EQ(reason({"./gradlew", "build"}), "SCRIPT_NOT_EXECUTABLE");
  EXPECT_EQ(reason({"gradle", "build"}), "");
}

// Another project, script, home, JVM or daemon.
TEST_F(GradleRules, RefuseOptionsThatLeadElsewhereByName) {
  for (const char* word : {"-I",
                           "--init-script=x.gradle",
                           "--init-script",
                           "-Ix.gradle",
                           "-p",
                           "--project-dir=sub",
                           "-b",
                           "--build-file=x",
                           "-c",
                           "--settings-file=x",
                           "-g",
                           "--gradle-user-home=home",
                           "--include-build=x",
                           "--daemon",
                           "--foreground",
                           "--continuous",
                           "-t",
                           "--scan",
                           "-Dx=y",
                           "-Dorg.gradle.jvmargs=-javaagent:x.jar",
                           "--system-prop=x=y",
                           "--refresh-dependencies",
                           "--status",
                           "--stop",
                           "-P",
                           "-P-x",
                           "--tests",
                           "--",
                           "-"}) {
    const auto refusals = check_gradle_command({"./gradlew", "build", word}, &tree_);
    ASSERT_EQ(refusals.size(), 1u) << word;
    EXPECT_EQ(refusals[0].reason, "COMMAND_FLAG_BLOCKED") << word;
    EXPECT_EQ(refusals[0].word, 2u);
    EXPECT_NE(refusals[0].message.find(word), std::string::npos);
    EXPECT_NE(refusals[0].message.find("-P<name>=<value>"), std::string::npos);
  }
}

TEST_F(GradleRules, KeepTheRulesForEveryWord) {
  EXPECT_EQ(reason({"./gradlew", "-Pa=b;id"}), "COMMAND_METACHARACTER");
  EXPECT_EQ(reason({"./gradlew", "-Pa=$(id)"}), "COMMAND_METACHARACTER");
  EXPECT_EQ(reason({"./gradlew", "-Pout=/etc/x"}), "PATH_ESCAPES_WORKSPACE");
  EXPECT_EQ(reason({"./gradlew", "-Pout=a/../../x"}), "PATH_ESCAPES_WORKSPACE");
  for (const char* word : {"a/b", "*", "~", "", "build.gradle!", ".hidden"})
    EXPECT_EQ(reason({"./gradlew", word}), "TASK_INVALID") << word;
}

}  // namespace
}  // namespace paddock::admission
