// Whether something was put over parts of /proc, as container runtimes do (masked and read-only
// paths, the NVIDIA runtime's own files). The kernel then refuses a sandbox a /proc of its own.
#pragma once

#include <string_view>

namespace paddock::sandbox {

// From the text of /proc/self/mountinfo. Mounts on folders that are empty by design
// (binfmt_misc) cover nothing.
bool covers_proc(std::string_view mountinfo);

}  // namespace paddock::sandbox
