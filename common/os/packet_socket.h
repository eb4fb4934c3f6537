// Unix sockets that carry whole packets with descriptors, between programs of one host. Every
// descriptor is close-on-exec. A path of any length works.
#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/os/fd.h"

namespace paddock::os {

// Whether this system has them. Without, there are no serving launchers: each run starts its own,
// and what needs one (sessions, short code) is not offered.
#ifdef __APPLE__
inline constexpr bool kPacketSockets = false;
#else
inline constexpr bool kPacketSockets = true;
#endif

inline constexpr size_t kMaxPacketBytes = size_t{4} << 10;
inline constexpr size_t kMaxPacketFds = 16;

// The socket's file is made anew, for its owner only. The caller sees to it that nobody else
// listens there.
Result<Fd> listen_packets(const std::string& path);
// Unavailable, NOT_LISTENING, if nobody does.
Result<Fd> connect_packets(const std::string& path);
// Waits for a peer. Nothing, if there was none after all.
std::optional<Fd> accept_packets(int listener);
// The user who connected, as the kernel says.
Result<uid_t> peer_user(int socket);

struct Packet {
  std::string bytes;
  std::vector<Fd> fds;
};
// Blocks only when the peer is slow; Unavailable, PEER_GONE, if it has left.
Status send_packet(int socket, std::string_view bytes, std::span<const int> fds = {});
// What is too large for a packet, to be sent along with one: a file in no folder, at its beginning.
Result<Fd> file_in_memory(std::string_view bytes);
// Blocks for the next packet; Unavailable, PEER_GONE, if there will be none. A packet that is too
// large, or has too many descriptors, is refused.
Result<Packet> receive_packet(int socket);

}  // namespace paddock::os
