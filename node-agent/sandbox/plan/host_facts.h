// The facts about this host that are known before a plan is made. Gathered by linux/host/facts.cc;
// plain values, so that plans can be tested for hosts that we do not have.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "node-agent/sandbox/plan/proc_contents.h"
#include "node-agent/sandbox/plan/request_facts.h"

namespace paddock::sandbox {

// The folders in which limits on a whole process tree can be set.
struct CgroupFacts {
  enum class Version { kNone, kV1, kV2 };
  Version version = Version::kNone;
  // Folders in which one folder per run is made. v1 has one per hierarchy; v2 the same for all.
  // Empty: not available.
  std::string memory;
  std::string pids;
  std::string cpu;        // accounting
  std::string bandwidth;  // of processors; on v1 it may be the folder of accounting, or another
  std::string freezer;    // on v1, a hierarchy of its own; on v2 every cgroup has one
  std::string why_not;    // what an operator can do about a missing one
  std::string why_no_bandwidth;  // the same, where only that is missing

  // Whether all processes of a run can be frozen.
  bool freezes() const {
    if (version != Version::kV2) return !freezer.empty();
    return !memory.empty() || !pids.empty() || !cpu.empty();
  }
};

// A name in the host's root folder that belongs to the system, such as /usr, or /lib -> usr/lib.
struct SystemEntry {
  std::string path;
  std::string link;  // where it points to, if it is a symbolic link
};

// The environment of type `compute` names one locale, which no host has to have.
inline constexpr const char* kLocales = "/usr/lib/locale/";
inline constexpr const char* kNamedLocale = "en_US.utf8";
inline constexpr const char* kNeutralLocale = "C.utf8";

inline constexpr const char* kTtyDevice = "/dev/tty";

struct HostFacts {
  bool privileged = false;  // may set up mounts and ids as the host's root
  uid_t uid = 0;
  gid_t gid = 0;
  std::optional<uid_t> own_user;  // of the host, for this one sandbox
  std::string why_no_own_user;    // else
  int kernel_major = 0;
  int kernel_minor = 0;
  uint64_t hard_open_files = 0;  // what this process's own ceilings leave for commands
  uint64_t hard_file_size = 0;
  uint64_t hard_address_space = 0;
  uint64_t hard_data = 0;
  CgroupFacts cgroup;
  int landlock = 0;                 // version of the kernel's Landlock; 0: none
  std::vector<SystemEntry> system;  // read-only view: /usr, /bin, /lib…
  // The facts that the request to be planned names; never nullptr.
  std::shared_ptr<const RequestFacts> named = std::make_shared<const RequestFacts>();
  // In a launcher for sessions, the tools that most of its requests name, found once.
  std::vector<std::string> standing_tools;
  std::shared_ptr<const RequestFacts> standing = named;
  std::shared_ptr<const MachineFacts> machine = std::make_shared<const MachineFacts>();
  uint64_t turn = 0;             // differs for each run: processors are chosen from here on
  std::vector<SystemEntry> etc;  // harmless files and folders of /etc and /var that exist here
  bool tty_device = false;       // /dev/tty is there, which containers may lack
  // The contents of kLocales if kNamedLocale is not among them: it is then shown with the data of
  // the neutral locale. Empty if it is there, or if there is no neutral one either.
  std::vector<std::string> locales;
};

}  // namespace paddock::sandbox
