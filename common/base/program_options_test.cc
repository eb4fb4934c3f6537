#include "common/base/program_options.h"

#include <array>

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock {
namespace {

constexpr std::array kOptions = {ProgramOption{"--config", "FILE"}, ProgramOption{"--port", "N"},
                                 ProgramOption{"--check", "[=json]"}, ProgramOption{"--help", ""}};

std::string read(const std::vector<std::string>& words) {
  const auto given = read_options(words, kOptions, "USAGE");
  if (!given.ok()) return cat(given.error().reason, ": ", given.error().message);
  std::string out;
  for (const GivenOption& each : *given) out += cat(each.name, "(", each.value, ")");
  return out;
}

TEST(ProgramOptions, AreReadInBothForms) {
  EXPECT_EQ(read({"--port", "1", "--config=a=b", "--check", "-h"}),
            "--port(1)--config(a=b)--check()--help()");
  EXPECT_EQ(read({"--check=json", "--port="}), "--check(json)--port()");
  EXPECT_EQ(read({}), "");
}

TEST(ProgramOptions, SayWhichWasMeant) {
  EXPECT_EQ(read({"--prot", "1"}), "USAGE: there is no option `--prot`; did you mean `--port`?");
  EXPECT_EQ(read({"--cofnig=f"}), "USAGE: there is no option `--cofnig`; did you mean `--config`?");
  EXPECT_EQ(read({"--hlep"}), "USAGE: there is no option `--hlep`; did you mean `--help`?");
  EXPECT_EQ(read({"serve"}), "USAGE: there is no option `serve`; `--help` lists them");
}

TEST(ProgramOptions, HaveTheirValuesAndNoOthers) {
  EXPECT_EQ(read({"--port"}), "USAGE: --port needs a value");
  EXPECT_EQ(read({"--help=yes"}), "USAGE: --help takes no value");
  EXPECT_EQ(read({"--check=yaml"}), "USAGE: --check stands alone, or as --check=json");
}

TEST(ProgramOptions, AreTheUsage) {
  EXPECT_EQ(usage_of("paddock-thing", kOptions),
            "usage: paddock-thing [--config FILE] [--port N] [--check[=json]] [--help]\n");
  EXPECT_EQ(usage_of("a-program-with-a-name-of-forty-letters-xx", kOptions),
            "usage: a-program-with-a-name-of-forty-letters-xx [--config FILE] [--port N]\n"
            "                                                 [--check[=json]] [--help]\n");
}

}  // namespace
}  // namespace paddock
