// The files of /etc that every sandbox has, made here: they say nothing about the host.
#pragma once

#include <string>
#include <vector>

namespace paddock::sandbox {

struct EtcFile {
  std::string path;
  std::string content;
};

// With a network the name server is the broker's.
std::vector<EtcFile> etc_files(bool network);
// What is shown of the host's own /etc if it exists, read-only: nothing in it is secret.
const std::vector<std::string>& shared_etc_paths();
// Names directly in /etc that start so are shown too: `python3` also matches `python3.11`.
const std::vector<std::string>& shared_etc_prefixes();

}  // namespace paddock::sandbox
