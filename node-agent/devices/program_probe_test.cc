#include "node-agent/devices/program_probe.h"

#include <gtest/gtest.h>

namespace paddock::devices {
namespace {

ProgramProbe shell(const std::string& script, Millis patience = Millis(60'000)) {
  return ProgramProbe({"/bin/sh", "-c", script}, patience);
}

TEST(ProgramProbe, ReadsAllThatIsPrintedHoweverTheProgramEnds) {
  EXPECT_EQ(shell("printf a; exec 2>/dev/null; printf b; exit 3").ask().value(), "ab");
  EXPECT_EQ(shell("exit 0").ask().value(), "");
  EXPECT_EQ(shell("head -c 1000000 /dev/zero").ask().value().size(), 1'000'000U);
}

TEST(ProgramProbe, WhatTakesTooLongOrSaysTooMuchIsSilentAndCanBeAskedAgain) {
  ProgramProbe hangs = shell("trap '' TERM; exec sleep 600", Millis(50));
  EXPECT_EQ(hangs.ask().error().reason, kProgramSilent);
  EXPECT_EQ(hangs.ask().error().reason, kProgramSilent);
  EXPECT_EQ(shell("yes").ask().error().reason, kProgramSilent);
}

TEST(ProgramProbe, WhatIsNotThereIsNotStarted) {
  EXPECT_EQ(ProgramProbe({"/no/such/program"}).ask().error().reason, kProgramNotStarted);
}

}  // namespace
}  // namespace paddock::devices
