// The bait that canaries try to reach on the host's side: files, listeners, a lock; made for one
// probe and removed with it. Listens on 127.0.0.1 for as long.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cstdint>
#include <string>

#include "common/base/result.h"
#include "common/os/fd.h"

namespace paddock::sandbox {

inline constexpr const char* kCanaryFile = "/canary";               // the program, inside
inline constexpr const char* kCanaryPrograms = "/canary-programs";  // its folder, for tools
inline constexpr const char* kCanaryFolder = "/canaries";  // the bait's folder that is shown

sockaddr_un abstract_address(const std::string& name, socklen_t& size);
// `pid:[1],mnt:[2],…` of the calling process.
std::string own_namespaces();

class CanaryBait {
 public:
  // In TMPDIR, or in memory where that is full. DISK_FULL: neither takes it.
  static Result<CanaryBait> lay();
  CanaryBait(CanaryBait&& other) noexcept = default;
  CanaryBait& operator=(CanaryBait&&) = delete;
  ~CanaryBait();

  std::string host_file() const { return folder_ + "/secret"; }
  // A file that is not shown either, and that everybody may write. It is handed in as a descriptor
  // that can only read.
  std::string given_file() const { return folder_ + "/given"; }
  std::string shown_folder() const { return folder_ + "/shown"; }
  uint16_t port() const { return port_; }
  const std::string& abstract_name() const { return name_; }
  // Whether somebody came; the kernel completes a connection before anyone accepts it.
  bool was_reached() const;
  // Whether a process still holds the lock on the file `held` of the shown folder.
  bool is_held() const;

 private:
  CanaryBait() = default;
  static Result<CanaryBait> lay_in(const std::string& place);
  Status make_files();
  Status listen_here();
  Status send_descriptors();
  std::string folder_;
  os::Fd held_;  // locked as long as this lives; the kernel unlocks it for one that was killed
  std::string name_;
  uint16_t port_ = 0;
  os::Fd tcp_;
  os::Fd local_;
  os::Fd under_way_from_;  // descriptors that nobody receives, counted for a user of the host
  os::Fd under_way_to_;
};

}  // namespace paddock::sandbox
