#include "node-agent/sandbox/etc_files.h"

namespace paddock::sandbox {

std::vector<EtcFile> etc_files(bool network) {
  std::vector<EtcFile> files = {
      {"/etc/passwd",
       "sandbox:x:1000:1000:sandbox:/workspace:/bin/sh\n"
       "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"},
      {"/etc/group", "sandbox:x:1000:\nnogroup:x:65534:\n"},
      {"/etc/hosts", "127.0.0.1 localhost sandbox\n::1 localhost sandbox\n"},
      {"/etc/hostname", "sandbox\n"},
      {"/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"},
  };
  if (network) files.push_back({"/etc/resolv.conf", "nameserver 127.0.0.1\noptions ndots:1\n"});
  return files;
}

const std::vector<std::string>& shared_etc_paths() {
  static const std::vector<std::string> kPaths = {
      "/etc/alternatives",   "/etc/ssl/certs",  "/etc/ssl/openssl.cnf",
      "/etc/ld.so.cache",    "/etc/localtime",  "/etc/os-release",
      "/etc/debian_version", "/etc/mime.types", "/etc/fonts",
  };
  return kPaths;
}

const std::vector<std::string>& shared_etc_prefixes() {
  static const std::vector<std::string> kPrefixes = {"python3", "java-"};
  return kPrefixes;
}

}  // namespace paddock::sandbox
