#include "common/cas/ignore.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/cas/wildmatch.h"

namespace paddock::cas {
namespace {

// Spaces at the end do not count unless a backslash protects them.
std::string_view without_trailing_spaces(std::string_view line) {
  size_t end = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
      end = i + 1;
    } else if (line[i] != ' ') {
      end = i + 1;
    }
  }
  return line.substr(0, end);
}

// A pattern with a slash matches from its folder on. Text before the first special character is
// compared as it is, so a `**` right behind it counts as the beginning of a pattern.
bool matches_path(std::string_view pattern, std::string_view path) {
  if (pattern.starts_with('/')) pattern.remove_prefix(1);
  const size_t plain = std::min(pattern.find_first_of("*?[\\"), pattern.size());
  if (path.substr(0, plain) != pattern.substr(0, plain)) return false;
  return wildmatch(pattern.substr(plain), path.substr(plain));
}

bool matches(const IgnoreRule& rule, std::string_view path, bool is_folder) {
  if (rule.folder_only && !is_folder) return false;
  if (!rule.anywhere) return matches_path(rule.pattern, path);
  const size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  return wildmatch(rule.pattern, name);
}

}  // namespace

std::vector<IgnoreRule> parse_ignore_rules(std::string_view text, std::string_view name) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<IgnoreRule> rules;
  size_t number = 0;
  while (!text.empty()) {
    const size_t newline = text.find('\n');
    std::string_view line = text.substr(0, newline);
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
    ++number;
    if (line.starts_with('#')) continue;
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = without_trailing_spaces(line);
    IgnoreRule rule;
    rule.source = cat(name, ":", number, ": ", to_utf8_lossy(line));
    rule.negated = line.starts_with('!');
    if (rule.negated) line.remove_prefix(1);
    rule.folder_only = line.ends_with('/');
    if (rule.folder_only) line.remove_suffix(1);
    if (line.empty()) continue;
    rule.anywhere = line.find('/') == std::string_view::npos;
    rule.pattern = line;
    rules.push_back(std::move(rule));
  }
  return rules;
}

std::vector<IgnoreRule> built_in_folder_rules() {
  std::vector<IgnoreRule> rules = parse_ignore_rules(
      ".git/\n__pycache__/\nnode_modules/\n.venv/\n.pytest_cache/\n.mypy_cache/\n.ruff_cache/\n",
      "");
  for (IgnoreRule& rule : rules) rule.source = cat("built-in: ", rule.pattern, "/");
  return rules;
}

std::vector<IgnoreRule> built_in_secret_rules() {
  std::vector<IgnoreRule> rules = parse_ignore_rules(
      "*.env\n!*.env/\n.env\n.envrc\n.env.*\n"
      "!.env*.example\n!.env*.sample\n!.env*.template\n!.env*.dist\n!*example.env\n"
      "!*sample.env\n!*template.env\n"
      "secrets.yaml\nsecrets.yml\nsecrets.json\nsecrets.toml\n!**/templates/**/secrets.yaml\n"
      "!**/templates/**/secrets.yml\n"
      "credentials.json\napplication_default_credentials.json\nclient_secret*.json\n"
      "service-account*.json\nservice_account*.json\n*firebase-adminsdk*.json\nkaggle.json\n"
      ".aws/\n.gnupg/\n.kube/\n.ssh/\n**/.config/gcloud/\n**/.config/gh/\n"
      "kubeconfig\n!kubeconfig/\nkubeconfig.yaml\nkubeconfig.yml\n*.kubeconfig\n"
      ".netrc\n_netrc\n.npmrc\n.pypirc\n.pgpass\n.my.cnf\n.s3cfg\n.boto\n.htpasswd\n"
      ".git-credentials\n"
      ".dockercfg\n.dockerconfigjson\n**/.docker/config.json\n**/.cargo/credentials\n"
      "**/.cargo/credentials.toml\n"
      "**/.gem/credentials\n**/.m2/settings.xml\nrclone.conf\n"
      ".vault-token\n.vault_pass*\n.terraformrc\ncredentials.tfrc.json\n"
      "*.tfstate\n*.tfstate.*\n*.tfvars\n*.tfvars.json\n!*example.tfvars\n!*sample.tfvars\n!*"
      "template.tfvars\n"
      "id_rsa\nid_dsa\nid_ecdsa\nid_ecdsa_sk\nid_ed25519\nid_ed25519_sk\n*.ppk\n"
      "*.key\n*key.pem\n*keys.pem\n*.p8\n*.p12\n*.pfx\n*.jks\n*.keystore\n!debug.keystore\n"
      "*.kdbx\n*.ovpn\n",
      "");
  for (IgnoreRule& rule : rules)
    rule.source = cat("built-in: ", rule.pattern, rule.folder_only ? "/" : "",
                      " (secrets; a line !", rule.pattern, " in .paddockignore sends it)");
  return rules;
}

void IgnoreRules::add(const std::string& folder, std::vector<IgnoreRule> rules) {
  std::vector<IgnoreRule>& known = by_folder_[folder];
  for (IgnoreRule& rule : rules) known.push_back(std::move(rule));
}

const IgnoreRule* IgnoreRules::excluded_by(std::string_view path, bool is_folder) const {
  const IgnoreRule* rule = decided_by(path, is_folder);
  return rule != nullptr && !rule->negated ? rule : nullptr;
}

const IgnoreRule* IgnoreRules::decided_by(std::string_view path, bool is_folder) const {
  std::string_view folder = path;
  while (!folder.empty()) {
    const size_t slash = folder.rfind('/');
    folder = slash == std::string_view::npos ? std::string_view() : folder.substr(0, slash);
    const auto found = by_folder_.find(folder);
    if (found == by_folder_.end()) continue;
    const std::string_view below = path.substr(folder.empty() ? 0 : folder.size() + 1);
    for (auto rule = found->second.rbegin(); rule != found->second.rend(); ++rule) {
      if (matches(*rule, below, is_folder)) return &*rule;
    }
  }
  return nullptr;
}

}  // namespace paddock::cas
