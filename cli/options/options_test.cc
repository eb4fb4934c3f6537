// Options as values: of runs and of sandboxes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/options/compute_options.h"
#include "cli/options/option_values.h"
#include "cli/options/policy_options.h"
#include "cli/options/sandbox_options.h"

namespace paddock::cli {
namespace {

using contracts::Run;

class Options : public testing::Test {
 protected:
  ManualClock clock_;
  SeededRandom random_{1};
  Env env_{{}, "/home/me/project", "/usr/bin", false, false, {}, {}, clock_, random_};
};

TEST_F(Options, AGraceMayBeNoneAtAll) {
  for (const char* none : {"0s", "0"}) {
    const auto options =
        compute_options({"compute", {{"DIR", {"."}}, {"CMD", {"a"}}, {"grace", {none}}}}, env_);
    ASSERT_TRUE(options.ok()) << options.error().describe();
    EXPECT_EQ(make_run(*options, "w", "n").spec.termination_grace, wire::Wait{});
  }
  for (const char* wrong : {"-1s", "soon", ""}) {
    const auto refused =
        compute_options({"compute", {{"DIR", {"."}}, {"CMD", {"a"}}, {"grace", {wrong}}}}, env_);
    ASSERT_FALSE(refused.ok()) << wrong;
    EXPECT_EQ(refused.error().reason, "INVALID_OPTION");
  }
}

// proves: ORB-13, ORB-14
TEST_F(Options, ComputeTakesTheDocumentedExample) {
  Parsed parsed{"compute",
                {{"DIR", {"."}},
                 {"CMD", {"python3 item_index_builder.py --variant s2 --no-connections --no-acn"}},
                 {"requirements", {"./requirements.txt"}},
                 {"artifact-dir", {"models/"}},
                 {"accelerator", {"nvidia=2"}},
                 {"timeout", {"90s"}}}};
  const auto options = compute_options(parsed, env_);
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->folder, "/home/me/project");
  EXPECT_EQ(options->output, "/home/me/project");
  const contracts::Run run = make_run(*options, "project-abc", "project-1");
  EXPECT_THAT(run.spec.command.argv,
              testing::ElementsAre("python3", "item_index_builder.py", "--variant", "s2",
                                   "--no-connections", "--no-acn"));
  EXPECT_EQ(run.spec.requirements, "requirements.txt");
  EXPECT_THAT(run.spec.artifacts.dirs, testing::ElementsAre("models"));
  EXPECT_EQ(run.spec.timeout->value, Millis(90'000));
  EXPECT_EQ(run.spec.resources->accelerators->count, 2);
  EXPECT_EQ(run.metadata.name_space, "default");
}

TEST_F(Options, ATestRunIsABuildToo) {
  const auto options = compute_options({"build",
                                        {{"DIR", {"."}},
                                         {"CMD", {"pytest -x tests"}},
                                         {"type", {"test"}},
                                         {"requirements", {"./requirements.txt"}}}},
                                       env_);
  ASSERT_TRUE(options.ok());
  const contracts::Run run = make_run(*options, "n", "w");
  EXPECT_EQ(run.spec.type, contracts::RunType::kTest);
  EXPECT_EQ(run.spec.command.argv, (std::vector<std::string>{"pytest", "-x", "tests"}));
  EXPECT_EQ(run.spec.requirements, "requirements.txt");
  EXPECT_FALSE(run.spec.timeout);
}

TEST_F(Options, ARunOfAnyProgramHasAnotherTypeIfItIsNamed) {
  const auto made = [this](const std::vector<std::string>& type) {
    return compute_options({"run", {{"DIR", {"."}}, {"PROGRAM", {"pytest", "-x"}}, {"type", type}}},
                           env_);
  };
  EXPECT_EQ(made({"test"})->type, contracts::RunType::kTest);
  EXPECT_EQ(made({"command"})->type, contracts::RunType::kCommand);
  const auto refused = made({"agent"});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message,
              testing::AllOf(testing::HasSubstr("command, compute, gradle, script, test"),
                             testing::HasSubstr("`paddock create -f run.yaml`")));
  EXPECT_THAT(made({"code"}).error().message, testing::HasSubstr("paddock execute FILE.py"));
}

TEST_F(Options, ABuildHasItsTypeAndVolumesTheirVersions) {
  const std::map<std::string, std::vector<std::string>> words = {
      {"DIR", {"."}},        {"CMD", {"./gradlew", "check"}},   {"type", {"gradle"}},
      {"publish", {"jars"}}, {"volume", {"models", "data@12"}}, {"artifact-dir", {"build/libs"}},
  };
  const auto options = compute_options({"build", words}, env_);
  ASSERT_TRUE(options.ok());
  const contracts::Run run = make_run(*options, "n", "w");
  EXPECT_EQ(run.spec.type, contracts::RunType::kGradle);
  EXPECT_EQ(run.spec.publish, "jars");
  ASSERT_EQ(run.spec.volumes.size(), 2u);
  EXPECT_EQ(run.spec.volumes[0].name, "models");
  EXPECT_FALSE(run.spec.volumes[0].version);
  EXPECT_EQ(run.spec.volumes[1].version, 12);
  for (const char* type : {"", "compute", "make"}) {
    auto other = words;
    other["type"] = {type};
    const auto refused = compute_options({"build", other}, env_);
    ASSERT_FALSE(refused.ok()) << type;
    EXPECT_EQ(refused.error().causes[0].field, "--type");
  }
}

TEST_F(Options, NothingIsPublishedThatDoesNotComeBack) {
  const auto refused = compute_options(
      {"compute", {{"DIR", {"."}}, {"CMD", {"python3 s.py"}}, {"publish", {"jars"}}}}, env_);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().causes[0].field, "--publish");
  EXPECT_NE(refused.error().describe().find("--artifact-dir"), std::string::npos);
}

// proves partly: ORB-18
TEST_F(Options, AVolumesNameIsADnsLabel) {
  for (const char* name : {"", "a/b", "..", "A", "a@1"}) {
    const auto refused = compute_options(
        {"compute", {{"DIR", {"."}}, {"CMD", {"python3 s.py"}}, {"publish", {name}}}}, env_);
    ASSERT_FALSE(refused.ok()) << name;
    EXPECT_EQ(refused.error().causes[0].field, "--publish");
  }
  for (const char* text : {"", "@1", "a@", "a@0", "a@x", "a@1@2"})
    EXPECT_FALSE(parse_volume(text).ok()) << text;
}

TEST_F(Options, SeveralWordsAreTheArgumentsAsTheyAre) {
  const auto options =
      compute_options({"compute", {{"DIR", {"/p"}}, {"CMD", {"python3", "a b.py"}}}}, env_);
  EXPECT_THAT(options->command.argv, testing::ElementsAre("python3", "a b.py"));
  EXPECT_EQ(options->command.line, "");
}

TEST_F(Options, ARunHasWhatItsOptionsAskFor) {
  env_.vars["MINE"] = "own";
  const Parsed parsed{"run",
                      {{"PROGRAM", {"sh", "-c", "a; b"}},
                       {"env", {"A=1", "MINE"}},
                       {"memory", {"16Gi"}},
                       {"cpu", {"4"}},
                       {"pids", {"500"}},
                       {"disk", {"20Gi"}},
                       {"timeout", {"2h"}},
                       {"grace", {"30s"}},
                       {"retry", {"2"}},
                       {"priority", {"-5"}},
                       {"profile", {"test"}},
                       {"loopback", {"on"}},
                       {"mount", {"/srv/data:/data:ro"}},
                       {"node-selector", {"disk=fast"}},
                       {"allow-domain", {"pypi.org"}},
                       {"stdin", {"in.txt"}}}};
  const auto options = compute_options(parsed, env_, {{}, {{"vars", "A=0\nB='x y'\n"}}});
  ASSERT_TRUE(options.ok()) << options.error().describe();
  EXPECT_EQ(options->folder, "");
  EXPECT_EQ(options->stdin_source, "in.txt");
  const contracts::RunSpec spec = make_run(*options, "n", "").spec;
  EXPECT_EQ(spec.type, contracts::RunType::kCommand);
  EXPECT_THAT(spec.command.argv, testing::ElementsAre("sh", "-c", "a; b"));
  EXPECT_EQ(spec.sandbox.env,
            (std::map<std::string, std::string>{{"A", "1"}, {"B", "x y"}, {"MINE", "own"}}));
  EXPECT_EQ(spec.sandbox.limits.memory->bytes, int64_t{16} << 30);
  EXPECT_EQ(spec.resources->memory->bytes, int64_t{16} << 30) << "set aside for it too";
  EXPECT_EQ(spec.resources->cpu, 4);
  EXPECT_EQ(spec.sandbox.limits.pids, 500);
  EXPECT_EQ(spec.sandbox.limits.fs_bytes->bytes, int64_t{20} << 30);
  EXPECT_EQ(spec.sandbox.limits.file_size->bytes, int64_t{20} << 30);
  EXPECT_EQ(spec.resources->disk->bytes, int64_t{20} << 30) << "set aside likewise";
  EXPECT_EQ(spec.timeout->value, Millis(7'200'000));
  EXPECT_EQ(spec.termination_grace->value, Millis(30'000));
  EXPECT_EQ(spec.retry->max_attempts, 3) << "two more than one";
  EXPECT_EQ(spec.priority, -5);
  EXPECT_EQ(spec.profile, "test");
  EXPECT_EQ(spec.sandbox.network->loopback, true);
  EXPECT_EQ(spec.sandbox.host_mounts[0].host_path, "/srv/data");
  EXPECT_EQ(spec.node_selector.at("disk"), "fast");
}

TEST_F(Options, OfARunThatAreWrongAreNamed) {
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"memory", "much"},
                                                        {"cpu", "0"},
                                                        {"cpu", "1.5"},
                                                        {"pids", "-1"},
                                                        {"disk", "x"},
                                                        {"grace", "soon"},
                                                        {"retry", "100"},
                                                        {"priority", "1001"},
                                                        {"loopback", "yes"},
                                                        {"env", "=x"},
                                                        {"node-selector", "x"},
                                                        {"mount", "data:/data"},
                                                        {"timeout", "x"},
                                                        {"env", "A B=1"},
                                                        {"accelerator", "tpu"}}) {
    const auto refused =
        compute_options({"run", {{"PROGRAM", {"true"}}, {name, {value}}}}, env_, {});
    ASSERT_FALSE(refused.ok()) << name << " " << value;
    EXPECT_EQ(refused.error().causes.at(0).field, cat("--", name)) << value;
  }
}

TEST_F(Options, APlanIsOfARunToo) {
  const auto options = compute_options(
      {"plan", {{"DIR", {"."}}, {"CMD", {"make -j"}}, {"type", {"command"}}}}, env_);
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->type, contracts::RunType::kCommand);
  EXPECT_THAT(options->command.argv, testing::ElementsAre("make", "-j"));
  EXPECT_FALSE(
      compute_options({"plan", {{"DIR", {"."}}, {"CMD", {"x"}}, {"type", {"x"}}}}, env_).ok());
}

TEST_F(Options, APlanOfAProgramBehindDashesIsOfARun) {
  const auto plan = [this](std::map<std::string, std::vector<std::string>> words) {
    return compute_options({"plan", std::move(words)}, env_);
  };
  const auto bare = plan({{"PROGRAM", {"true"}}});
  ASSERT_TRUE(bare.ok());
  EXPECT_EQ(bare->type, contracts::RunType::kCommand);
  EXPECT_EQ(bare->folder, "");
  EXPECT_EQ(plan({{"DIR", {"."}}, {"PROGRAM", {"a b"}}})->command.argv,
            std::vector<std::string>{"a b"});
  // A type that is named brings the rules of the command that makes such runs.
  const auto compute = plan({{"DIR", {"."}}, {"PROGRAM", {"python3 a.py"}}, {"type", {"compute"}}});
  EXPECT_EQ(compute->type, contracts::RunType::kCompute);
  EXPECT_EQ(compute->command.argv, (std::vector<std::string>{"python3", "a.py"}));
  EXPECT_EQ(plan({{"DIR", {"."}}, {"CMD", {"python3 a.py"}}})->type, contracts::RunType::kCompute);
  for (const auto& wrong : {plan({{"DIR", {"."}}}), plan({}),
                            plan({{"DIR", {"."}}, {"CMD", {"x"}}, {"PROGRAM", {"y"}}})}) {
    ASSERT_FALSE(wrong.ok());
    EXPECT_EQ(wrong.error().reason, "USAGE");
  }
}

TEST_F(Options, ASandboxHasTheProfileAndTheOptionsOnTop) {
  const Parsed parsed{"sandbox run",
                      {{"CMD", {"ls"}},
                       {"memory", {"64Mi"}},
                       {"mount", {"data:/data:rw"}},
                       {"allow-domain", {"example.org"}}}};
  const auto options =
      sandbox_options(parsed, env_, std::string("limits: {pids: 5, memory: 1Gi}\nenv: {A: b}\n"));
  ASSERT_TRUE(options.ok());
  const auto& policy = options->request.policy;
  EXPECT_EQ(policy.limits.memory->bytes, 64 << 20);
  EXPECT_EQ(policy.limits.pids, 5);
  EXPECT_EQ(policy.limits.wall_time->value, Millis(30'000));
  EXPECT_EQ(policy.host_mounts[0].host_path, "/home/me/project/data");
  EXPECT_TRUE(policy.network->enabled);
  EXPECT_EQ(options->request.env.at("A"), "b");
  EXPECT_EQ(options->request.mounts[0].host_path, "/home/me/project");
  EXPECT_EQ(options->request.workdir, "/workspace");
}

TEST_F(Options, TheHomesOfAProfileAreThereWhenTheCommandStarts) {
  const auto options =
      sandbox_options({"sandbox run", {{"CMD", {"ls"}}, {"profile", {"agent"}}}}, env_, {});
  ASSERT_TRUE(options.ok());
  EXPECT_THAT(options->request.scratch_folders, testing::IsSupersetOf({"/tmp/home", "/tmp/tmp"}));
}

TEST_F(Options, AnUnknownFieldOfAPolicyIsRefusedByItsLine) {
  const auto told = [this](const char* file, const std::string& text) {
    const auto options =
        sandbox_options({"sandbox run", {{"CMD", {"ls"}}, {"policy", {file}}}}, env_, text);
    return options.ok() ? "" : options.error().describe();
  };
  EXPECT_EQ(told("p.yaml", "limits:\n  memroy: 1Gi\n"),
            "p.yaml:2: limits.memroy: unknown field; did you mean `memory`?");
  EXPECT_EQ(told("p.yaml", "memory: 1Gi\n"),
            "p.yaml:1: memory: unknown field; did you mean `limits.memory`?");
  EXPECT_EQ(told("-", "limits: {}\nodd: 1\n"), "stdin:2: odd: unknown field");
  EXPECT_EQ(told("p.yaml", "[]"), "p.yaml: expected object, got array");
  EXPECT_THAT(told("p.yaml", "a: [\n"), testing::ContainsRegex("^p.yaml: .* at line "));
}

TEST_F(Options, AWrongProfileOrMountIsRefused) {
  EXPECT_EQ(sandbox_options({"sandbox run", {{"profile", {"x"}}}}, env_, {}).error().reason,
            "UNKNOWN_PROFILE");
  for (const char* mount : {"a", "a:b", "a:/b:x", ":/b", "a:/b:ro:rw"})
    EXPECT_FALSE(parse_mount(mount, "/").ok()) << mount;
}

TEST_F(Options, AMountOverTheSystemIsRefusedBeforeAnythingStarts) {
  for (const char* mount : {"/etc:/etc:ro", "/srv:/usr/lib", "/srv:/proc"}) {
    const auto options =
        sandbox_options({"sandbox run", {{"CMD", {"true"}}, {"mount", {mount}}}}, env_, {});
    ASSERT_FALSE(options.ok()) << mount;
    EXPECT_EQ(options.error().code, Code::kInvalidArgument);
    EXPECT_EQ(options.error().reason, "INVALID_MOUNT");
    EXPECT_EQ(options.error().causes[0].field, "hostMounts[0].sandboxPath");
    EXPECT_NE(options.error().message.find(parse_mount(mount, "/")->sandbox_path),
              std::string::npos);
  }
}

}  // namespace
}  // namespace paddock::cli
