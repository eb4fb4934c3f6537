#include "common/client/node_identity.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "common/base/text.h"
#include "common/crypto/digest.h"
#include "common/os/file.h"
#include "common/os/file_names.h"
#include "common/os/lock_file.h"

namespace paddock::client {
namespace {

constexpr size_t kMaxSecret = 16384;

std::string identity_path(const std::string& data_dir) {
  return os::join_path(data_dir, "identity");
}
std::string credential_path(const std::string& data_dir) {
  return os::join_path(data_dir, "credential");
}

std::string previous_path(const std::string& data_dir) {
  return os::join_path(data_dir, "credential.previous");
}

Status remove_file(const std::string& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
  return system_error("removing a file of the node's identity", errno);
}

}  // namespace

std::string trimmed_file(const std::string& path) {
  const auto text = os::read_file(path, kMaxSecret);
  return text ? std::string(trim(*text)) : std::string();
}

Result<std::string> ensure_identity(const std::string& data_dir, Random& random) {
  const std::string path = identity_path(data_dir);
  std::string identity = trimmed_file(path);
  if (!identity.empty()) return identity;
  identity = crypto::make_token(random, "pdi");
  TRY(os::write_file_atomic(path, cat(identity, "\n"), 0600));
  return identity;
}

std::string stored_credential(const std::string& data_dir) {
  return trimmed_file(credential_path(data_dir));
}

Status store_credential(const std::string& data_dir, const std::string& credential) {
  return os::write_file_atomic(credential_path(data_dir), cat(credential, "\n"), 0600);
}

bool swap_credentials(const std::string& data_dir) {
  const std::string previous = trimmed_file(previous_path(data_dir));
  if (previous.empty() || previous == stored_credential(data_dir)) return false;
  return os::swap_names(credential_path(data_dir), previous_path(data_dir));
}

Status forget_identity(const std::string& data_dir) {
  TRY(remove_file(credential_path(data_dir)));
  TRY(remove_file(previous_path(data_dir)));
  return remove_file(identity_path(data_dir));
}

http::Endpoint with_enroll_token(http::Endpoint endpoint, const std::string& secret) {
  endpoint.token = secret;
  endpoint.live_token = nullptr;
  return endpoint;
}

Result<Enrolled> enroll(ControllerClient& client, const std::string& node,
                        const std::map<std::string, std::string>& labels,
                        const std::string& data_dir, Random& random) {
  contracts::EnrollRequest request;
  ASSIGN_OR_RETURN(request.identity, ensure_identity(data_dir, random));
  request.labels = labels;
  ASSIGN_OR_RETURN(const contracts::EnrollAnswer answer, client.enroll(node, request));
  return Enrolled{answer.credential, client.clock_gap()};
}

Result<std::string> rotate_credential(ControllerClient& client, const std::string& node,
                                      const std::string& data_dir) {
  ASSIGN_OR_RETURN(const os::LockFile lock,
                   os::LockFile::acquire(os::join_path(data_dir, "credential.lock")));
  ASSIGN_OR_RETURN(std::string next, client.next_credential(node));
  TRY(os::write_file_atomic(previous_path(data_dir), cat(stored_credential(data_dir), "\n"), 0600));
  TRY(store_credential(data_dir, next));
  return next;
}

}  // namespace paddock::client
