#include "controller/http_server/unix_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::http_server {
namespace {

Error path_invalid(std::string message) {
  return invalid_argument("UNIX_SOCKET_PATH_INVALID", std::move(message));
}

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path || path.find('\0') != std::string::npos) {
    return path_invalid(
        cat("the path of a unix socket may have at most ", sizeof address.sun_path - 1, " bytes"));
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

Result<os::Fd> make_socket() {
  os::Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return system_error("making a unix socket", errno);
  return fd;
}

Status check_unused(const sockaddr_un& address) {
  ASSIGN_OR_RETURN(const os::Fd probe, make_socket());
  if (::connect(probe.get(), generic(address), sizeof address) == 0 || errno != ECONNREFUSED) {
    return Error{Code::kFailedPrecondition, "UNIX_SOCKET_IN_USE",
                 "another process listens on the unix socket"};
  }
  return {};
}

// Whether a socket that nobody listens on is in the way; what is no socket at that path is not
// ours.
Result<bool> has_stale(const std::string& path, const sockaddr_un& address) {
  // The path ends with a dot, so that a file in place of the folder is reported as such.
  if (::access(os::join_path(os::folder_of(path), ".").c_str(), W_OK | X_OK) != 0)
    return path_invalid(system_error("no unix socket can be made in its folder", errno).message);
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return false;
  if (!S_ISSOCK(found.st_mode))
    return path_invalid("there is another kind of file at the path of the unix socket");
  TRY(check_unused(address));
  return true;
}

Status remove_stale(const std::string& path, const sockaddr_un& address) {
  ASSIGN_OR_RETURN(const bool stale, has_stale(path, address));
  if (!stale) return {};
  if (::unlink(path.c_str()) != 0 && errno != ENOENT)
    return system_error("removing a stale unix socket", errno);
  return {};
}

}  // namespace

Result<UnixListener> listen_on_unix_socket(const std::string& path, int backlog) {
  ASSIGN_OR_RETURN(const sockaddr_un address, address_of(path));
  TRY(remove_stale(path, address));
  UnixListener out;
  ASSIGN_OR_RETURN(out.fd, make_socket());
  // On Linux the file gets the mode of its socket: there is no moment in which others may connect.
  if (::fchmod(out.fd.get(), 0600) != 0) return system_error("protecting the unix socket", errno);
  if (::bind(out.fd.get(), generic(address), sizeof address) != 0)
    return system_error("binding the unix socket", errno);
  struct stat made {};
  if (::lstat(path.c_str(), &made) != 0) return system_error("reading the unix socket", errno);
  out.device = made.st_dev;
  out.inode = made.st_ino;
  if (::chmod(path.c_str(), 0600) != 0 || ::listen(out.fd.get(), backlog) != 0) {
    return system_error("listening on the unix socket", errno);
  }
  return out;
}

Status try_unix_socket(const std::string& path) {
  ASSIGN_OR_RETURN(const sockaddr_un address, address_of(path));
  const Result<bool> stale = has_stale(path, address);
  return stale.ok() ? Status() : Status(stale.error());
}

}  // namespace paddock::http_server
