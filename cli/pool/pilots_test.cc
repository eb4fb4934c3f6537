#include "cli/pool/pilots.h"

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::cli {
namespace {

constexpr PilotSize kSize{4, 2048, 1};

TEST(JobName, IsReadBack) {
  const std::string name = job_name("hpc", "k7f3a9c2", kSize);
  EXPECT_EQ(name, "paddock-hpc-k7f3a9c2-4c-2048m-1g");
  const auto parsed = parse_job_name("hpc", name);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->key, "k7f3a9c2");
  EXPECT_EQ(parsed->size, kSize);
}

TEST(JobName, SaysHowManyPilotsOfAGangItIs) {
  const std::string name = job_name("hpc", "k7f3a9c2", {4, 2048, 1, 3});
  EXPECT_EQ(name, "paddock-hpc-k7f3a9c2-4c-2048m-1g-3n");
  ASSERT_TRUE(parse_job_name("hpc", name));
  EXPECT_EQ(parse_job_name("hpc", name)->size, (PilotSize{4, 2048, 1, 3}));
}

TEST(JobName, OfAnotherPoolIsAnothers) {
  const std::string longer = job_name("hpc-b", "k7f3a9c2", kSize);
  EXPECT_FALSE(parse_job_name("hpc", longer));
  EXPECT_TRUE(parse_job_name("hpc-b", longer));
  EXPECT_FALSE(parse_job_name("hp", job_name("hpc", "k7f3a9c2", kSize)));
}

TEST(JobName, OfOthersIsNone) {
  for (const char* name :
       {"", "bash", "paddock-hpc", "paddock-hpc-", "paddock-hpc-k7f3a9c2-4c-2048m",
        "paddock-hpc-k7f3a9c2-4c-2048m-1g-x", "paddock-hpc-K7F3-4c-2048m-1g",
        "paddock-hpc-k7f3a9c2-4c-2048m-1g-1n", "paddock-hpc-k7f3a9c2-4c-2048m-1g-0n",
        "paddock-hpc-k7f3a9c2-4c-2048m-1g-1001n", "paddock-hpc-k7f3a9c2--4c-2048m-1g",
        "paddock-hpc-k7f3a9c2-c-2048m-1g", "paddock-hpc-k7f3a9c2-04c-2048m-1g",
        "paddock-hpc-k7f3a9c2-4c-99999999999999999999m-1g", "paddock-hpc-k7f3a9c2-+4c-2048m-1g",
        "paddock-hpc-k7f3a9c2-4c-2048m-1g "})
    EXPECT_FALSE(parse_job_name("hpc", name)) << name;
}

TEST(NodeName, LeadsBackToItsJob) {
  EXPECT_EQ(node_of("hpc", "12"), "hpc-12");
  EXPECT_EQ(pilot_of("hpc", "hpc-12"), "12");
  EXPECT_EQ(job_of("12"), "12");
  EXPECT_EQ(pilot_of("hpc", "hpc-12-r3"), "12-r3");
  EXPECT_EQ(job_of("12-r3"), "12");
  for (const char* node : {"hpc-", "hpc-b-12", "hpc-12x", "laptop", "hpc12", "hpc-12-3", "hpc-12-r",
                           "hpc-12-rx", "hpc-12-r1-r2"})
    EXPECT_EQ(pilot_of("hpc", node), "") << node;
}

TEST(NodeName, IsOfEachPilotOfAJob) {
  const std::string name = job_name("hpc", "k7f3a9c2", {1, 1024, 0, 2});
  const Queue queue = parse_queue("hpc", cat("12|RUNNING|1764270000|", name, "|None\n"));
  ASSERT_EQ(queue.pilots.size(), 1U);
  EXPECT_EQ(pilots_of(queue.pilots[0]), (std::vector<std::string>{"12-r0", "12-r1"}));
}

std::string line(std::string_view state, std::string_view started = "N/A",
                 std::string_view reason = "None") {
  return cat("12|", state, "|", started, "|", job_name("hpc", "k7f3a9c2", kSize), "|", reason,
             "\n");
}

Pilot only(const std::string& text) {
  const Queue queue = parse_queue("hpc", text);
  EXPECT_EQ(queue.pilots.size(), 1U) << text;
  EXPECT_EQ(queue.odd, 0) << text;
  return queue.pilots.empty() ? Pilot{} : queue.pilots.front();
}

TEST(Queue, TellsWhatRunsSinceWhenAndWhyOneWaits) {
  const Pilot running = only(line("RUNNING", "1764270000"));
  EXPECT_EQ(running.job, "12");
  EXPECT_EQ(running.key, "k7f3a9c2");
  EXPECT_EQ(running.size, kSize);
  EXPECT_EQ(running.state, PilotState::kRunning);
  ASSERT_TRUE(running.started);
  EXPECT_EQ(running.started->ms, 1'764'270'000'000);
  const Pilot queued = only(line("PENDING", "1764279999", "PartitionTimeLimit"));
  EXPECT_EQ(queued.state, PilotState::kQueued);
  EXPECT_EQ(queued.why, "PartitionTimeLimit");
  EXPECT_FALSE(queued.started) << "when it is expected to start";
}

TEST(Queue, NothingIsCountedOnAStateThatIsNotKnown) {
  for (const char* state : {"COMPLETING", "SUSPENDED", "STAGE_OUT", "", "running", "NEW_IN_2030"})
    EXPECT_EQ(only(line(state)).state, PilotState::kEnding) << state;
}

TEST(Queue, LinesThatAreNotSqueuesAreCountedAndNotBelieved) {
  const std::string name = job_name("hpc", "k7f3a9c2", kSize);
  for (const std::string& odd :
       {std::string("slurm_load_jobs error: Unable to contact"), std::string("12|RUNNING"),
        cat("12_3|RUNNING|N/A|", name, "|None"), cat("-1|RUNNING|N/A|", name, "|None"),
        cat("../12|RUNNING|N/A|", name, "|None"), cat("|RUNNING|N/A|", name, "|None"),
        cat("12|RUNNING|N/A|", name, "|", std::string(2000, 'x'))}) {
    const Queue queue = parse_queue("hpc", odd + "\n");
    EXPECT_TRUE(queue.pilots.empty()) << odd;
    EXPECT_EQ(queue.odd, 1) << odd;
  }
}

TEST(Queue, JobsOfOthersArePassedOver) {
  const Queue queue =
      parse_queue("hpc", "7|RUNNING|N/A|bash|None\n8|PENDING|N/A|a|b|c\n" + line("PENDING"));
  ASSERT_EQ(queue.pilots.size(), 1U);
  EXPECT_EQ(queue.pilots[0].job, "12");
  EXPECT_EQ(queue.odd, 0);
}

TEST(Queue, WordsOfSlurmAreShownAsPlainOnes) {
  EXPECT_EQ(only(line("PENDING", "N/A", "\x1b[31m(why)\x01|x")).why, "?[31m(why)?|x");
  EXPECT_EQ(only(line("PENDING", "N/A", std::string(500, 'a'))).why.size(), 128U);
}

TEST(Submitted, IsANumberAndNothingElse) {
  EXPECT_EQ(parse_submitted("123\n"), "123");
  EXPECT_EQ(parse_submitted("123;cluster\n"), "123");
  for (const char* text : {"", "Submitted batch job 12", "12 13", "12\n13\n", "-1", "0x10"})
    EXPECT_FALSE(parse_submitted(text)) << text;
}

TEST(IsRefusal, OnlyIfSlurmctldAnsweredThatThereIsNoJob) {
  EXPECT_TRUE(
      is_refusal("sbatch: error: Batch job submission failed: Requested node configuration is not "
                 "available\n"));
  EXPECT_TRUE(
      is_refusal("sbatch: error: Batch job submission failed: Invalid account or "
                 "account/partition combination specified"));
  for (const char* open :
       {"", "Socket timed out on send/recv operation",
        "Unable to contact slurm controller (connect failure)", "Message receive failure",
        "Zero Bytes were transmitted or received", "Protocol authentication error",
        "Unexpected message received", "Connection refused", "Broken pipe",
        "Communication connection failure", "Resource temporarily unavailable",
        "Header lengths are longer than data received"}) {
    EXPECT_FALSE(is_refusal(open)) << open;
    EXPECT_FALSE(is_refusal(cat("sbatch: error: Batch job submission failed: ", open))) << open;
  }
}

}  // namespace
}  // namespace paddock::cli
