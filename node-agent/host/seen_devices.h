// Remembers the accelerators that were found on this host, by this agent process or an earlier one,
// so that one that is gone stays listed. A file with a line of JSON for each, read at every look:
// to have a device forgotten, an operator removes its line. Not thread-safe.
#pragma once

#include <string>
#include <vector>

#include "node-agent/devices/accelerator.h"

namespace paddock::agent {

class SeenDevices {
 public:
  explicit SeenDevices(std::string path) : path_(std::move(path)) {}

  // `found`, then `declared` (which are the operator's to name and are never remembered), then what
  // was found before and is gone, with that as its fault. Lines that cannot be read are dropped;
  // while the file cannot be written, what it should say is kept here.
  std::vector<devices::Accelerator> with_gone(std::vector<devices::Accelerator> found,
                                              const std::vector<devices::Accelerator>& declared);

 private:
  std::vector<devices::Accelerator> seen() const;
  void remember(const std::vector<devices::Accelerator>& devices);

  const std::string path_;
  std::string unwritten_;  // what the file should say
};

}  // namespace paddock::agent
