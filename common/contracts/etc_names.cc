#include "common/contracts/etc_names.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"
#include "common/contracts/inner_paths.h"

namespace paddock::contracts {
namespace {

constexpr std::array<std::string_view, 47> kNever = {
    // Secrets, and who has which rights.
    "shadow", "shadow-", "gshadow", "gshadow-", "security", "sudoers", "sudoers.d", "doas.conf",
    "pam.d", "polkit-1", "ssh", "ssl/private", "pki/tls/private", "pki/nssdb", "letsencrypt",
    "krb5.keytab", "ipsec.d", "ipsec.secrets", "wireguard", "openvpn", "ppp", "crypttab",
    "cryptsetup-keys.d", "docker", "containers", "containerd", "kubernetes", "rancher", "paddock",
    "credstore", "credstore.encrypted",
    // Files of which every sandbox has its own.
    "passwd", "passwd-", "group", "group-", "hosts", "hostname", "nsswitch.conf", "resolv.conf",
    "mtab",
    // Files that say which host this is, and describe its network.
    "machine-id", "mailname", "fstab", "netplan", "network", "NetworkManager", "systemd"};

bool is_plain(std::string_view name) {
  return std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._-+@/").find(c) != std::string_view::npos;
  });
}

}  // namespace

std::string etc_name_fault(std::string_view name) {
  const std::string path = cat("/", name);
  if (!is_plain(name) || !is_clean_absolute(path))
    return "is no path below /etc: letters, digits, . _ - + @ and /, without . and .. as parts";
  for (const std::string_view never : kNever) {
    const std::string denied = cat("/", never);
    if (is_within(path, denied) || is_within(denied, path))
      return cat("would show /etc/", never, ", which no sandbox may see");
  }
  return {};
}

}  // namespace paddock::contracts
