#include "node-agent/host/kept_proof.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <tuple>

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/process.h"
#include "common/wire/json.h"

namespace paddock::agent {
namespace {

using contracts::field;

constexpr size_t kMostKeptBytes = size_t{1} << 20;

struct KeptProof {
  std::string of;
  contracts::SandboxProof proof;
  static constexpr auto describe() {
    return std::tuple{
        field("of", &KeptProof::of, "which launcher, in which boot", {.required = true}),
        field("proof", &KeptProof::proof, "what it proved", {.required = true})};
  }
};

std::string file_of(const std::string& data_dir) { return os::join_path(data_dir, "proof"); }

// Empty if the launcher is not there. A file that was changed has another time or size.
std::string mark_of(const std::string& launcher) {
  struct stat info {};
  const auto self = os::identify(::getpid());
  if (!self || ::stat(launcher.c_str(), &info) != 0) return {};
  return cat(self->boot_id, " ", ::geteuid(), " ", info.st_dev, " ", info.st_ino, " ", info.st_size,
             " ", info.st_mtime, " ", info.st_ctime);
}

}  // namespace

std::optional<contracts::SandboxProof> kept_proof(const std::string& data_dir,
                                                  const std::string& launcher) {
  const auto text = os::read_file(file_of(data_dir), kMostKeptBytes);
  if (!text) return std::nullopt;
  const auto document = wire::parse_json(*text, {.max_bytes = kMostKeptBytes});
  if (!document) return std::nullopt;
  auto kept = wire::decode<KeptProof>(*document);
  const std::string mark = mark_of(launcher);
  if (!kept || mark.empty() || kept->of != mark || kept->proof.canaries.empty())
    return std::nullopt;
  return std::move(kept->proof);
}

void keep_proof(const std::string& data_dir, const std::string& launcher,
                const contracts::SandboxProof& proof) {
  const KeptProof kept{mark_of(launcher), proof};
  const Status written =
      os::write_file_atomic(file_of(data_dir), wire::to_json(wire::encode(kept)));
  if (!written)
    log_warn("what the sandbox proved could not be kept: the agent's next start takes longer",
             {{"error", written.error().describe()}});
}

void forget_proof(const std::string& data_dir) {
  if (::unlink(file_of(data_dir).c_str()) != 0 && errno != ENOENT)
    log_warn("an older proof of the sandbox could not be removed");
}

}  // namespace paddock::agent
