// The programs, devices and folders of this host that one request names, looked up before its plan
// is made. Plain values like HostFacts; paths are as the command will see them.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace paddock::sandbox {

// A symbolic link on the way to a program.
struct LinkFact {
  std::string path;
  std::string target;
};

// Identifies a file, whatever its name.
struct FileId {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const FileId&) const = default;
};

// One entry of the policy's `tools`.
struct ToolFact {
  std::string name;
  std::string file;  // the program itself; empty: no sandbox of this host shows one of that name
  std::vector<LinkFact> links;
  std::string interpreter;  // what the kernel starts for it: the dynamic loader, or a script's
  std::string interpreter_on_host = {};
  bool script = false;
  FileId id = {};
};

// One entry of the policy's `devices`.
struct DeviceFact {
  enum class Kind { kAbsent, kCharacter, kOther };
  std::string path;
  Kind kind = Kind::kAbsent;
  unsigned major = 0;
  unsigned minor = 0;
  mode_t mode = 0;
  uid_t uid = 0;
  gid_t gid = 0;
  bool ours = false;  // the launcher itself may read and write it
};

// One entry of the policy's `hostMounts`, as its path leads to it without any symbolic link.
enum class HostMountFact {
  kThere,  // a folder or a file, or the mount itself will say why it cannot be had
  kAbsent,
  kLinked,  // a symbolic link is on the way, or at its end
  kHidden,  // the launcher's user may not look there
  kOther,   // a device, a socket or a pipe
};

struct RequestFacts {
  std::vector<ToolFact> tools;
  std::vector<std::string> program_folders;  // those of the system that exist, none a link
  std::vector<DeviceFact> devices;
  std::vector<HostMountFact> host_mounts;
  std::vector<std::string> name_servers;  // of the host, if the policy enables the network
  std::map<std::string, std::vector<std::string>> host_names;  // of its hosts file, likewise
};

}  // namespace paddock::sandbox
