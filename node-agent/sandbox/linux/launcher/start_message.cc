#include "node-agent/sandbox/linux/launcher/start_message.h"

#include <errno.h>
#include <poll.h>

#include <array>

#include "common/contracts/launch.h"
#include "common/os/fd.h"
#include "common/os/packet_socket.h"

namespace paddock::sandbox {

std::optional<StartMessage> receive_start_message(int client, int signals) {
  constexpr size_t kMaxBytes = size_t{16} << 20;
  std::array<pollfd, 2> fds = {{{signals, POLLIN, 0}, {client, POLLIN, 0}}};
  while (poll(fds.data(), fds.size(), -1) < 0) {
    if (errno != EINTR) return std::nullopt;
  }
  if (fds[0].revents != 0) return std::nullopt;
  const auto packet = os::receive_packet(client);
  if (!packet.ok()) return std::nullopt;
  const std::string_view bytes = packet->bytes;
  const size_t line_end = bytes.find('\n');
  const auto begun = contracts::begun(bytes.substr(0, line_end));
  if (!begun) return std::nullopt;
  if (line_end != bytes.npos) return StartMessage{std::string(bytes.substr(line_end + 1)), *begun};
  // The argument is read to its end, and only a regular file is sure to have one.
  if (packet->fds.size() != 1 || !os::is_regular_file(packet->fds[0])) return std::nullopt;
  auto argument = os::read_all(packet->fds[0].get(), kMaxBytes);
  if (!argument.ok()) return std::nullopt;
  return StartMessage{std::move(*argument), *begun};
}

}  // namespace paddock::sandbox
