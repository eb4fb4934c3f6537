// This node's credential while the agent runs. Code that talks to the controller asks for it at
// each request, so it can be replaced while runs are under way: by the agent itself when it is old,
// or by somebody who ran `paddock node rotate` here.
#pragma once

#include <memory>
#include <string>

#include "common/base/guarded.h"
#include "common/base/time.h"
#include "common/client/controller_client.h"
#include "node-agent/base/regularly.h"

namespace paddock::agent {

class Credentials {
 public:
  Credentials(http::Endpoint controller, std::string data_dir);

  // Where the controller is, for this node; its token is always the current one.
  http::Endpoint endpoint() const;
  std::string token() const;
  void set_token(const std::string& token);
  // Takes what is on the disk; whether that is another one.
  bool reload();
  // When the one on the disk was stored; none if there is none.
  std::optional<WallTime> stored_at() const;
  const std::string& data_dir() const { return data_dir_; }

 private:
  http::Endpoint controller_;
  std::string data_dir_;
  std::shared_ptr<Guarded<std::string>> token_ = std::make_shared<Guarded<std::string>>();
};

// Whether a credential stored then is to be replaced now. One from the future is: the clock was
// set.
bool rotation_due(std::optional<WallTime> stored_at, Millis period, WallTime now);

// Looks every second or two until destroyed.
class CredentialKeeper {
 public:
  CredentialKeeper(Credentials& credentials, std::string node, Millis period, const Clock& clock);
  ~CredentialKeeper();
  CredentialKeeper(const CredentialKeeper&) = delete;
  CredentialKeeper& operator=(const CredentialKeeper&) = delete;

 private:
  void look();
  void rotate();

  Credentials& credentials_;
  const std::string node_;
  const Millis period_;
  const Clock& clock_;
  MonoTime not_before_{};  // after a failure
  client::ControllerClient client_;
  Regularly looking_;  // the last member: it uses the others
};

}  // namespace paddock::agent
