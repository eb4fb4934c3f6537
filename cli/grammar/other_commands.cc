#include "cli/grammar/other_commands.h"

#include <algorithm>
#include <array>
#include <utility>

namespace paddock::cli {
namespace {

using TheirCommand = std::pair<std::string_view, std::string_view>;

// The words of other tools for our commands.
constexpr std::array kOtherNames = {
    TheirCommand{"ps", "get runs"},
    TheirCommand{"list", "get runs"},
    TheirCommand{"ls", "get runs"},
    TheirCommand{"submit", "run --detach"},
    TheirCommand{"kill", "cancel` or, for a signal, `paddock signal"},
    TheirCommand{"rm", "delete run"},
    TheirCommand{"retry", "rerun"},
    TheirCommand{"restart", "rerun"},
    TheirCommand{"inspect", "describe run"},
    TheirCommand{"attach", "logs --follow"},
    TheirCommand{"tail", "logs --follow"},
    TheirCommand{"start", "up"},
    TheirCommand{"stop", "down"},
    TheirCommand{"download", "artifacts"},
    TheirCommand{"remove", "delete run"},
    TheirCommand{"destroy", "delete run"},
    TheirCommand{"terminate", "cancel"},
    TheirCommand{"abort", "cancel"},
    TheirCommand{"history", "get runs"},
    TheirCommand{"jobs", "get runs"},
    TheirCommand{"job", "get runs"},
    TheirCommand{"pods", "get runs"},
    TheirCommand{"pod", "get runs"},
    TheirCommand{"po", "get runs"},
    TheirCommand{"container", "get runs"},
    TheirCommand{"containers", "get runs"},
    TheirCommand{"app", "get runs"},
    TheirCommand{"queue", "get runs"},
    TheirCommand{"squeue", "get runs"},
    TheirCommand{"sacct", "get runs"},
    TheirCommand{"sinfo", "get nodes"},
    TheirCommand{"srun", "run"},
    TheirCommand{"sbatch", "run --detach"},
    TheirCommand{"scancel", "cancel"},
    TheirCommand{"deploy", "run --detach"},
    TheirCommand{"spawn", "run --detach"},
    TheirCommand{"shell", "exec -it"},
    TheirCommand{"ssh", "exec -it"},
    TheirCommand{"enter", "exec -it"},
    TheirCommand{"console", "exec -it"},
    TheirCommand{"bash", "exec -it"},
    TheirCommand{"sh", "exec -it"},
    TheirCommand{"stats", "top runs"},
    TheirCommand{"htop", "top"},
    TheirCommand{"monitor", "top"},
    TheirCommand{"info", "status"},
    TheirCommand{"cluster-info", "status"},
    TheirCommand{"edit", "apply -f"},
    TheirCommand{"patch", "apply -f"},
    TheirCommand{"replace", "apply -f"},
    TheirCommand{"diff", "apply --dry-run -f"},
    TheirCommand{"python", "execute"},
    TheirCommand{"eval", "execute"},
    TheirCommand{"test", "pytest"},
};

// What they have and we do not, and what there is in its place.
constexpr std::string_view kNoImages =
    "there are no images: a program is the project's or the node's, and packages come by `paddock "
    "run --requirements FILE`";
constexpr std::string_view kNoPorts =
    "no port of a run is reached from outside: what it computes comes back as output and files";
constexpr std::string_view kNoLogin =
    "nothing is logged in to: --server URL and --token-file FILE say which controller and who "
    "(PADDOCK_SERVER, PADDOCK_TOKEN)";
constexpr std::array kNotHere = {
    TheirCommand{"images", kNoImages}, TheirCommand{"image", kNoImages},
    TheirCommand{"pull", kNoImages},   TheirCommand{"push", kNoImages},
    TheirCommand{"rmi", kNoImages},    TheirCommand{"tag", kNoImages},
    TheirCommand{"commit", kNoImages}, TheirCommand{"template", kNoImages},
    TheirCommand{"port", kNoPorts},    TheirCommand{"port-forward", kNoPorts},
    TheirCommand{"expose", kNoPorts},  TheirCommand{"proxy", kNoPorts},
    TheirCommand{"forward", kNoPorts}, TheirCommand{"login", kNoLogin},
    TheirCommand{"logout", kNoLogin},  TheirCommand{"auth", kNoLogin},
    TheirCommand{"config", kNoLogin},  TheirCommand{"context", kNoLogin},
    TheirCommand{"setup", kNoLogin},
};

// The words of other tools for commands about sandboxes.
constexpr std::array kOtherSandboxNames = {
    TheirCommand{"new", "create"},        TheirCommand{"start", "create"},
    TheirCommand{"kill", "destroy"},      TheirCommand{"stop", "destroy"},
    TheirCommand{"ps", "list"},           TheirCommand{"shell", "exec"},
    TheirCommand{"cp", "files"},          TheirCommand{"upload", "files"},
    TheirCommand{"download", "files"},    TheirCommand{"read", "files"},
    TheirCommand{"write", "files"},       TheirCommand{"cat", "files"},
    TheirCommand{"put", "files"},         TheirCommand{"mkdir", "files"},
    TheirCommand{"file", "files"},        TheirCommand{"ssh", "exec"},
    TheirCommand{"connect", "exec"},      TheirCommand{"attach", "exec"},
    TheirCommand{"bash", "exec"},         TheirCommand{"rm", "destroy"},
    TheirCommand{"terminate", "destroy"}, TheirCommand{"sp", "create"},
    TheirCommand{"spawn", "create"},      TheirCommand{"ls", "list"},
};

// Objects of all kinds are looked at and removed by the same commands.
constexpr std::array kVerbs = {
    TheirCommand{"get", "get"},
    TheirCommand{"list", "get"},
    TheirCommand{"ls", "get"},
    TheirCommand{"show", "describe"},
    TheirCommand{"describe", "describe"},
    TheirCommand{"delete", "delete"},
    TheirCommand{"remove", "delete"},
    TheirCommand{"rm", "delete"},
};

template <class Names>
std::string_view meant_by(const Names& names, std::string_view word) {
  const auto found = std::ranges::find(names, word, &TheirCommand::first);
  return found == names.end() ? std::string_view() : found->second;
}

}  // namespace

std::string_view our_command(std::string_view theirs) { return meant_by(kOtherNames, theirs); }

std::string_view instead_of_command(std::string_view theirs) { return meant_by(kNotHere, theirs); }

std::string_view our_sandbox_command(std::string_view theirs) {
  return meant_by(kOtherSandboxNames, theirs);
}

std::string_view our_verb(std::string_view theirs) { return meant_by(kVerbs, theirs); }

std::vector<std::string> other_commands() {
  std::vector<std::string> out;
  for (const TheirCommand& each : kOtherNames) out.emplace_back(each.first);
  for (const TheirCommand& each : kNotHere) out.emplace_back(each.first);
  return out;
}

}  // namespace paddock::cli
