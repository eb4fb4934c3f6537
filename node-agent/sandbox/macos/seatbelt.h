// The profile that macOS's sandbox-exec puts on a command, as text in its language (SBPL). Pure.
// Everything is denied that no rule allows; of the rules that match, the last one decides.
//
// The home folder has no rule of its own: a workspace may lie in it, and nothing else of it is
// named. Only names, sizes and dates of the folders on the way to what is allowed can be seen.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace paddock::sandbox {

struct SeatbeltFolder {
  std::string path;
  bool writable = false;
};

// Paths as the kernel knows them: absolute, without links.
struct SeatbeltView {
  std::vector<SeatbeltFolder> folders;  // workspace, venv, mounts of the policy
  std::string scratch;                  // the run's own temporary folder
  std::vector<std::string> files;       // read-only: our own helper, the policy
  bool gpu = false;  // the GPU and the Neural Engine of Apple silicon, for Metal and Core ML
};

// UNSUPPORTED_PATH for a path that a profile cannot name safely, or that would name everything.
Result<std::string> render_seatbelt(const SeatbeltView& view);

}  // namespace paddock::sandbox
