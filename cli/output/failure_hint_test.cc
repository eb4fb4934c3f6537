#include "cli/output/failure_hint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

using testing::HasSubstr;

contracts::Run failed(const std::vector<std::string>& argv, int rc, const std::string& err) {
  contracts::Run run;
  run.spec.type = contracts::RunType::kCommand;
  run.spec.command.argv = argv;
  run.status.result.emplace();
  run.status.result->rc = rc;
  run.status.result->err = err;
  return run;
}
contracts::Tree files(const std::vector<std::string>& paths) {
  contracts::Tree tree;
  for (const std::string& path : paths) tree.entries.push_back({path});
  return tree;
}
const contracts::Tree kSome = files({"a.py", "src/mine/__init__.py", "lib/tool.py"});

std::string of_python(const std::string& module, const contracts::Tree& sent = kSome) {
  return failure_hint(
      failed({"python3", "a.py"}, 1, "ModuleNotFoundError: No module named '" + module + "'\n"),
      sent);
}

TEST(FailureHint, OfAPackageThatIsNotThereSaysHowItIsInstalled) {
  EXPECT_THAT(of_python("matplotlib.pyplot"), HasSubstr("`matplotlib` is not on that node: "));
  EXPECT_THAT(of_python("pandas"), HasSubstr("--requirements FILE"));
  auto node = failed({"node", "a.js"}, 1, "Error: Cannot find module 'left-pad'\nRequire stack:");
  EXPECT_THAT(failure_hint(node, kSome), HasSubstr("`left-pad`"));
  node.spec.requirements = "package.json";
  EXPECT_THAT(failure_hint(node, kSome), HasSubstr("what package.json names"));
  node.status.result->err = "Error: Cannot find module './helper'\n";
  EXPECT_EQ(failure_hint(node, kSome), "");
}

TEST(FailureHint, OfAModuleOfTheProjectSaysWhereItIs) {
  EXPECT_THAT(of_python("mine.model"), HasSubstr("PYTHONPATH=/workspace/src"));
  EXPECT_THAT(of_python("tool"), HasSubstr("PYTHONPATH=/workspace/lib"));
}

TEST(FailureHint, OfARunWithoutFilesSaysHowTheyAreSent) {
  const std::string said = "python3: can't open file '/workspace/a.py': No such file or directory";
  EXPECT_THAT(failure_hint(failed({"python3", "a.py"}, 2, said), {}),
              HasSubstr("no file was sent"));
  EXPECT_EQ(failure_hint(failed({"python3", "a.py"}, 2, said), kSome), "");
  EXPECT_EQ(failure_hint(failed({"cat", "/etc/x"}, 1, "cat: /etc/x: No such file"), {}), "");
  EXPECT_THAT(failure_hint(failed({"./go"}, 127, ""), {}), HasSubstr("no file was sent"));
}

TEST(FailureHint, OfAFileThatIsNoProgramSaysWhatStartsIt) {
  EXPECT_THAT(failure_hint(failed({"python3 a.py"}, 127, ""), kSome), HasSubstr("quotes"));
  EXPECT_THAT(failure_hint(failed({"a.py"}, 127, ""), kSome), HasSubstr("`-- python3 a.py`"));
  EXPECT_EQ(failure_hint(failed({"jupyter"}, 127, ""), kSome), "");
  EXPECT_THAT(failure_hint(failed({"./a.py"}, 126, ""), kSome), HasSubstr("`chmod +x a.py`"));
}

TEST(FailureHint, OfAProgramWithAnotherNameHereSaysThatOrWhatDoesItsWork) {
  for (const auto& sent : {kSome, contracts::Tree()}) {
    EXPECT_THAT(failure_hint(failed({"python", "a.py"}, 127, ""), sent), HasSubstr("`python3`"));
    EXPECT_THAT(failure_hint(failed({"poetry", "run", "a"}, 127, ""), sent),
                HasSubstr("--requirements"));
  }
  EXPECT_THAT(failure_hint(failed({"sh", "-c", "pip install x && python3 a.py"}, 1,
                                  "error: externally-managed-environment\n\n× This"),
                           kSome),
              HasSubstr("--requirements"));
  EXPECT_EQ(failure_hint(failed({"python", "a.py"}, 1, "Traceback"), kSome), "");
}

TEST(FailureHint, OfAFileThatWasAskedForAsAFolderSaysHowOneComesBack) {
  auto run = failed({"python3", "a.py"}, 1, "IsADirectoryError: Is a directory: 'report.html'");
  EXPECT_EQ(failure_hint(run, kSome), "");
  run.spec.artifacts.dirs = {"figures", "report.html"};
  EXPECT_THAT(failure_hint(run, kSome), HasSubstr("`report.html` was made as one"));
}

TEST(FailureHint, OfWhatWentWellIsNone) {
  EXPECT_EQ(failure_hint(failed({"a.py"}, 0, "ModuleNotFoundError: No module named 'x'"), {}), "");
  EXPECT_EQ(failure_hint({}, {}), "");
}

}  // namespace
}  // namespace paddock::cli
