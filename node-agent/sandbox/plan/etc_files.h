// The files of /etc that every sandbox has, made here: they say nothing about the host.
#pragma once

#include <string>
#include <vector>

namespace paddock::sandbox {

struct EtcFile {
  std::string path;
  std::string content;
};

// With a network the name server is the broker's. `gateway`: a name that leads to the tool
// gateway's place; empty: none.
std::vector<EtcFile> etc_files(bool network, const std::string& gateway = {});
// What is shown of the host's own /etc if it exists, read-only, as patterns of names in it: what
// installed software finds its own data by. A list, since nothing tells such a file from another: a
// file that everybody may read is no sign, as operators keep passwords of proxies, package indexes
// and databases in many. So what has a place for one is not here (pip.conf, npmrc, gitconfig,
// wgetrc, profile, maven/settings.xml, php.ini, odbc.ini), nor what names this host or its network.
const std::vector<std::string>& shared_etc_patterns();
// Likewise of /var: packages keep data there that programs below /usr find by a link or by name.
const std::vector<std::string>& shared_var_patterns();

}  // namespace paddock::sandbox
