#include "node-agent/sandbox/plan/etc_files.h"

#include "common/base/text.h"
#include "node-agent/sandbox/egress/gateway.h"
#include "node-agent/sandbox/egress/host_name.h"

namespace paddock::sandbox {

std::vector<EtcFile> etc_files(bool network, const std::string& gateway) {
  const std::string named =
      gateway.empty() ? "" : cat(to_text(gateway_place()), " ", gateway, "\n");
  std::vector<EtcFile> files = {
      {"/etc/passwd",
       "sandbox:x:1000:1000:sandbox:/workspace:/bin/sh\n"
       "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"},
      {"/etc/group", "sandbox:x:1000:\nnogroup:x:65534:\n"},
      {"/etc/hosts",
       cat("127.0.0.1 localhost ", kHostName, "\n::1 localhost ", kHostName, "\n", named)},
      {"/etc/hostname", cat(kHostName, "\n")},
      {"/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"},
  };
  if (network) files.push_back({"/etc/resolv.conf", "nameserver 127.0.0.1\noptions ndots:1\n"});
  return files;
}

const std::vector<std::string>& shared_etc_patterns() {
  static const std::vector<std::string> kPatterns = {
      // The system's own tables.
      "alternatives",
      "ssl/certs",
      "ssl/openssl.cnf",
      "ld.so.cache",
      "ld.so.conf",
      "ld.so.conf.d",
      "localtime",
      "timezone",
      "os-release",
      "lsb-release",
      "debian_version",
      "redhat-release",
      "alpine-release",
      "mime.types",
      "mailcap",
      "magic",
      "magic.mime",
      "services",
      "protocols",
      "rpc",
      "ethertypes",
      "host.conf",
      "gai.conf",
      "locale.alias",
      "papersize",
      "libpaper.d",
      "terminfo",
      "inputrc",
      "manpath.config",
      "groff",
      "dictionaries-common",
      "sgml",
      "xml",
      // Languages.
      "python3*",
      "ipython",
      "java-*",
      "maven/m2.conf",
      "maven/logging",
      "perl",
      "R",
      "octave*",
      "julia",
      "php/*/mods-available",
      "php/*/cli/conf.d",
      "fpc*.cfg",
      "gnucobol",
      "gdb",
      "gprofng.rc",
      "emacs",
      "vim",
      "nanorc",
      "texmf",
      "texlive",
      // Pictures, sound and processors of both.
      "matplotlibrc",
      "fonts",
      "ImageMagick-*",
      "ghostscript",
      "gtk-2.0",
      "gtk-3.0",
      "OpenCL",
      "vulkan",
      "glvnd",
      "drirc",
      "vdpau_wrapper.cfg",
      "openal",
      "alsa",
      "lynx",
      "chromium.d/default-flags",
      "chromium.d/extensions",
      // Programs of several processes.
      "openmpi",
      "ucx",
      "libibverbs.d",
  };
  return kPatterns;
}

const std::vector<std::string>& shared_var_patterns() {
  static const std::vector<std::string> kPatterns = {
      // Languages.
      "lib/gems", "lib/ghc", "lib/haskell-packages",
      // Words and type.
      "cache/fontconfig", "lib/aspell", "lib/dictionaries-common", "lib/ghostscript", "lib/ispell",
      "lib/mecab", "lib/sgml-base", "lib/texmf", "lib/xml-core"};
  return kPatterns;
}

}  // namespace paddock::sandbox
