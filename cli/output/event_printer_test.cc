#include "cli/output/event_printer.h"

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::cli {
namespace {

// Both streams of one terminal: what stands on it.
class Printed : public testing::Test {
 protected:
  void says(std::string_view stream, const std::string& text) {
    contracts::RunEvent event;
    event.type = stream;
    event.data = text;
    printer_.print(event);
  }
  void out(const std::string& text) { says(contracts::kEventStdout, text); }
  void err(const std::string& text) { says(contracts::kEventStderr, text); }

  std::string shown_;
  ManualClock clock_;
  SystemRandom random_;
  const Stream terminal_{[this](std::string_view text) { shown_ += text; }, true};
  const Env env_{{}, "/", "", false, false, terminal_, terminal_, clock_, random_};
  EventPrinter printer_{env_, {}};
};

// The two pipes do not tell which came first.
TEST_F(Printed, AnEndOfABarThatComesBehindTheNextLineStandsBeforeIt) {
  err("\r 50%|#####     |");
  err("\r100%|##########|");
  out("done\n");
  err("\n");
  err("after\n");
  EXPECT_EQ(shown_, "\r\x1b[K 50%|#####     |\r\x1b[K100%|##########|\ndone\nafter\n");
}

TEST_F(Printed, AnEndOfABarThatComesInTimeIsTheOnlyOne) {
  err("\r100%|##########|\n");
  out("done\n");
  err("\n");
  EXPECT_EQ(shown_, "\r\x1b[K100%|##########|\ndone\n\n");
}

TEST_F(Printed, LinesThatAreNoBarAreSharedByBothStreamsAsOnATerminal) {
  err("name: ");
  out("x\n");
  err("\n");
  EXPECT_EQ(shown_, "name: x\n\n");
}

TEST_F(Printed, WhatTheRunTellsBesidesBeginsALine) {
  out("no end");
  says(contracts::kEventSystem, "a note");
  out("\nnext\n");
  EXPECT_EQ(shown_, "no end\n· a note\nnext\n");
}

TEST_F(Printed, WhatTheSummaryOfARunSaysIsNotSaidBeforeIt) {
  says(contracts::kEventPhase, R"({"phase":"Running"})");
  says(contracts::kEventSystem, "a note\nartifacts: 2 files, 3 B\n");
  says(contracts::kEventPhase, R"({"phase":"Pending","reason":"Retry","message":"again"})");
  for (const char* end : {"Succeeded", "Failed", "Canceled"})
    says(contracts::kEventPhase, cat(R"({"phase":")", end, R"(","message":"it ended"})"));
  EXPECT_EQ(shown_, "· Running\n· a note\n· Pending (Retry): again\n");
}

}  // namespace
}  // namespace paddock::cli
