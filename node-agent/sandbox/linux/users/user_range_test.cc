#include "node-agent/sandbox/linux/users/user_range.h"

#include <gmock/gmock.h>

namespace paddock::sandbox {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::string_view kInitial = "         0          0 4294967295\n";
constexpr std::string_view kUsers =
    "root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\nrun:x:1000:1000::/:/bin/sh\n";

std::string why_none(std::string_view map, std::string_view subuid, std::string_view passwd) {
  const auto range = choose_user_range({map, subuid, passwd});
  if (range.ok()) return "chosen";
  EXPECT_EQ(range.error().reason, "NO_OWN_USER");
  return range.error().message;
}

TEST(UserRange, IsTheOneOfTheHostsFileOrElseFarAboveAllOthers) {
  EXPECT_EQ(*choose_user_range({kInitial, "", ""}), UserRange{});
  EXPECT_EQ(*choose_user_range({kInitial, "run:100000:65536\n# paddock\n\n", kUsers}), UserRange{});
  EXPECT_EQ(*choose_user_range({kInitial, "run:100000:65536\npaddock:300000:7\n", kUsers}),
            (UserRange{300'000, 7}));
}

TEST(UserRange, IsNobodyElses) {
  EXPECT_THAT(why_none(kInitial, "run:2099999999:2\n", kUsers),
              AllOf(HasSubstr("2100000000 to 2100065535 "),
                    HasSubstr("/etc/subuid has 2099999999 to 2100000000;")));
  EXPECT_THAT(why_none(kInitial, "run:0:4294967295\n", kUsers),
              HasSubstr("/etc/subuid has 0 to 4294967294"));
  EXPECT_THAT(why_none(kInitial, "run:0:18446744073709551615\n", ""), HasSubstr("/etc/subuid"));
  EXPECT_THAT(why_none(kInitial, "", "far:x:2100065535:1::/:/bin/sh"),
              HasSubstr("/etc/passwd has 2100065535;"));
  EXPECT_EQ(why_none(kInitial, "run:2099999999:1\nodd:2100065536:9\n", "far:x:2100065536:1:::"),
            "chosen");
}

TEST(UserRange, HasGroupsThatAreNobodyElsesEither) {
  const auto why = [](std::string_view subgid, std::string_view group) {
    const auto range = choose_user_range({kInitial, "", kUsers, subgid, group});
    return range.ok() ? std::string("chosen") : range.error().message;
  };
  EXPECT_THAT(why("run:2100000000:1\n", ""), HasSubstr("/etc/subgid has 2100000000;"));
  EXPECT_THAT(why("", "root:x:0:\nfar:x:2100000001:run\n"),
              HasSubstr("/etc/group has 2100000001;"));
  EXPECT_EQ(why("run:100000:65536\npaddock:2100000000:65536\n", "run:x:1000:run,root\n"), "chosen");
}

TEST(UserRange, ThatIsNamedWronglyIsNone) {
  for (const char* line :
       {"paddock:", "paddock:1:2", "paddock:65535:9", "paddock:70000:0", "paddock:70000:16777217",
        "paddock:4294967295:1", "paddock:70000:9:1", "paddock:-70000:9", "paddock:70000:x"})
    EXPECT_THAT(why_none(kInitial, line, kUsers), HasSubstr("names no range")) << line;
}

TEST(UserRange, IsNoneInAUserNamespace) {
  for (const char* map : {"", "0 100000 65536\n", "0 0 65536", "0 0 4294967295\n1 2 3\n", "junk"})
    EXPECT_THAT(why_none(map, "", kUsers), HasSubstr("user namespace")) << map;
}

}  // namespace
}  // namespace paddock::sandbox
