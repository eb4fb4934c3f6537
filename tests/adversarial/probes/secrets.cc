// Opens each path of the host that the arguments name: none may be there.
#include <dirent.h>
#include <fcntl.h>

#include <set>
#include <string>

#include "probe.h"

// What packages keep for programs below /usr, and nothing else of /var.
static void expect_package_data_alone(const char* folder) {
  const std::set<std::string> known = {
      ".",      "..",          "gems",   "ghc",   "haskell-packages",    "fontconfig",
      "aspell", "ghostscript", "ispell", "mecab", "dictionaries-common", "sgml-base",
      "texmf",  "xml-core"};
  DIR* const entries = opendir(folder);
  if (entries == nullptr) return;
  while (const dirent* entry = readdir(entries)) {
    const std::string path = std::string(folder) + "/" + entry->d_name;
    if (!known.contains(entry->d_name)) breach(path.c_str());
    expect_refused(path.c_str(), open((path + "/new").c_str(), O_WRONLY | O_CREAT, 0600));
  }
  closedir(entries);
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) expect_refused(argv[i], open(argv[i], O_RDONLY));
  for (const char* path :
       {"/etc/shadow", "/etc/ssh", "/etc/gshadow", "/root", "/home", "/opt", "/mnt", "/srv",
        "/var/lib/dpkg", "/var/lib/systemd", "/var/lib/paddock", "/var/log", "/var/spool",
        "/var/cache/apt", "/boot", "/proc/1/root/etc/shadow", "/workspace/../etc/shadow",
        "/root/.ssh/id_rsa", "/root/.aws/credentials"}) {
    expect_refused(path, open(path, O_RDONLY));
  }
  for (const char* folder : {"/var/lib", "/var/cache"}) expect_package_data_alone(folder);
  if (symlink("/etc/shadow", "/workspace/link") != 0) breach("no link can be made to try with");
  expect_refused("a link to a secret", open("/workspace/link", O_RDONLY));
  return verdict();
}
