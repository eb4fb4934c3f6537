// macOS has no sockets that keep packets apart: see kPacketSockets.
#include "common/os/packet_socket.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "common/os/file_names.h"

namespace paddock::os {
namespace {

Error not_here() {
  return {Code::kUnavailable, "NOT_LISTENING", "this system has no packet sockets"};
}

}  // namespace

Result<Fd> listen_packets(const std::string&) { return not_here(); }
Result<Fd> connect_packets(const std::string&) { return not_here(); }
std::optional<Fd> accept_packets(int) { return std::nullopt; }
Result<uid_t> peer_user(int) { return not_here(); }
Status send_packet(int, std::string_view, std::span<const int>) { return not_here(); }
Result<Packet> receive_packet(int) { return not_here(); }

Result<Fd> file_in_memory(std::string_view bytes) {
  const char* folder = std::getenv("TMPDIR");
  Fd file = nameless_file(folder != nullptr && folder[0] == '/' ? folder : "/tmp");
  if (!file.valid()) return system_error("making a nameless file", errno);
  TRY(write_all(file.get(), bytes));
  if (::lseek(file.get(), 0, SEEK_SET) != 0) return system_error("a nameless file", errno);
  return file;
}

}  // namespace paddock::os
