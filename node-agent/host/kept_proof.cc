#include "node-agent/host/kept_proof.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

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
  static constexpr auto describe(auto&& visit) {
    return visit(field("of", &KeptProof::of, "which launcher, in which boot", {.required = true}),
                 field("proof", &KeptProof::proof, "what it proved", {.required = true}));
  }
};

std::string file_of(const std::string& data_dir) { return os::join_path(data_dir, "proof"); }

// A unit or a container that was changed may have taken some away, in the same boot.
std::string privileges() {
  const Result<std::string> status = os::read_file("/proc/self/status");
  std::string out;
  for (const std::string_view line : split(status.ok() ? *status : "", '\n')) {
    const bool told = line.starts_with("CapEff:") || line.starts_with("CapBnd:") ||
                      line.starts_with("NoNewPrivs:") || line.starts_with("Seccomp:");
    if (told) out += cat(" ", line);
  }
  return out;
}

std::string moment(const timespec& time) { return cat(time.tv_sec, ".", time.tv_nsec); }

}  // namespace

// A file that was changed has another time or size.
std::string proof_mark(const std::string& launcher) {
  struct stat info {};
  const auto self = os::identify(::getpid());
  if (!self || ::stat(launcher.c_str(), &info) != 0) return {};
  return cat(self->boot_id, " ", ::geteuid(), " ", info.st_dev, " ", info.st_ino, " ", info.st_size,
             " ", moment(info.st_mtim), " ", moment(info.st_ctim), privileges());
}

std::optional<contracts::SandboxProof> kept_proof(const std::string& data_dir,
                                                  const std::string& launcher) {
  const auto text = os::read_file(file_of(data_dir), kMostKeptBytes);
  if (!text) return std::nullopt;
  const auto document = wire::parse_json(*text, {.max_bytes = kMostKeptBytes});
  if (!document) return std::nullopt;
  auto kept = wire::decode<KeptProof>(*document);
  const std::string mark = proof_mark(launcher);
  if (!kept || mark.empty() || kept->of != mark || kept->proof.canaries.empty())
    return std::nullopt;
  return std::move(kept->proof);
}

void keep_proof(const std::string& data_dir, const std::string& mark,
                const contracts::SandboxProof& proof) {
  const KeptProof kept{mark, proof};
  const Status written = os::write_file_atomic(file_of(data_dir), wire::encode_json(kept));
  if (!written)
    log_warn("what the sandbox proved could not be kept: the agent's next start takes longer",
             {{"error", written.error().describe()}});
}

void forget_proof(const std::string& data_dir) {
  if (::unlink(file_of(data_dir).c_str()) != 0 && errno != ENOENT)
    log_warn("an older proof of the sandbox could not be removed");
}

}  // namespace paddock::agent
