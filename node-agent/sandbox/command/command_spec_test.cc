#include "node-agent/sandbox/command/command_spec.h"

#include <sys/resource.h>

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

CommandSpec example() {
  return {.command = {"sh", "-c", std::string("a\0b", 3), ""},
          .env = {{"EMPTY", ""}, {"PATH", "/usr/bin"}},
          .workdir = "/workspace",
          .stdin_file = "/workspace/in",
          .rlimits = {{RLIMIT_NOFILE, "RLIMIT_NOFILE", 10, RLIM_INFINITY}},
          .scratch_folders = {"/tmp/home"},
          .scratch_files = {{"/tmp/home/a", std::string("x\0y", 3)}},
          .tools = {{1, 2}, {~dev_t{0}, ~ino_t{0}}},
          .processors = {0, 63},
          .no_tcp = 3};
}

TEST(CommandSpec, ArrivesAsItWasSent) {
  const auto out = unpack(pack(example()));
  ASSERT_TRUE(out);
  EXPECT_EQ(out->command, example().command);
  EXPECT_EQ(out->env, example().env);
  EXPECT_EQ(out->workdir, "/workspace");
  EXPECT_EQ(out->stdin_file, "/workspace/in");
  ASSERT_EQ(out->rlimits.size(), 1U);
  EXPECT_EQ(out->rlimits[0].resource, RLIMIT_NOFILE);
  EXPECT_EQ(out->rlimits[0].name, "RLIMIT_NOFILE");
  EXPECT_EQ(out->rlimits[0].soft, 10U);
  EXPECT_EQ(out->rlimits[0].hard, RLIM_INFINITY);
  EXPECT_EQ(out->scratch_folders, example().scratch_folders);
  EXPECT_EQ(out->scratch_files, example().scratch_files);
  EXPECT_EQ(out->tools, example().tools);
  EXPECT_EQ(out->processors, example().processors);
  EXPECT_EQ(out->no_tcp, 3U);
}

TEST(CommandSpec, IsNothingWhenCutShortOrTooLong) {
  const std::string bytes = pack(example());
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(unpack(std::string_view(bytes).substr(0, length))) << length;
  EXPECT_FALSE(unpack(bytes + "x"));
  EXPECT_FALSE(unpack(pack({})));
  EXPECT_FALSE(unpack(std::string(64, '\xff')));
}

}  // namespace
}  // namespace paddock::sandbox
