#include "node-agent/sandbox/options.h"

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

TEST(Options, RefusesWhatItDoesNotKnow) {
  EXPECT_FALSE(parse({}).ok());
  EXPECT_FALSE(parse({"jog"}).ok());
  EXPECT_FALSE(parse({"run", "--request", "r"}).ok());
  EXPECT_FALSE(parse({"run", "--events", "e"}).ok());
  EXPECT_FALSE(parse({"run", "--request", "r", "--events"}).ok());
  EXPECT_FALSE(parse({"run", "--request", "r", "--events", "fd:-1"}).ok());
  EXPECT_FALSE(parse({"run", "--request", "r", "--events", "e", "--fast", "1"}).ok());
}

}  // namespace
}  // namespace paddock::sandbox
