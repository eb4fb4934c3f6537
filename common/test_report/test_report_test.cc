#include "common/test_report/test_report.h"

#include <stdlib.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/crypto/digest.h"
#include "common/os/file.h"
#include "common/wire/json.h"

namespace paddock::test_report {
namespace {

using contracts::SandboxResult;
using contracts::SandboxStatus;
using testing::ElementsAre;
using testing::HasSubstr;

using Words = std::vector<std::string>;

SandboxResult ended_with(int64_t rc) {
  SandboxResult out;
  out.status = rc == 0 ? SandboxStatus::kOk : SandboxStatus::kFailed;
  out.rc = rc;
  out.cmd = {"python3", "judge.py"};
  return out;
}

struct Judged {
  std::string reason;
  SandboxStatus status;
  int64_t rc;
  bool operator==(const Judged&) const = default;
};

Judged judged(int64_t rc, const std::optional<Report>& report, const Words& command = {"pytest"}) {
  SandboxResult result = ended_with(rc);
  const Verdict verdict = judge(command, report, result);
  return {verdict.reason, result.status, result.rc};
}

TEST(TestVerdict, SuccessIsBorneOutByTests) {
  EXPECT_EQ(judged(0, Report{.collected = 2, .passed = 1, .skipped = 1, .finished = true}),
            (Judged{"", SandboxStatus::kOk, 0}));
}

TEST(TestVerdict, ACodeOfZeroIsNoSuccessWithoutThem) {
  constexpr auto kFailed = SandboxStatus::kFailed;
  const struct {
    std::optional<Report> report;
    Judged judged;
  } kCases[] = {
      {std::nullopt, {"TESTS_UNFINISHED", kFailed, 1}},
      {Report{.collected = 2}, {"TESTS_UNFINISHED", kFailed, 1}},
      {Report{.collected = 2, .passed = 1, .finished = true}, {"TESTS_UNFINISHED", kFailed, 1}},
      {Report{.collected = 1, .passed = 1}, {"TESTS_UNFINISHED", kFailed, 1}},
      {Report{.collected = 2, .passed = 1, .failed = 1, .finished = true},
       {"TESTS_FAILED", kFailed, 1}},
      {Report{.finished = true}, {"NO_TESTS", kFailed, 5}},
      {Report{.collected = 3, .skipped = 3, .finished = true}, {"TESTS_SKIPPED", kFailed, 5}},
      {Report{.skipped_files = 1, .finished = true}, {"TESTS_SKIPPED", kFailed, 5}}};
  for (const auto& each : kCases) EXPECT_EQ(judged(0, each.report), each.judged);
}

TEST(TestVerdict, AnotherCodeStaysAndPytestsFiveIsExplained) {
  EXPECT_EQ(judged(1, Report{.collected = 1, .failed = 1, .finished = true}),
            (Judged{"", SandboxStatus::kFailed, 1}));
  EXPECT_EQ(judged(4, std::nullopt), (Judged{"", SandboxStatus::kFailed, 4}));
  EXPECT_EQ(judged(5, Report{.finished = true}), (Judged{"NO_TESTS", SandboxStatus::kFailed, 5}));
}

TEST(TestVerdict, WhoOnlyAsksIsAnswered) {
  for (const char* word : {"--collect-only", "--co", "--version", "--fixtures"})
    EXPECT_EQ(judged(0, Report{.collected = 2, .finished = true}, {"pytest", word}),
              (Judged{"", SandboxStatus::kOk, 0}));
}

TEST(TestVerdict, ALimitStaysALimitAndTheResultHasCountsAndTheCallersCommand) {
  SandboxResult result = ended_with(124);
  result.status = SandboxStatus::kTimeout;
  EXPECT_EQ(judge({"pytest", "a"}, Report{.collected = 3, .passed = 1}, result).reason, "");
  EXPECT_EQ(result.status, SandboxStatus::kTimeout);
  EXPECT_EQ(result.tests->collected, 3);
  EXPECT_EQ(result.tests->passed, 1);
  EXPECT_THAT(result.cmd, ElementsAre("pytest", "a"));
}

class ReportFile : public testing::Test {
 protected:
  ReportFile() {
    std::string pattern = testing::TempDir() + "test-report-XXXXXX";
    base = ::mkdtemp(pattern.data());
    folder = base + "/tests";
    EXPECT_TRUE(prepare(folder, std::nullopt, random).ok());
    request.command = {"python3", "-m", "pytest", "-v", "tests"};
    EXPECT_TRUE(add_judge(folder, request).ok());
  }
  ~ReportFile() override { (void)os::remove_tree(base); }
  void write(const std::string& key, const std::string& text) {
    const std::string whole = cat(crypto::hmac_sha256_hex(key, text), "\n", text, "\n");
    ASSERT_TRUE(os::write_file_atomic(folder + "/report", whole).ok());
  }
  std::string key() const { return request.scratch_files.at("/tmp/.paddock/tests/key"); }

  SystemRandom random;
  std::string base;
  std::string folder;
  contracts::LaunchRequest request;
};

constexpr const char* kText =
    R"({"collected":2,"passed":1,"failed":1,"skipped":0,"skippedFiles":0,"brokenFiles":0,)"
    R"("finished":true})";

TEST_F(ReportFile, TheCommandIsStartedByTheJudge) {
  EXPECT_THAT(request.command,
              ElementsAre("python3", "-I", "-S", "-B", "/tmp/.paddock/tests/judge.py",
                          "/paddock/tests.json", "/tmp/.paddock/tests/key", "-v", "tests"));
  ASSERT_EQ(request.mounts.size(), 1u);
  EXPECT_EQ(request.mounts[0].mode, contracts::MountMode::kReadWrite);
}

TEST_F(ReportFile, IsReadWhereItIsSignedWithTheRunsKey) {
  EXPECT_FALSE(read(folder).has_value());
  write(key(), kText);
  ASSERT_TRUE(read(folder).has_value());
  EXPECT_EQ(read(folder)->failed, 1);
  write("another key", kText);
  EXPECT_FALSE(read(folder).has_value());
}

TEST_F(ReportFile, ForgedCutHugeOrLinkedIsNone) {
  write(key(), R"({"passed":-1})");
  EXPECT_FALSE(read(folder).has_value());
  write(key(), "not JSON");
  EXPECT_FALSE(read(folder).has_value());
  ASSERT_TRUE(os::write_file_atomic(folder + "/report", std::string(1 << 20, 'x')).ok());
  EXPECT_FALSE(read(folder).has_value());
  write(key(), kText);
  ASSERT_EQ(::rename((folder + "/report").c_str(), (base + "/away").c_str()), 0);
  ASSERT_EQ(::symlink((base + "/away").c_str(), (folder + "/report").c_str()), 0);
  EXPECT_FALSE(read(folder).has_value());
}

TEST(JudgedCommands, ArePytestAndNothingElse) {
  EXPECT_TRUE(is_judged({"pytest"}));
  EXPECT_TRUE(is_judged({"python3", "-m", "pytest", "-v"}));
  EXPECT_FALSE(is_judged({"python3", "-m", "unittest"}));
  EXPECT_FALSE(is_judged({"python3", "pytest"}));
  EXPECT_FALSE(is_judged({}));
}

}  // namespace
}  // namespace paddock::test_report
