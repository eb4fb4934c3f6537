#include "common/os/packet_socket.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::os {
namespace {

class PacketSocket : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/paddock-packets-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name = "socket") const { return cat(folder_, "/", name); }

 private:
  std::string folder_;
};

TEST_F(PacketSocket, CarriesPacketsWholeWithTheirDescriptors) {
  const Fd listener = listen_packets(path()).value();
  const Fd client = connect_packets(path()).value();
  const auto server = accept_packets(listener.get());
  ASSERT_TRUE(server);
  EXPECT_EQ(peer_user(server->get()).value(), geteuid());
  const Pipe pipe = make_pipe().value();
  const std::array fds = {pipe.write.get(), pipe.read.get()};
  ASSERT_TRUE(send_packet(client.get(), "one", fds).ok());
  ASSERT_TRUE(send_packet(client.get(), "two").ok());
  const Packet first = receive_packet(server->get()).value();
  EXPECT_EQ(first.bytes, "one");
  ASSERT_EQ(first.fds.size(), 2u);
  EXPECT_TRUE(fcntl(first.fds[0].get(), F_GETFD) & FD_CLOEXEC);
  ASSERT_TRUE(write_all(first.fds[0].get(), "x").ok());
  char byte = 0;
  EXPECT_EQ(read(pipe.read.get(), &byte, 1), 1);
  EXPECT_EQ(receive_packet(server->get()).value().bytes, "two");
}

TEST_F(PacketSocket, SaysWhenTheOtherSideIsGone) {
  const Fd listener = listen_packets(path()).value();
  Fd client = connect_packets(path()).value();
  const auto server = accept_packets(listener.get());
  ASSERT_TRUE(server);
  client.reset();
  EXPECT_EQ(receive_packet(server->get()).error().reason, "PEER_GONE");
  EXPECT_EQ(send_packet(server->get(), "x").error().reason, "PEER_GONE");
}

// The kernel tells of its leaving before it hands over what it sent, if it left something unread.
TEST_F(PacketSocket, LosesNothingOfOneThatLeftWithoutReadingAll) {
  const Fd listener = listen_packets(path()).value();
  Fd client = connect_packets(path()).value();
  const auto server = accept_packets(listener.get());
  ASSERT_TRUE(server);
  ASSERT_TRUE(send_packet(client.get(), "last").ok());
  ASSERT_TRUE(send_packet(server->get(), "never read").ok());
  client.reset();
  const auto last = receive_packet(server->get());
  ASSERT_TRUE(last.ok()) << last.error().message;
  EXPECT_EQ(last->bytes, "last");
  EXPECT_EQ(receive_packet(server->get()).error().reason, "PEER_GONE");
}

TEST_F(PacketSocket, IsForItsOwnerOnlyAndReplacesAnOldOne) {
  { const Fd old = listen_packets(path()).value(); }
  EXPECT_EQ(connect_packets(path()).error().reason, "NOT_LISTENING");
  const Fd listener = listen_packets(path()).value();
  struct stat info = {};
  ASSERT_EQ(stat(path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_TRUE(connect_packets(path()).ok());
}

TEST_F(PacketSocket, WorksAtALongPath) {
  const std::string folder = path(std::string(200, 'f'));
  ASSERT_TRUE(std::filesystem::create_directory(folder));
  const Fd listener = listen_packets(folder + "/socket").value();
  EXPECT_TRUE(connect_packets(folder + "/socket").ok());
  EXPECT_EQ(connect_packets(folder + "/other").error().reason, "NOT_LISTENING");
}

TEST_F(PacketSocket, RefusesWhatIsTooLargeForOnePacket) {
  const Fd listener = listen_packets(path()).value();
  const Fd client = connect_packets(path()).value();
  EXPECT_EQ(send_packet(client.get(), std::string(kMaxPacketBytes + 1, 'x')).error().reason,
            "PACKET_TOO_LARGE");
  EXPECT_EQ(send_packet(client.get(), "").error().reason, "PACKET_TOO_LARGE");
}

TEST_F(PacketSocket, SendsAlongWhatIsTooLargeForAPacketAsAFile) {
  const std::string large(3 * kMaxPacketBytes, 'x');
  const auto file = file_in_memory(large);
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(is_regular_file(*file));
  EXPECT_EQ(read_all(file->get(), 1 << 20).value(), large);
}

}  // namespace
}  // namespace paddock::os
