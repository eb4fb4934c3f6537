#include "node-agent/host/seen_devices.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "node-agent/devices/probe.h"
#include "tests/support/temp_dir.h"

namespace paddock::agent {
namespace {

using devices::Accelerator;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<Accelerator> recorded(const std::string& host) {
  const char* source = std::getenv("PADDOCK_SOURCE_DIR");
  const std::string root = cat(source == nullptr ? "." : source, "/node-agent/devices/testdata/");
  return devices::probe(root + host, "/").accelerators;
}

class Seen : public testing::Test {
 protected:
  // By a next agent.
  std::vector<Accelerator> look(const std::vector<Accelerator>& found,
                                const std::vector<Accelerator>& declared = {}) {
    return SeenDevices(path()).with_gone(found, declared);
  }
  std::string path() const { return folder_ / "devices"; }
  std::string text() const { return os::read_file(path()).value(); }
  test::TempDir folder_;
  const std::vector<Accelerator> both_ = recorded("two-gpus");
  const std::vector<Accelerator> none_ = recorded("arm");
};

TEST_F(Seen, AGpuThatIsGoneAfterANewStartIsListedWithThatFaultUntilItIsBack) {
  EXPECT_EQ(look(both_).size(), 2U);
  for (int start = 0; start < 2; ++start) {
    const auto all = look(none_);
    ASSERT_EQ(all.size(), 2U);
    for (size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i].id, both_[i].id);
      EXPECT_EQ(all[i].model, both_[i].model);
      EXPECT_THAT(all[i].fault, HasSubstr("gone"));
    }
  }
  for (const Accelerator& each : look(both_)) EXPECT_THAT(each.fault, IsEmpty());
}

TEST_F(Seen, TheOneThatStayedIsNotTakenForTheOneThatIsGoneThoughItHasItsNodeNow) {
  Accelerator first = both_[0], second = both_[0];
  first.id = first.gpu = "GPU-1";
  second.id = second.gpu = "GPU-2";
  second.nodes.front() = "/dev/nvidia1";
  look({first, second});
  second.nodes.front() = "/dev/nvidia0";  // the numbers are given anew at each start
  const auto all = look({second});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].id, "GPU-1");
  EXPECT_THAT(all[1].fault, HasSubstr("gone"));
}

TEST_F(Seen, WhoTakesALineOutOfTheFileHasThatDeviceForgotten) {
  look(both_);
  const std::string both = text();
  ASSERT_TRUE(os::write_file_atomic(path(), both.substr(both.find('\n') + 1)).ok());
  const auto all = look(none_);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].id, both_[1].id);
  ASSERT_TRUE(os::remove_tree(path()).ok());
  EXPECT_THAT(look(none_), IsEmpty());
}

TEST_F(Seen, WhatIsDeclaredIsNeverRemembered) {
  EXPECT_EQ(look({}, {both_[0]}).size(), 1U);
  EXPECT_THAT(look({}), IsEmpty());
}

TEST_F(Seen, LinesThatAreDamagedAreDroppedAndTheOthersCount) {
  look(both_);
  const std::string good = text();
  for (const std::string& damage :
       {std::string("{\"kind\":"), std::string("\xff\xfe\0x", 4), std::string("[]\n{}\n7"),
        std::string("{\"kind\":\"nvidia\",\"id\":\"\",\"nodes\":[]}"), std::string(1000, '[')}) {
    ASSERT_TRUE(os::write_file_atomic(path(), damage + "\n" + good).ok());
    EXPECT_EQ(look(none_).size(), 2U) << damage;
    EXPECT_EQ(text(), good);
  }
  ASSERT_TRUE(os::write_file_atomic(path(), std::string(1 << 20, 'x')).ok());
  EXPECT_THAT(look(none_), IsEmpty());
}

TEST_F(Seen, IsKeptInMemoryWhileTheFileCannotBeWritten) {
  SeenDevices seen(folder_ / "no-folder/devices");
  seen.with_gone(both_, {});
  EXPECT_EQ(seen.with_gone(none_, {}).size(), 2U);
}

}  // namespace
}  // namespace paddock::agent
