// Secrets in a run: files that are the command's own and nobody else's, and output that does not
// show them. Cold and served, as root and as an ordinary user.
#include <sys/stat.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/wire/json.h"
#include "tests/adversarial/serve_fixture.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxStatus;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kValue = "hunter2-of-this-test";

// What each way of launching has to show.
template <class Base>
class SecretsOf : public Base {
 protected:
  contracts::LaunchRequest with_secrets(std::vector<std::string> command) const {
    contracts::LaunchRequest out = this->request(std::move(command));
    out.secrets = {{base64(kValue), "/run/secrets/db/password"},
                   {base64(std::string("\0\xff\n", 3)), "/run/secrets/db/bytes"},
                   {base64("in-the-environment"), ""}};
    out.env["TOKEN"] = "in-the-environment";
    return out;
  }
  Finished python_with_secrets(const std::string& code) {
    return this->run(with_secrets({"python3", "-c", code}));
  }

  void expect_files_of_its_own() {
    const Finished done = python_with_secrets(
        "import os\n"
        "for name in sorted(os.listdir('/run/secrets/db')):\n"
        "  info = os.stat('/run/secrets/db/' + name)\n"
        "  print(name, oct(info.st_mode), info.st_uid == os.getuid(), info.st_size)\n"
        "print(open('/run/secrets/db/bytes', 'rb').read())\n"
        "print(len(open('/run/secrets/db/password').read()))\n");
    ASSERT_TRUE(done.result);
    EXPECT_EQ(done.result->status, SandboxStatus::kOk) << done.result->reason << done.err;
    EXPECT_EQ(done.out, "bytes 0o100400 True 3\npassword 0o100400 True 20\nb'\\x00\\xff\\n'\n20\n");
  }

  void expect_files_that_nobody_changes() {
    const Finished done = python_with_secrets(
        "import os\n"
        "p = '/run/secrets/db/password'\n"
        "for change in (lambda: open(p, 'a'), lambda: os.unlink(p), lambda: os.chmod(p, 0o777),\n"
        "               lambda: os.rename(p, p + '2'), lambda: open('/run/secrets/x', 'w'),\n"
        "               lambda: os.link(p, '/tmp/x'), lambda: os.symlink('x', '/run/secrets/y')):\n"
        "  try: change(); print('changed')\n"
        "  except OSError: print('no')\n");
    ASSERT_TRUE(done.result);
    EXPECT_EQ(done.out, "no\nno\nno\nno\nno\nno\nno\n") << done.err;
  }

  // A letter a write is still the value; a denial repeats what the command chose.
  void expect_output_without_them() {
    const Finished done = python_with_secrets(
        "import os, sys\n"
        "value = open('/run/secrets/db/password').read()\n"
        "print('<' + value + '>', os.environ['TOKEN'])\n"
        "for letter in value: sys.stdout.write(letter); sys.stdout.flush()\n"
        "print('', file=sys.stdout); print(value, file=sys.stderr)\n"
        "sys.stdout.flush(); os.execv('/' + value, ['x'])\n");
    ASSERT_TRUE(done.result);
    EXPECT_EQ(done.out, "<***> ***\n***\n");
    EXPECT_THAT(done.err, HasSubstr("***\n"));
    const std::string all = cat(done.out, done.err, wire::encode_json(*done.result));
    EXPECT_THAT(all, Not(HasSubstr(kValue)));
    EXPECT_THAT(all, Not(HasSubstr("in-the-environment")));
    EXPECT_EQ(done.result->out, done.out);
  }

  // Without any Secret beside it.
  void expect_output_without_a_tool_token() {
    contracts::LaunchRequest launch =
        this->request({"python3", "-c",
                       "import os, sys\n"
                       "value = os.environ['OD_TOOL_TOKEN']\n"
                       "print('<' + value + '>', file=sys.stderr)\n"
                       "for letter in value: sys.stdout.write(letter); sys.stdout.flush()\n"
                       "os.execv('/' + value, ['x'])\n"});
    launch.env["OD_TOOL_TOKEN"] = kValue;
    const Finished done = this->run(launch);
    ASSERT_TRUE(done.result);
    EXPECT_EQ(done.out, "***");
    EXPECT_THAT(done.err, HasSubstr("<***>\n"));
    const std::string all = cat(done.out, done.err, wire::encode_json(*done.result));
    EXPECT_THAT(all, Not(HasSubstr(kValue)));
  }
};

class Secrets : public SecretsOf<SandboxTest> {};
INSTANTIATE_TEST_SUITE_P(, Secrets, testing::Values(As::kRoot, As::kUser), name_of);
class ServedSecrets : public SecretsOf<ServeTest> {};
INSTANTIATE_TEST_SUITE_P(, ServedSecrets, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(Secrets, AreFilesOfTheCommandsOwn) { expect_files_of_its_own(); }
TEST_P(Secrets, AreFilesThatNobodyChanges) { expect_files_that_nobody_changes(); }
TEST_P(Secrets, AreInNoOutput) { expect_output_without_them(); }
TEST_P(ServedSecrets, AreFilesOfTheCommandsOwn) { expect_files_of_its_own(); }
TEST_P(ServedSecrets, AreFilesThatNobodyChanges) { expect_files_that_nobody_changes(); }
TEST_P(ServedSecrets, AreInNoOutput) { expect_output_without_them(); }

TEST_P(Secrets, AToolTokenIsInNoOutputEither) { expect_output_without_a_tool_token(); }
TEST_P(ServedSecrets, AToolTokenIsInNoOutputEither) { expect_output_without_a_tool_token(); }

TEST_P(ServedSecrets, AreNotThereForTheNextRun) {
  expect_files_of_its_own();
  EXPECT_EQ(run({"sh", "-c", "ls /run; cat /run/secrets/db/password; echo $TOKEN"}).out,
            "paddock\n\n");
}

TEST_P(Secrets, OutsideTheirFolderAreRefusedBeforeTheCommandRuns) {
  for (const char* file :
       {"/run/secrets", "/run/secrets/", "/run/secrets/../paddock/x", "/etc/passwd",
        "/run/paddock/policy.json", "run/secrets/x", "/run/secrets//x", "/run/secretsx/y"}) {
    contracts::LaunchRequest launch = request({"true"});
    launch.secrets = {{base64(kValue), file}};
    const Finished done = run(launch);
    ASSERT_TRUE(done.result) << file;
    EXPECT_THAT(done.result->reason, HasSubstr("INVALID_SECRET")) << file;
    EXPECT_THAT(done.result->reason, Not(HasSubstr(kValue)));
    EXPECT_FALSE(done.started);
  }
}

TEST_P(Secrets, ThatAreNoBase64AreRefused) {
  contracts::LaunchRequest launch = request({"true"});
  launch.secrets = {{kValue, "/run/secrets/db/password"}};
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  EXPECT_THAT(done.result->reason, HasSubstr("INVALID_SECRET"));
  EXPECT_THAT(done.result->reason, Not(HasSubstr(kValue)));
}

}  // namespace
}  // namespace paddock::adversarial
