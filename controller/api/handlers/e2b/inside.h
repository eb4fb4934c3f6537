// A session as the routes of E2B's tools ask for it, by requests of this API itself.
#pragma once

#include "common/contracts/sandbox.h"
#include "common/contracts/session_calls.h"
#include "controller/api/server/own_request.h"

namespace paddock::api {

// One sandbox of the caller's namespace. The name came from outside: one that no session can have
// is SANDBOX_NOT_FOUND.
class E2bSandbox {
 public:
  static Result<E2bSandbox> in_path(Call& call);    // {id}
  static Result<E2bSandbox> in_header(Call& call);  // E2b-Sandbox-Id
  // The collection that they are all in.
  static OwnRequest collection(const Call& call, std::string method);

  OwnRequest request(std::string method, std::vector<std::string> below = {}) const;
  // NotFound (SANDBOX_NOT_FOUND) where it has ended, also.
  Result<contracts::Sandbox> get() const;
  // The same for a caller that is going to change the session: its token may have the scope for
  // changes and none for reading.
  Result<contracts::Sandbox> get_to_change() const;
  Result<contracts::Sandbox> patch(const wire::Value& spec) const;
  // 2xx, or the refusal. Not of what streams.
  Result<Response> ask(OwnRequest wanted) const;
  // A file or folder beneath its folder, as inner_path() gives it.
  OwnRequest file(std::string method, std::string_view inner) const;
  // NotFound (FILE_NOT_FOUND); InvalidArgument (INVALID_FIELD) for a file.
  Result<contracts::SessionFileList> list(std::string_view inner) const;

  Call& call() const { return call_; }

 private:
  E2bSandbox(Call& call, std::string name) : call_(call), name_(std::move(name)) {}
  static Result<E2bSandbox> named(Call& call, std::string name);

  Call& call_;
  std::string name_;
};

Result<contracts::Sandbox> read_session(const Response& answer);

}  // namespace paddock::api
