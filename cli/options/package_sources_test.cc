#include "cli/options/package_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/options/command_row.h"
#include "common/os/file.h"

namespace paddock::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Given = std::map<std::string, std::vector<std::string>>;

Result<PackageSources> choose(const Given& options, const PackageSources& remembered = {}) {
  return choose_sources(Parsed{"up", options}, testing::TempDir(), remembered);
}

TEST(PackageSources, PublicIsTwoIndexesAndOptionsBesideItWin) {
  const auto both =
      choose({{"packages", {"public"}}, {"npm-registry", {"https://npm.example.org"}}},
             {"", "", "/wheels"});
  ASSERT_TRUE(both.ok());
  EXPECT_EQ(*both, (PackageSources{"https://pypi.org/simple", "https://npm.example.org", ""}));
}

TEST(PackageSources, WhatIsNotNamedStaysAndAnEmptyValueTakesOneBack) {
  const PackageSources remembered{"https://a.example.org/simple", "https://b.example.org", "/w"};
  EXPECT_EQ(*choose({}, remembered), remembered);
  EXPECT_EQ(*choose({{"python-index", {""}}}, remembered),
            (PackageSources{"", "https://b.example.org", "/w"}));
  EXPECT_EQ(*choose({{"packages", {"none"}}}, remembered), PackageSources{});
}

TEST(PackageSources, AWheelFolderIsTakenFromTheCurrentFolder) {
  const std::string folder = os::join_path(testing::TempDir(), "sources-wheels");
  ASSERT_TRUE(os::make_dirs(folder).ok());
  const auto chosen = choose({{"wheel-dir", {"sources-wheels"}}});
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(chosen->wheel_dir, folder);
}

TEST(PackageSources, ACaIsRememberedBesideTheIndexesAndGoesWithThem) {
  const std::string file = os::join_path(testing::TempDir(), "sources-ca.pem");
  ASSERT_TRUE(os::write_file_atomic(file, "-----BEGIN CERTIFICATE-----\nAA==\n").ok());
  const auto chosen = choose({{"packages", {"public"}}, {"packages-ca", {"sources-ca.pem"}}});
  ASSERT_TRUE(chosen.ok()) << chosen.error().describe();
  EXPECT_EQ(chosen->ca_file, file);
  EXPECT_EQ(choose({{"packages", {"public"}}}, *chosen)->ca_file, file);
  EXPECT_EQ(*choose({{"packages", {"none"}}}, *chosen), PackageSources{});
  EXPECT_EQ(choose({{"packages-ca", {""}}}, *chosen)->ca_file, "");
  EXPECT_THAT(source_args(*chosen), testing::IsSupersetOf({std::string("--packages-ca"), file}));
}

TEST(PackageSources, BadValuesAreRefusedByTheirOption) {
  const std::string file = os::join_path(testing::TempDir(), "sources-file");
  ASSERT_TRUE(os::write_file_atomic(file, "x").ok());
  const struct {
    Given options;
    const char* reason;
    const char* field;
  } kCases[] = {
      {{{"packages", {"some"}}}, "PACKAGES_INVALID", "--packages"},
      {{{"python-index", {"pypi"}}}, "PACKAGE_INDEX_INVALID", "--python-index"},
      {{{"python-index", {"https://me:secret@x.test/"}}},
       "PACKAGE_INDEX_INVALID",
       "--python-index"},
      {{{"npm-registry", {"https://10.0.0.1/"}}}, "PACKAGE_INDEX_INVALID", "--npm-registry"},
      {{{"wheel-dir", {"sources-not-there"}}}, "WHEEL_DIR_INVALID", "--wheel-dir"},
      {{{"wheel-dir", {file}}}, "WHEEL_DIR_INVALID", "--wheel-dir"},
      {{{"packages-ca", {"sources-not-there"}}}, "CA_FILE_UNREADABLE", "--packages-ca"},
      {{{"packages-ca", {file}}}, "CA_FILE_UNREADABLE", "--packages-ca"}};
  for (const auto& each : kCases) {
    const auto chosen = choose(each.options);
    ASSERT_FALSE(chosen.ok()) << each.field;
    EXPECT_EQ(chosen.error().reason, each.reason);
    ASSERT_EQ(chosen.error().causes.size(), 1u);
    EXPECT_EQ(chosen.error().causes[0].field, each.field);
    EXPECT_THAT(chosen.error().describe(), testing::Not(HasSubstr("secret")));
  }
}

TEST(PackageSources, AreFlagsOfTheAgentAndLinesForPeople) {
  const PackageSources sources{"https://a.example.org/simple", "", "/w"};
  EXPECT_THAT(source_args(sources),
              ElementsAre("--python-index", "https://a.example.org/simple", "--wheel-dir", "/w"));
  EXPECT_THAT(source_lines(sources),
              ElementsAre("Python from https://a.example.org/simple", "Python wheels from /w"));
  EXPECT_THAT(source_lines({}), ElementsAre(HasSubstr("--packages public")));
}

}  // namespace
}  // namespace paddock::cli
