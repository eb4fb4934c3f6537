#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/cas/tree.h"
#include "common/os/file.h"
#include "tests/support/temp_dir.h"

namespace paddock::cas {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> paths(const Scan& scan) {
  std::vector<std::string> out;
  for (const contracts::TreeEntry& entry : scan.tree.entries) out.push_back(entry.path);
  return out;
}
std::vector<std::string> left_out(const Scan& scan) {
  std::vector<std::string> out;
  for (const contracts::LeftOut& each : scan.left_out)
    out.push_back(each.path + " by " + each.rule);
  return out;
}

TEST(TreeRoot, IsTheDigestOfTheCompactText) {
  contracts::Tree tree;
  tree.entries.push_back({"a", Digest(64, 'a'), 3, true});
  EXPECT_EQ(canonical_tree(tree), cat(R"({"entries":[{"path":"a","digest":")", Digest(64, 'a'),
                                      R"(","size":3,"executable":true}]})"));
  EXPECT_EQ(tree_root(tree), crypto::sha256_hex(canonical_tree(tree)));
}

TEST(ScanFolder, SortsByPathAndKeepsTheExecutableBit) {
  const test::TempDir dir;
  dir.write("b.txt", "bb");
  dir.write("b/run.sh", "#!", 0755);
  dir.write("a", "");
  const Scan scan = std::move(*scan_folder(dir.path()));
  EXPECT_THAT(paths(scan), ElementsAre("a", "b.txt", "b/run.sh"));
  EXPECT_FALSE(scan.tree.entries[1].executable);
  EXPECT_TRUE(scan.tree.entries[2].executable);
  EXPECT_EQ(scan.tree.entries[1].digest, crypto::sha256_hex("bb"));
  EXPECT_EQ(scan.bytes, 4);
  wire::Check check;
  scan.tree.validate(check);
  EXPECT_TRUE(check.ok());
}

// A file that is exchanged for a link, over and over, while it is read: it is left out or the
// file is taken, and nothing beyond the link ever.
// proves: ORB-96
TEST(ScanFolder, NeverFollowsALinkThatIsSwappedIn) {
  const test::TempDir outside;
  outside.write("secret", "secret");
  const test::TempDir dir;
  dir.write("project/word", "open");
  const std::string at = dir / "project/word", other = dir / "other";
  ASSERT_EQ(::symlink((outside / "secret").c_str(), other.c_str()), 0);
  std::atomic<bool> stop = false;
  std::thread swapping([&] {
    while (!stop) ::syscall(SYS_renameat2, AT_FDCWD, at.c_str(), AT_FDCWD, other.c_str(), 2U);
  });
  int taken = 0, refused = 0;
  for (int i = 0; i < 20'000 && (i < 500 || taken == 0 || refused == 0); ++i) {
    const auto scan = scan_folder(dir / "project");
    ASSERT_TRUE(scan.ok()) << scan.error().describe();
    if (scan->tree.entries.empty()) {
      ++refused;
      continue;
    }
    ++taken;
    ASSERT_EQ(scan->tree.entries.size(), 1U);
    ASSERT_EQ(scan->tree.entries[0].digest, crypto::sha256_hex("open"));
  }
  stop = true;
  swapping.join();
  EXPECT_GT(taken, 0);
  EXPECT_GT(refused, 0);
}

TEST(ScanFolder, LeavesOutByTheRulesOfEveryFolderAndSaysWhich) {
  const test::TempDir dir;
  dir.write(".gitignore", "*.log\n/out/\n");
  dir.write(".paddockignore", "data.bin\n!kept.log\n");
  dir.write("sub/.gitignore", "x\n");
  for (const char* path :
       {"a.log", "kept.log", "out/y", "data.bin", "sub/x", "sub/y", ".git/config",
        "sub/__pycache__/z.pyc", "node_modules/m/i.js", ".venv/bin/python"}) {
    dir.write(path, "1");
  }
  const Scan scan = std::move(*scan_folder(dir.path()));
  EXPECT_THAT(paths(scan),
              ElementsAre(".gitignore", ".paddockignore", "kept.log", "sub/.gitignore", "sub/y"));
  EXPECT_THAT(
      left_out(scan),
      ElementsAre(".git/ by built-in: .git/", ".venv/ by built-in: .venv/",
                  "a.log by .gitignore:1: *.log", "data.bin by .paddockignore:1: data.bin",
                  "node_modules/ by built-in: node_modules/", "out/ by .gitignore:2: /out/",
                  "sub/__pycache__/ by built-in: __pycache__/", "sub/x by sub/.gitignore:1: x"));
}

std::vector<std::string> links(const Scan& scan) {
  std::vector<std::string> out;
  for (const contracts::TreeLink& link : scan.tree.links)
    out.push_back(cat(link.path, " -> ", link.target));
  return out;
}
void link(const std::string& target, const std::string& at) {
  ASSERT_EQ(::symlink(target.c_str(), at.c_str()), 0);
}

TEST(ScanFolder, KeepsLinksToWhatTheRunWillMake) {
  const test::TempDir dir;
  link("out/models/best.bin", dir / "best");
  link("out", dir / "results");
  link("outside", dir / "other");
  ScanLimits limits;
  limits.asked_folders = {"out"};
  const Scan scan = std::move(*scan_folder(dir.path(), limits));
  EXPECT_THAT(links(scan), ElementsAre("best -> out/models/best.bin", "results -> out"));
  EXPECT_THAT(links(*scan_folder(dir.path())), IsEmpty());
}

TEST(ScanFolder, KeepsLinksToWhatComesAlong) {
  const test::TempDir dir;
  dir.write("runs/3/model.bin", "text");
  link("runs/3", dir / "latest");
  link("./latest//model.bin", dir / "best");
  link("../..", dir / "runs/3/up");
  link("up", dir / "runs/3/around");
  const Scan scan = std::move(*scan_folder(dir.path()));
  EXPECT_THAT(paths(scan), ElementsAre("runs/3/model.bin"));
  EXPECT_THAT(links(scan), ElementsAre("best -> latest/model.bin", "latest -> runs/3",
                                       "runs/3/around -> up", "runs/3/up -> ../.."));
  EXPECT_THAT(left_out(scan), IsEmpty());
}

// proves: ORB-96
TEST(ScanFolder, LeavesOutWhatIsNoFileAndLinksThatLeadElsewhere) {
  const test::TempDir outer;
  outer.write("secret", "s");
  const std::string folder = outer / "project";
  outer.write("project/real/file", "");
  outer.write("project/.env", "TOKEN=1");
  link("../secret", folder + "/up");
  link("/etc/passwd", folder + "/absolute");
  link(folder + "/real", folder + "/absolute-inside");
  link("nothing", folder + "/dangling");
  link("loop", folder + "/loop");
  link(".env", folder + "/config");
  link("real/../real", folder + "/round");
  ASSERT_EQ(::mkfifo((folder + "/fifo").c_str(), 0600), 0);
  const Scan scan = std::move(*scan_folder(folder));
  EXPECT_THAT(paths(scan), ElementsAre("real/file"));
  EXPECT_THAT(links(scan), IsEmpty());
  EXPECT_THAT(
      left_out(scan),
      testing::UnorderedElementsAre(
          "up by a link that leads out of the folder", "absolute by a link that is absolute",
          "absolute-inside by a link that is absolute",
          "dangling by a link that leads to nothing that is sent",
          "loop by a link that leads to itself",
          "config by a link that leads to nothing that is sent", testing::StartsWith("round by "),
          "fifo by a device, a FIFO or a socket",
          ".env by built-in: .env (secrets; a line !.env in .paddockignore sends it)"));
}

TEST(ScanFolder, KeepsEmptyFolders) {
  const test::TempDir dir;
  dir.write("full/x", "");
  dir.write("logs/a.log", "");
  dir.write(".gitignore", "*.log\nignored/\n");
  for (const char* each : {"out/cache", "full/empty", "ignored"})
    ASSERT_TRUE(os::make_dirs(dir / each).ok());
  const Scan scan = std::move(*scan_folder(dir.path()));
  EXPECT_EQ(scan.tree.folders,
            (std::vector<contracts::TreeFolder>{{"full/empty"}, {"logs"}, {"out/cache"}}));
  wire::Check check;
  scan.tree.validate(check);
  EXPECT_TRUE(check.ok());
}

TEST(ScanFolder, KeepsAskedFoldersOfWhichARuleLeavesOutWhatIsInThem) {
  const test::TempDir dir;
  dir.write(".gitignore", "build/\n");
  dir.write("build/reports/old.xml", "");
  dir.write("src/x", "");
  link("src", dir / "linked");
  ScanLimits limits;
  limits.asked_folders = {"build/reports", "missing", "linked", "../src", ".", "src"};
  const Scan scan = std::move(*scan_folder(dir.path(), limits));
  EXPECT_EQ(scan.tree.folders, (std::vector<contracts::TreeFolder>{{"build/reports"}}));
  EXPECT_THAT(paths(scan), ElementsAre(".gitignore", "src/x"));
  wire::Check check;
  scan.tree.validate(check);
  EXPECT_TRUE(check.ok());
}

TEST(ScanFolder, LeavesOutSecretsUnlessTheyAreAskedFor) {
  const test::TempDir dir;
  for (const char* path : {".env", ".env.local", ".env.example", "sub/credentials.json", "env"})
    dir.write(path, "1");
  EXPECT_THAT(paths(*scan_folder(dir.path())), ElementsAre(".env.example", "env"));
  dir.write(".gitignore", "!.env\n!.git/\n");  // which a run may have written
  dir.write(".git/config", "token");
  EXPECT_THAT(paths(*scan_folder(dir.path())), ElementsAre(".env.example", ".gitignore", "env"));
  dir.write(".paddockignore", "!.env\n");
  EXPECT_THAT(paths(*scan_folder(dir.path())),
              ElementsAre(".env", ".env.example", ".gitignore", ".paddockignore", "env"));
}

TEST(ScanFolder, LeavesOutWhatToolsKeepTheirCredentialsIn) {
  const test::TempDir dir;
  const std::vector<std::string> secrets = split(
      ".npmrc|.kube/config|kubeconfig|deploy/kubeconfig.yaml|.docker/config.json|"
      "ci/.docker/config.json|.dockerconfigjson|service-account.json|service_account_prod.json|"
      "client_secret_1.json|client_secrets.json|.vault-token|terraform.tfstate|"
      "terraform.tfstate.backup|prod.tfvars|app.jks|key.ppk|release.keystore|secrets.yaml|"
      "conf/secrets.toml|prod.env|.env.production|_netrc|.pypirc|.git-credentials|"
      ".aws/credentials|.cargo/credentials.toml|.config/gcloud/access_tokens.db|"
      ".m2/settings.xml|rclone.conf|AuthKey.p8",
      '|');
  const std::vector<std::string> source = split(
      ".cargo/config.toml|.config/app.json|.docker/Dockerfile|.env.example|.env.local.example|"
      ".yarnrc.yml|android/app/debug.keystore|chart/templates/app/secrets.yaml|"
      "chart/templates/secrets.yaml|config.json|env|environment.yml|envs/prod.env/main.tf|"
      "example.env|example.tfvars|"
      "pkg/kubeconfig/kubeconfig.go|prod.env.example|sample.tfvars|secrets.py|secrets/"
      "__init__.py|server.crt|"
      "service_account.py|settings.xml|terraform.tfvars.example",
      '|');
  for (const auto& list : {secrets, source})
    for (const std::string& path : list) dir.write(path, "1");
  const Scan scan = std::move(*scan_folder(dir.path()));
  EXPECT_THAT(paths(scan), testing::ElementsAreArray(source));
  EXPECT_EQ(scan.secrets, secrets.size());
}

TEST(ScanFolder, NamesSecretsFirstWhateverRuleLeavesThemOut) {
  const test::TempDir dir;
  dir.write(".gitignore", "conf/.env\n*.log\nz.key\n");
  for (const char* path : {".git/config", "a.log", "b.log", "c.log", "d.log", "conf/.env",
                           "home/paddock.db", "z.key", "kept"})
    dir.write(path, "1");
  Scan scan = std::move(*scan_folder(dir.path()));
  EXPECT_THAT(left_out(scan),
              ElementsAre("conf/.env by .gitignore:1: conf/.env",
                          "home/ by built-in: Paddock's own data (paddock.db; secrets; a line "
                          "!home/ in .paddockignore sends it)",
                          "z.key by .gitignore:3: z.key", ".git/ by built-in: .git/",
                          "a.log by .gitignore:2: *.log", "b.log by .gitignore:2: *.log",
                          "c.log by .gitignore:2: *.log", "d.log by .gitignore:2: *.log"));
  EXPECT_EQ(scan.secrets, 3U);
  EXPECT_EQ(worth_telling(scan), 5U);
  EXPECT_EQ(left_out(*left_out_of_folder(dir.path())), left_out(scan));
  scan.left_out.resize(40);
  for (const auto& [secrets, told] : {std::pair{12U, 12U}, {20U, 20U}, {30U, 20U}}) {
    scan.secrets = secrets;
    EXPECT_EQ(worth_telling(scan), told);
  }
}

TEST(ScanFolder, LeavesOutPrivateKeysAndSendsCertificates) {
  const test::TempDir dir;
  for (const char* path : {".ssh/config", "deep/.aws/credentials", "id_ecdsa", "tls/server.key",
                           "tls/server-key.pem", "tls/bundle.p12", "receipt-keys.pem",
                           "tls/cert.pem", "keys.txt", "id_rsa.pub", "keyboard.py"})
    dir.write(path, "1");
  const Scan scan = std::move(*scan_folder(dir.path()));
  EXPECT_THAT(paths(scan), ElementsAre("id_rsa.pub", "keyboard.py", "keys.txt", "tls/cert.pem"));
  EXPECT_THAT(left_out(scan),
              testing::Contains("tls/server.key by built-in: *.key (secrets; a line !*.key in "
                                ".paddockignore sends it)"));
  dir.write(".paddockignore", "!*.key\n");
  EXPECT_THAT(paths(*scan_folder(dir.path())), testing::Contains("tls/server.key"));
}

TEST(ScanFolder, LeavesOutAPythonEnvironmentUnlessItIsAskedFor) {
  const test::TempDir dir;
  dir.write("venv/pyvenv.cfg", "home = /usr/bin\n");
  dir.write("venv/lib/x.py", "");
  const Scan scan = std::move(*scan_folder(dir.path()));
  EXPECT_THAT(left_out(scan), ElementsAre("venv/ by built-in: a Python environment (pyvenv.cfg)"));
  dir.write(".paddockignore", "!venv/\n");
  EXPECT_EQ(scan_folder(dir.path())->tree.entries.size(), 3U);
}

// Adversarial: no program that a run brings home may ask for the keys of the instance.
TEST(ScanFolder, LeavesOutDataFoldersOfPaddockItself) {
  const test::TempDir dir;
  for (const char* path : {"home/controller/paddock.db", "home/controller/tokens/admin",
                           "home/agent/agent.lock", "home/agent/identity", "a.py"})
    dir.write(path, "1");
  dir.write(".gitignore", "!controller/\n!agent/\n");
  const Scan scan = std::move(*scan_folder(dir.path()));
  EXPECT_THAT(paths(scan), ElementsAre(".gitignore", "a.py"));
  EXPECT_THAT(left_out(scan),
              testing::UnorderedElementsAre(
                  "home/agent/ by built-in: Paddock's own data (agent.lock; secrets; a line "
                  "!agent/ in .paddockignore sends it)",
                  "home/controller/ by built-in: Paddock's own data (paddock.db; secrets; a line "
                  "!controller/ in .paddockignore sends it)"));
  dir.write(".paddockignore", "!controller/\n");
  EXPECT_THAT(paths(*scan_folder(dir.path())), testing::Contains("home/controller/tokens/admin"));
}

TEST(ScanFolder, NamesEveryEntryItRefuses) {
  const test::TempDir outer;
  const std::string folder = outer / "project";
  outer.write("project/Case", "");
  outer.write("project/case", "");
  outer.write("project/Twin/x", "");
  ASSERT_TRUE(os::make_dirs(folder + "/twin").ok());
  outer.write("project/new\nline", "");
  outer.write("project/back\\slash", "");
  outer.write("project/\xFF", "");
  outer.write("project/large.bin", std::string(11, 'x'));
  ScanLimits limits;
  limits.max_file = 10;
  const Result<Scan> scan = scan_folder(folder, limits);
  ASSERT_FALSE(scan.ok());
  EXPECT_EQ(scan.error().reason, "WORKSPACE_ENTRY_REFUSED");
  std::vector<std::string> fields;
  for (const Cause& cause : scan.error().causes) fields.push_back(cause.field);
  EXPECT_THAT(fields, testing::UnorderedElementsAre("large.bin", "case", "Twin/x", "new\\nline",
                                                    "back\\slash", "\xEF\xBF\xBD"));
  EXPECT_THAT(scan.error().describe(), Not(HasSubstr(outer.path())));
}

TEST(ScanFolder, SaysOfANameThatIsRefusedWhatWouldHelp) {
  const auto said = [](std::vector<std::string> files) {
    const test::TempDir dir;
    for (const std::string& each : files) dir.write(each, "");
    const Result<Scan> scan = scan_folder(dir.path());
    return scan.ok() ? "taken" : scan.error().message;
  };
  constexpr const char* kHelp = "; rename it, or leave it out by .paddockignore";
  EXPECT_EQ(said({"README", "Readme"}), cat("Readme and \"README\" differ only by case", kHelp));
  EXPECT_EQ(said({"new\nline"}), cat("new\\nline must not have control characters", kHelp));
  EXPECT_EQ(said({"a/back\\slash"}), cat("a/back\\slash must not have a backslash", kHelp));
}

// As an ordinary user.
TEST(ScanFolder, NamesAllThatCannotBeRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  const test::TempDir dir;
  dir.write("a/b/x", "");
  dir.write("c", "", 0);
  dir.write("d/.gitignore", "", 0);
  ASSERT_EQ(::chmod((dir / "a/b").c_str(), 0), 0);
  const Result<Scan> scan = scan_folder(dir.path());
  ASSERT_EQ(::chmod((dir / "a/b").c_str(), 0700), 0);
  ASSERT_FALSE(scan.ok());
  std::vector<std::string> fields;
  for (const Cause& cause : scan.error().causes) {
    fields.push_back(cause.field);
    EXPECT_THAT(cause.message, HasSubstr(".paddockignore"));
  }
  EXPECT_THAT(fields, testing::IsSupersetOf({"a/b", "c", "d/.gitignore"}));
}

// Whatever the moment, what was taken is the beginning of what is there in the end.
TEST(ScanFolder, TakesTheBeginningOfAFileThatGrows) {
  const test::TempDir dir;
  dir.write("app.log", std::string(1 << 20, 'x'));
  std::atomic<bool> stop = false;
  std::thread growing([&] {
    const os::Fd log(::open((dir / "app.log").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    while (!stop && ::write(log.get(), "x", 1) == 1) std::this_thread::yield();
  });
  for (int i = 0; i < 50; ++i) {
    const auto scan = scan_folder(dir.path());
    if (!scan || scan->tree.entries.size() != 1) {
      ADD_FAILURE() << "the log was not taken";
      break;
    }
    const contracts::TreeEntry& log = scan->tree.entries[0];
    EXPECT_EQ(log.digest, crypto::sha256_hex(std::string(static_cast<size_t>(log.size), 'x')));
  }
  stop = true;
  growing.join();
}

TEST(ScanFolder, LeavesOutWhatCameBackAsItCame) {
  const test::TempDir dir;
  for (const char* path : {"out/a.txt", "out/b.txt", "out/c.txt"}) dir.write(path, path);
  ScanLimits limits;
  for (const char* path : {"out/a.txt", "out/c.txt"})
    limits.returned[path] = {crypto::sha256_hex(path), "p-1"};
  limits.returned["out/b.txt"] = {crypto::sha256_hex("before"), "p-1"};
  dir.write(".paddockignore", "!c.txt\n");
  const Scan scan = std::move(*scan_folder(dir.path(), limits));
  EXPECT_THAT(paths(scan), ElementsAre(".paddockignore", "out/b.txt", "out/c.txt"));
  EXPECT_THAT(left_out(scan), ElementsAre("out/a.txt by came back from run p-1; a line !out/a.txt "
                                          "in .paddockignore sends it"));
}

// What a run made anew must be made anew by the next one too: `mkdir` says so.
TEST(ScanFolder, LeavesOutFoldersThatHoldNothingButWhatCameBack) {
  const test::TempDir dir;
  for (const char* path : {"made/deep/a.txt", "mixed/a.txt", "mixed/own.txt", "kept/sub/a.txt"})
    dir.write(path, path);
  ScanLimits limits;
  for (const char* path : {"made/deep/a.txt", "mixed/a.txt", "kept/sub/a.txt"})
    limits.returned[path] = {crypto::sha256_hex(path), "p-1"};
  limits.returned_folders = {"made", "made/deep", "mixed", "kept/sub", "gone"};
  limits.asked_folders = {"made"};
  const Scan scan = std::move(*scan_folder(dir.path(), limits));
  EXPECT_THAT(paths(scan), ElementsAre("mixed/own.txt"));
  EXPECT_EQ(scan.tree.folders, (std::vector<contracts::TreeFolder>{{"kept"}}));
}

TEST(ScanFolder, StopsAtItsLimits) {
  const test::TempDir dir;
  dir.write("a", "12345");
  dir.write("b", "12345");
  EXPECT_TRUE(scan_folder(dir.path(), {2, 10}).ok());
  EXPECT_EQ(scan_folder(dir.path(), {1, 10}).error().reason, "WORKSPACE_TOO_LARGE");
  EXPECT_EQ(scan_folder(dir.path(), {2, 9}).error().reason, "WORKSPACE_TOO_LARGE");
  EXPECT_EQ(scan_folder(dir / "missing").error().code, Code::kNotFound);
}

}  // namespace
}  // namespace paddock::cas
