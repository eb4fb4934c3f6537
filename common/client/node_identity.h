// Who a node is to its controller: files in the agent's data folder, readable by it alone.
//   identity     a secret made once; it alone may enrol this node's name again
//   credential   the token that the node calls with; on disk before it is used
//   credential.previous   the one before it, for a controller whose store was restored
// Joining by `paddock node join` and by the agent's own first start are the same.
#pragma once

#include <map>
#include <string>

#include "common/base/random.h"
#include "common/client/controller_client.h"

namespace paddock::client {

// The text of a small file, without blanks at its ends; empty if it cannot be read.
std::string trimmed_file(const std::string& path);
// Reads or makes the identity.
Result<std::string> ensure_identity(const std::string& data_dir, Random& random);
// The stored credential, or empty.
std::string stored_credential(const std::string& data_dir);
Status store_credential(const std::string& data_dir, const std::string& credential);
// Exchanges the credential and the one before it; false if there is no other one.
bool swap_credentials(const std::string& data_dir);
// The node has left: none is of use any more.
Status forget_identity(const std::string& data_dir);

struct Enrolled {
  std::string credential;
  Millis clock_gap{0};  // how far the controller's clock is ahead of this host's
};
// Where to enrol: an enrolment token's secret in place of whatever `endpoint` calls with.
http::Endpoint with_enroll_token(http::Endpoint endpoint, const std::string& secret);
// Enrols `node` by `client`, which calls with_enroll_token(). The same identity may repeat it, so
// that an answer may be lost.
Result<Enrolled> enroll(ControllerClient& client, const std::string& node,
                        const std::map<std::string, std::string>& labels,
                        const std::string& data_dir, Random& random);
// Asks for the node's next credential by `client`, which calls with the stored one, and stores it.
// The older one is good until the new one is used, so that nothing is lost if this ends halfway.
// FailedPrecondition (LOCK_HELD): another process is at it.
Result<std::string> rotate_credential(ControllerClient& client, const std::string& node,
                                      const std::string& data_dir);

}  // namespace paddock::client
