// Runs of type command, and how the strict types name them.
#include "controller/admission/admit_fixture.h"

namespace paddock::admission {
namespace {

TEST_F(Admit, LetsACommandRunExecuteAnyProgramWithAnyArguments) {
  spec_.type = contracts::RunType::kCommand;
  for (const std::vector<std::string>& argv : std::vector<std::vector<std::string>>{
           {"sh", "-c", "cat < in | sort > out; ls /etc && echo `id`"},
           {"./tool", "../x", "/etc/passwd", ""},
           {"/usr/bin/env", "-i", "perl", "-e", "1"},
           {"python3", "-m", "pkg.train", "--prompt", "what; is > this | ?"}}) {
    spec_.command.argv = argv;
    EXPECT_EQ(reason(), "") << argv[0];
  }
  EXPECT_EQ(admit(spec_, wanted_media(spec_), context_)->spec.profile, "command");
}

TEST_F(Admit, LetsACommandRunHaveNoFiles) {
  spec_.type = contracts::RunType::kCommand;
  spec_.command.argv = {"nvidia-smi"};
  spec_.workspace.clear();
  context_.tree = nullptr;
  EXPECT_EQ(reason(), "");
  spec_.requirements = "requirements.txt";
  EXPECT_EQ(reason(), "REQUIREMENTS_INVALID") << "there is no such file";
  spec_.requirements.clear();
  spec_.stdin_file = "s.py";
  EXPECT_EQ(reason(), "STDIN_FILE_INVALID") << "nor such a one";
}

TEST_F(Admit, LetsACommandRunAddAndReplaceVariables) {
  spec_.type = contracts::RunType::kCommand;
  spec_.sandbox.env = {{"SEED", "1"}, {"LANG", "de_DE.UTF-8"}, {"NODE_OPTIONS", "--trace-gc"}};
  EXPECT_EQ(reason(), "");
  for (const char* name : {"LD_PRELOAD", "PADDOCK_TOKEN", "1X", "A B"}) {
    spec_.sandbox.env = {{name, "x"}};
    const auto decoded = wire::decode<contracts::SandboxPolicy>(wire::encode(spec_.sandbox));
    EXPECT_FALSE(decoded.ok()) << name;
  }
  spec_.sandbox.env = {{"SEED", "1"}};
  spec_.profile = "compute";
  EXPECT_EQ(reason(), "ENV_NOT_ALLOWED") << "that profile's environment is exact";
  EXPECT_EQ(field(), "spec.sandbox.env");
}

TEST_F(Admit, LetsBuildsAddVariablesToTheirProfile) {
  tree_.entries.push_back({"build.sh", std::string(64, 'a'), 1, false});
  spec_.type = contracts::RunType::kScript;
  spec_.command.argv = {"bash", "build.sh"};
  spec_.sandbox.env = {{"SEED", "1"}};
  EXPECT_EQ(reason(), "");
  spec_.profile = "compute";
  EXPECT_EQ(reason(), "") << "as the stored run says";
}

TEST_F(Admit, WantsTheStandardInputAmongTheFiles) {
  for (const auto& [type, argv] :
       {std::pair(contracts::RunType::kCompute, std::vector<std::string>{"python3", "s.py"}),
        std::pair(contracts::RunType::kCommand, std::vector<std::string>{"cat"})}) {
    spec_.type = type;
    spec_.command.argv = argv;
    spec_.stdin_file = "deps/requirements.txt";
    EXPECT_EQ(reason(), "");
    for (const char* bad :
         {"/etc/passwd", "../s.py", "deps", "deps/", "missing", "./s.py", "a\nb"}) {
      spec_.stdin_file = bad;
      EXPECT_EQ(reason(), "STDIN_FILE_INVALID") << bad;
      EXPECT_EQ(field(), "spec.stdinFile");
    }
  }
  spec_.type = contracts::RunType::kAgent;
  spec_.stdin_file = "s.py";
  EXPECT_EQ(reason(), "STDIN_FILE_INVALID") << "an agent is answered there";
}

// proves partly: ORB-93
TEST_F(Admit, TakesAVolumeThatTheRunReadsForInside) {
  spec_.command.argv = {"python3", "s.py", "--data=/volumes/captions/a.json", "/volumes/captions"};
  EXPECT_EQ(reason(), "PATH_ESCAPES_WORKSPACE") << "it reads none";
  spec_.volumes = {{"captions", {}}};
  EXPECT_EQ(reason(), "");
  for (const char* word : {"/volumes", "/volumes/other", "/volumes/captions2",
                           "/volumes/captions/../../etc", "--x=/volumes/captions:/etc"}) {
    spec_.command.argv = {"python3", "s.py", word};
    EXPECT_EQ(reason(), "PATH_ESCAPES_WORKSPACE") << word;
  }
}

TEST_F(Admit, NamesTheWayThatTakesAnyCommand) {
  for (const std::vector<std::string>& argv :
       std::vector<std::vector<std::string>>{{"ruby", "x.rb"},
                                             {"python3", "s.py", "a;b"},
                                             {"python3", "-m", "pkg"},
                                             {"bash"},
                                             {"python3", "s.py", "/tmp/x"}}) {
    spec_.command.argv = argv;
    const Error error = admit(spec_, wanted_media(spec_), context_).error();
    EXPECT_NE(error.message.find("`paddock run`"), std::string::npos) << error.message;
  }
  spec_.command.argv = {"python3", "missing.py"};
  EXPECT_EQ(admit(spec_, wanted_media(spec_), context_).error().message.find("paddock run"),
            std::string::npos);
}

}  // namespace
}  // namespace paddock::admission
