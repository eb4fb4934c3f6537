#include "controller/api/handlers/access/first_tokens.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "common/os/file.h"
#include "tests/support/temp_dir.h"

namespace paddock::api {
namespace {

TEST(FirstTokens, ATokenWhoseFileCannotBeReadNowIsNotRevoked) {
  const test::TempDir dir;
  const FirstTokens wanted{.folder = dir / "tokens"};
  SeededRandom random{1};
  const auto store = store::Store::open({dir.path() + "/paddock.db"});
  ASSERT_TRUE(store.ok()) << store.error().describe();
  ASSERT_TRUE(prepare_tokens(**store, wanted, random).ok());
  const std::string file = dir.path() + "/tokens/admin";
  const std::string secret = os::read_file(file).value();
  std::filesystem::rename(file, file + ".away");
  std::filesystem::create_directory(file);
  EXPECT_FALSE(prepare_tokens(**store, wanted, random).ok());
  std::filesystem::remove(file);
  std::filesystem::rename(file + ".away", file);
  ASSERT_TRUE(prepare_tokens(**store, wanted, random).ok());
  EXPECT_EQ(os::read_file(file).value(), secret);
}

}  // namespace
}  // namespace paddock::api
