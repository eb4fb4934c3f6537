// Compares mount tables by groups, to find what every run sees and what can thus be made before
// there is a request. A group is everything in one folder of the root. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "node-agent/sandbox/plan/mount_table.h"

namespace paddock::sandbox {

// "/etc" for /etc and all below it. Lives as long as the entry.
std::string_view top_folder(const MountEntry& entry);

// The table without `common`, in its order; with the scratch space first, if that has another size.
// Nothing if the table does not have all of `common`, or has more in one of its folders.
std::optional<std::vector<MountEntry>> beyond(const std::vector<MountEntry>& table,
                                              const std::vector<MountEntry>& common);

// The folders in which both tables have the same, in the order in which they begin. Left out:
// what is not a folder but a link, and /proc, which is a run's own.
std::vector<std::string> same_folders(const std::vector<MountEntry>& table,
                                      const std::vector<MountEntry>& common);

}  // namespace paddock::sandbox
