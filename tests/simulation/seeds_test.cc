#include "tests/simulation/seeds.h"

#include <gmock/gmock.h>

#include "tests/support/temp_dir.h"

namespace paddock::simulation {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Seeds, AreOneALineWithWhatTheyFoundBehindThem) {
  EXPECT_THAT(parse_seeds("# why\n7 # a lost run\n\n  18446744073709551615\n", "s").value(),
              ElementsAre(7U, 18446744073709551615U));
  EXPECT_THAT(parse_seeds("", "s").value(), IsEmpty());
}

TEST(Seeds, ThatAreNoneAreNamedWithTheirLine) {
  for (const char* bad : {"seven", "-1", "7 8", "7.0", "18446744073709551616", "0x7"}) {
    const auto seeds = parse_seeds(std::string("1\n# 2\n") + bad + "\n", "seeds.txt");
    ASSERT_FALSE(seeds.ok()) << bad;
    EXPECT_EQ(seeds.error().reason, "PARAMETER_INVALID");
    EXPECT_THAT(seeds.error().message, HasSubstr("seeds.txt:3")) << bad;
    EXPECT_THAT(seeds.error().message, HasSubstr(bad));
  }
  EXPECT_THAT(parse_seeds("5\n6\n5", "s").error().message, HasSubstr("s:3"));
}

TEST(Seeds, AreReadFromTheFileThatTheSimulatorNames) {
  const auto kept = read_seeds(PADDOCK_SEEDS_FILE);
  EXPECT_TRUE(kept.ok()) << kept.error().message;
  EXPECT_FALSE(read_seeds("/nowhere/seeds.txt").ok());
  const test::TempDir folder;
  folder.write("seeds.txt", "3\nthree\n");
  EXPECT_THAT(read_seeds(folder / "seeds.txt").error().message, HasSubstr("seeds.txt:2"));
}

}  // namespace
}  // namespace paddock::simulation
