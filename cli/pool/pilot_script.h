// Makes what Slurm is given for a pilot: the words of sbatch and the script. Neither holds a
// secret: Slurm stores scripts and shows command lines to others. Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/pool/pilots.h"
#include "cli/pool/settings.h"

namespace paddock::cli {

// Behind the program's own name. The script comes by standard input.
std::vector<std::string> sbatch_words(const PoolSettings& settings, const std::string& key,
                                      const PilotSize& size);

// Starts an agent that offers what the allocation has, and removes its data afterwards; on several
// nodes, one on each. An agent waits for the token of its own in `settings.folder`.
std::string pilot_script(const PoolSettings& settings);

// Files of `settings.folder`, by which both sides know them.
std::string token_file(const std::string& folder, const std::string& pilot);
std::string ca_file(const std::string& folder);
std::string logs_folder(const std::string& folder);

}  // namespace paddock::cli
