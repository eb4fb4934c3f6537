#include "node-agent/sandbox/app/options.h"

#include <vector>

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

Result<Options> parse(std::vector<std::string> words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  return parse_options(pointers);
}

TEST(Options, ReadsARun) {
  const auto options = parse({"run", "--request", "r", "--events", "fd:7", "--lock", "l"});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->request, "r");
  EXPECT_EQ(options->events_fd, 7);
  EXPECT_EQ(options->lock, "l");
}

TEST(Options, ReadsARequestFromADescriptor) {
  const auto options = parse({"run", "--request", "fd:5", "--events", "fd:7"});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->request_fd, 5);
  EXPECT_FALSE(parse({"run", "--request", "fd:", "--events", "fd:7"}).ok());
}

TEST(Options, RefusesWhatItDoesNotKnow) {
  EXPECT_FALSE(parse({}).ok());
  EXPECT_FALSE(parse({"jog"}).ok());
  EXPECT_FALSE(parse({"run", "--request", "r"}).ok());
  EXPECT_FALSE(parse({"run", "--events", "e"}).ok());
  EXPECT_FALSE(parse({"run", "--request", "r", "--events"}).ok());
  EXPECT_FALSE(parse({"run", "--request", "r", "--events", "fd:-1"}).ok());
  EXPECT_FALSE(parse({"run", "--request", "r", "--events", "e", "--fast", "1"}).ok());
}

TEST(Options, ReadsTheDescriptorsOfABroker) {
  const auto options = parse({"broker", "4", "5", "6"});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->broker.sandbox, 6);
  EXPECT_EQ(options->broker.network, -1);
  EXPECT_EQ(parse({"broker", "4", "5", "6", "7"})->broker.network, 7);
  for (const auto& words : {std::vector<std::string>{"broker"},
                            {"broker", "4", "5", "2"},
                            {"broker", "4", "5", "x"},
                            {"broker", "4", "5", "6", "7", "8"}})
    EXPECT_FALSE(parse(words).ok());
}

TEST(Options, ReadsAServerAndAProbe) {
  const auto server = parse({"serve", "--socket", "s", "--lock", "l", "--ready", "4"});
  ASSERT_TRUE(server.ok());
  EXPECT_EQ(server->mode, Options::Mode::kServe);
  EXPECT_EQ(server->serve.socket, "s");
  EXPECT_EQ(server->serve.ready, 4);
  for (const char* ready : {"0", "65", "-1", "many"})
    EXPECT_FALSE(parse({"serve", "--socket", "s", "--ready", ready}).ok()) << ready;
  const auto judging = parse({"serve", "--socket", "s", "--judge", "exec", "--tools", "cat,sh"});
  ASSERT_TRUE(judging.ok());
  EXPECT_TRUE(judging->serve.judge_exec);
  EXPECT_EQ(judging->serve.tools, (std::vector<std::string>{"cat", "sh"}));
  EXPECT_FALSE(parse({"serve", "--socket", "s", "--judge", "all"}).ok());
  EXPECT_FALSE(judging->serve.hold_exit);
  EXPECT_TRUE(parse({"serve", "--socket", "s", "--hold", "exit"})->serve.hold_exit);
  EXPECT_FALSE(parse({"serve", "--socket", "s", "--hold", "all"}).ok());
  EXPECT_FALSE(parse({"serve"}).ok());
  EXPECT_FALSE(parse({"serve", "--socket", "s", "--fast", "1"}).ok());
  EXPECT_EQ(parse({"probe"})->mode, Options::Mode::kProbe);
  for (const char* mode : {" run ", " serve ", " probe"})
    EXPECT_NE(usage().find(mode), std::string::npos) << mode;
}

}  // namespace
}  // namespace paddock::sandbox
