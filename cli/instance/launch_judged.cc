#include "cli/instance/launch_judged.h"

#include "common/os/file.h"
#include "common/test_report/test_report.h"

namespace paddock::cli {
namespace {

constexpr int64_t kDefaultUid = 65534;  // of a command that root launches, unless the request says

}  // namespace

Result<contracts::SandboxResult> launch_judged_here(
    const Env& env, contracts::LaunchRequest request,
    const std::function<void(const contracts::Frame&)>& on_output) {
  const std::vector<std::string> asked = request.command;
  if (!test_report::is_judged(asked)) return launch_here(env, request, on_output);
  ASSIGN_OR_RETURN(const PrivateFolder folder, PrivateFolder::make(env));
  const std::string tests = os::join_path(folder.path(), "tests");
  TRY(test_report::prepare(tests, request.uid.value_or(kDefaultUid), env.random));
  TRY(test_report::add_judge(tests, request));
  ASSIGN_OR_RETURN(contracts::SandboxResult result, launch_here(env, request, on_output));
  (void)test_report::judge(asked, test_report::read(tests), result);
  return result;
}

}  // namespace paddock::cli
