// Decides which of the files below /proc (proc_contents.h) a launcher makes once for all its runs,
// and what is mounted as one: a file, or a folder with all that is in it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "node-agent/sandbox/plan/proc_contents.h"

namespace paddock::sandbox {

// The name on which this path's file is mounted: a name in /proc itself or, below sys, the one name
// that describes the run while those around it describe the machine. Lives as long as the path.
std::string_view proc_cover(std::string_view path);
// The covers of a table, each once. One that lies in another follows it.
std::vector<std::string> proc_covers(const std::vector<ProcFile>& table);

// Whether the cover is each run's own from the start, because it shows the run's limits, its view
// or the time.
bool is_of_one_run(std::string_view cover);
// Whether the cover is a run's own because it differs from what its launcher has ready for all.
bool differs(std::string_view cover, const std::vector<ProcFile>& table,
             const std::vector<ProcFile>& ready);

}  // namespace paddock::sandbox
