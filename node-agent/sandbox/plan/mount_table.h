// The file system that a command sees, as a table in the order in which it is built.
// Pure: the table is rendered from the request and the host facts, and printed for golden tests.
#pragma once

#include <string>
#include <vector>

#include "common/contracts/launch.h"
#include "node-agent/sandbox/plan/host_facts.h"

namespace paddock::sandbox {

struct MountEntry {
  enum class Kind {
    kFolder,     // an empty folder of the (finally read-only) root
    kFile,       // content written into the root
    kSecret,     // likewise, in a file that is the command's own and that nobody else reads
    kSymlink,    // source: where it points to
    kSystem,     // a part of the host, read-only
    kDevice,     // a device node of the host
    kBind,       // a folder or file that the request names
    kProc,       // fresh, own processes only
    kTerminals,  // fresh, own pseudo-terminals only
    kScratch,    // /tmp and /dev/shm: one tmpfs with one limit for both
    kCover,      // an empty folder over one of the system, filled by later entries
    kLoader,     // a copy that only the kernel can start, and only for a program: program_head.h
  };
  Kind kind = Kind::kFolder;
  std::string target;
  std::string source;  // host path, link text or content
  bool writable = false;
  int64_t bytes = 0;  // kScratch
  int64_t files = 0;
  bool no_programs = false;  // mounted noexec
  std::string lower = {};    // kBind: what is seen beneath the source, which takes the changes
  std::string work = {};     // with it: an empty folder for the kernel
  std::string field;  // of the policy, if that names the source: then no link may be on the way
  bool operator==(const MountEntry&) const = default;
};

std::vector<MountEntry> render_mounts(const contracts::LaunchRequest& request,
                                      const HostFacts& host);
// The mounts that are the same for every run without a network, devices and tools of its own, but
// for the size of the scratch space: the system, /etc, /dev, /proc, /tmp and /var. render_mounts()
// begins with them.
std::vector<MountEntry> common_mounts(const HostFacts& host);
// The view in the form of /proc/mounts, since the kernel does not list it. Programs that ask which
// file system a file is on (Java, psutil, `df`) read it. It says nothing about where a mount comes
// from on the host.
std::string mounts_text(const std::vector<MountEntry>& table);
// One line per entry, for tests and for people. Contents of files are left out.
std::string describe_mounts(const std::vector<MountEntry>& table);
// Whether a request may mount something there: not over the system, /proc, /dev, /etc, /run or
// /tmp.
bool may_be_target(std::string_view sandbox_path);

}  // namespace paddock::sandbox
