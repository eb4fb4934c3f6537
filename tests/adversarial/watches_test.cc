// Nobody learns by a watch which files the host and other runs use.
#include <sys/stat.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "tests/adversarial/serve_fixture.h"

namespace paddock::adversarial {
namespace {

template <class Base>
class WatchesOf : public Base {
 protected:
  void expect_only_on_its_own() {
    const std::string given = this->folder() + "/given";
    ASSERT_EQ(mkdir(given.c_str(), 0755), 0);
    ASSERT_TRUE(os::write_file_atomic(given + "/file", "host\n", 0644).ok());
    auto launch = this->request(this->probe("watches", {"/given/file"}));
    launch.policy.host_mounts = {{given, "/given", contracts::MountMode::kReadOnly}};
    const Finished done = this->run(launch);
    ASSERT_TRUE(done.result);
    EXPECT_EQ(done.out, "CONTAINED\n") << done.result->reason << done.err;
    ASSERT_FALSE(done.result->denials.empty());
    EXPECT_EQ(done.result->denials[0].target, "inotify_add_watch");
  }
};

class Watches : public WatchesOf<SandboxTest> {};
INSTANTIATE_TEST_SUITE_P(, Watches, testing::Values(As::kRoot, As::kUser), name_of);
class ServedWatches : public WatchesOf<ServeTest> {};
INSTANTIATE_TEST_SUITE_P(, ServedWatches, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(Watches, AreOnWhatItMayWriteAlone) { expect_only_on_its_own(); }
TEST_P(ServedWatches, AreOnWhatItMayWriteAlone) { expect_only_on_its_own(); }

}  // namespace
}  // namespace paddock::adversarial
