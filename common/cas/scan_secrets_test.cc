// Which files stay behind since they hold secrets, or are of no use elsewhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/cas/scan_test_support.h"

namespace paddock::cas {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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

constexpr const char* kKey = "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n";

TEST(ScanFolder, LeavesOutPrivateKeysOfAnyNameWithTheLinksToThem) {
  const test::TempDir dir;
  dir.write("deploy", kKey);
  dir.write("tls/site.pem", kKey);
  dir.write("tls/site.crt", "-----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----\n");
  dir.write("large", kKey + std::string(1 << 20, 'x'));
  link("tls/site.pem", dir / "current");
  link("tls/site.crt", dir / "shown");
  dir.write(".gitignore", "!deploy\n");
  Scan scan = std::move(*scan_folder(dir.path()));
  EXPECT_THAT(paths(scan), ElementsAre(".gitignore", "large", "tls/site.crt"));
  EXPECT_THAT(links(scan), ElementsAre("shown -> tls/site.crt"));
  EXPECT_EQ(scan.secrets, 2U);
  EXPECT_THAT(left_out(scan),
              ElementsAre("deploy by built-in: a private key, by its content (secrets; a line "
                          "!deploy in .paddockignore sends it)",
                          "tls/site.pem by built-in: a private key, by its content (secrets; a "
                          "line !site.pem in .paddockignore sends it)",
                          HasSubstr("current by ")));
  EXPECT_EQ(left_out(*left_out_of_folder(dir.path())), left_out(scan));
  dir.write(".paddockignore", "!deploy\n!tls/*.pem\n");
  scan = std::move(*scan_folder(dir.path()));
  EXPECT_THAT(paths(scan), ElementsAre(".gitignore", ".paddockignore", "deploy", "large",
                                       "tls/site.crt", "tls/site.pem"));
  EXPECT_THAT(links(scan), ElementsAre("current -> tls/site.pem", "shown -> tls/site.crt"));
  EXPECT_THAT(left_out(scan), IsEmpty());
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

}  // namespace
}  // namespace paddock::cas
