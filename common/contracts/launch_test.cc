#include "common/contracts/launch.h"

#include <gtest/gtest.h>

#include "common/contracts/profile.h"
#include "common/wire/yaml.h"

namespace paddock::contracts {
namespace {

std::string frame(FrameType type, std::string_view payload) {
  return cat(frame_header(type, 42, payload.size()), payload, "\n");
}
std::string fault_of(std::string_view bytes) {
  Frame out;
  const auto taken = take_frame(bytes, out);
  if (!taken.ok()) return taken.error().reason;
  return *taken ? "taken" : "incomplete";
}

TEST(LaunchBegin, HasMillisecondsAndWhetherAllIsShownAndNothingElse) {
  EXPECT_EQ(begun("begin 1500"), (LaunchBegun{Millis(1'500), false}));
  EXPECT_EQ(begun("begin 0"), LaunchBegun());
  EXPECT_EQ(begun("begin 1500 shown"), (LaunchBegun{Millis(1'500), true}));
  for (const char* other :
       {"", "begin", "begin ", "begin x", "begin -1", "begin 1 2", "stop", "begin shown",
        "begin  shown", "begin 1 shown ", "begin 1 shownx", "begin 99999999999999999999"})
    EXPECT_FALSE(begun(other)) << other;
}

TEST(Frames, AreReadBackOneByOne) {
  const std::string bytes =
      frame(FrameType::kStarted, "{}") + frame(FrameType::kStdout, std::string("a\n\0b", 4)) +
      frame(FrameType::kStderr, "") + frame(FrameType::kResult, "{\"version\":2}");
  std::string_view rest = bytes;
  Frame out;
  ASSERT_TRUE(*take_frame(rest, out));
  EXPECT_EQ(out.type, FrameType::kStarted);
  EXPECT_EQ(out.time_ms, 42);
  ASSERT_TRUE(*take_frame(rest, out));
  EXPECT_EQ(out.payload, std::string_view("a\n\0b", 4));
  ASSERT_TRUE(*take_frame(rest, out));
  EXPECT_EQ(out.type, FrameType::kStderr);
  EXPECT_EQ(out.payload, "");
  ASSERT_TRUE(*take_frame(rest, out));
  EXPECT_EQ(out.type, FrameType::kResult);
  EXPECT_EQ(rest, "");
  EXPECT_FALSE(*take_frame(rest, out));
}

TEST(Frames, AreIncompleteAtEveryCutBeforeTheLastByte) {
  const std::string bytes = frame(FrameType::kStdout, "hello");
  for (size_t length = 0; length < bytes.size(); ++length) {
    std::string_view torn = std::string_view(bytes).substr(0, length);
    Frame out;
    const auto taken = take_frame(torn, out);
    ASSERT_TRUE(taken.ok()) << length;
    EXPECT_FALSE(*taken) << length;
    EXPECT_EQ(torn.size(), length);
  }
}

TEST(Frames, AreRefusedWhenTheyCannotBeFrames) {
  for (const char* bytes :
       {"stdin 1 2\nab\n", "stdout 1\n", "stdout 1 2 3\nab\n", "stdout x 2\nab\n",
        "stdout 1 -2\nab\n", "stdout 1 2x\nab\n", "stdout  1 2\nab\n", "\n", "stdout 1 2\nabc",
        "stdout 1 999999999999\n", "stdout 1 18446744073709551615\n", "STDOUT 1 2\nab\n"}) {
    EXPECT_EQ(fault_of(bytes), "SPOOL_CORRUPT") << bytes;
  }
  EXPECT_EQ(fault_of(std::string(64, 'a')), "SPOOL_CORRUPT");
  EXPECT_EQ(fault_of(std::string(63, 'a')), "incomplete");
}

TEST(Environment, HasExactlyTheVariablesOfTheDesign) {
  const auto env = minimal_environment(false);
  EXPECT_EQ(env, (std::map<std::string, std::string>{
                     {"PATH", "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin"},
                     {"HOME", "/workspace"},
                     {"TMPDIR", "/tmp"},
                     {"PYTHONPATH", ""},
                     {"LANG", "en_US.UTF-8"}}));
  const auto with_venv = minimal_environment(true);
  EXPECT_EQ(with_venv.size(), 6U);
  EXPECT_EQ(with_venv.at("VIRTUAL_ENV"), "/venv");
  EXPECT_TRUE(with_venv.at("PATH").starts_with("/venv/bin:/usr/local/bin:"));
}

TEST(LaunchRequest, RefusesARequestWithoutItsEssentials) {
  const auto request =
      wire::decode<LaunchRequest>(*wire::parse_yaml("{command: [], env: {}, uid: 0}"));
  ASSERT_FALSE(request.ok());
  std::vector<std::string> faults;
  for (const Cause& cause : request.error().causes) faults.push_back(cause.field);
  EXPECT_EQ(faults, (std::vector<std::string>{"traceId", "command", "workdir", "uid"}));
}

}  // namespace
}  // namespace paddock::contracts
