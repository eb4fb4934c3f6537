// Opens folders and begins to read each, for which the kernel keeps names that it charges to
// nobody. `disk`: by processes as many as it takes. `layers FOLDER`: one folder of an overlay,
// whose list of names is made anew each time it has changed; `removed FOLDER`: the names are gone
// when it is looked for. `sent`: all of them on their way through sockets. `sending`: by threads
// that wait for room in a socket, for what was closed meanwhile. Each prints `HELD n`, waits, and
// begins again: who holds too much is ended before. `hidden` and `hidden-sending` are `disk` and
// `sending` by who lets no ordinary user look at it. `honest`: some hundred folders, and lets go.
#include <fcntl.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <atomic>
#include <string>
#include <string_view>
#include <thread>

#include "probe.h"

namespace {

// All in one block of the disk.
constexpr int kOfABlock = 335;
constexpr int kLongNames = 3000;

void make_file(const std::string& path) { close(open(path.c_str(), O_CREAT | O_WRONLY, 0600)); }

std::string long_name(const std::string& folder, int number) {
  return folder + '/' + std::string(200, 'n') + std::to_string(number);
}

void make_block(const std::string& folder) {
  mkdir(folder.c_str(), 0700);
  for (int i = 0; i < kOfABlock; ++i) make_file(folder + '/' + std::to_string(i));
}

int open_and_read(const char* folder) {
  const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  alignas(8) char one_name[256];
  if (fd >= 0) syscall(SYS_getdents64, fd, one_name, sizeof one_name);
  return fd;
}

[[noreturn]] void say_held(long number) {
  std::printf("HELD %ld\n", number);
  std::fflush(stdout);
  for (;;) pause();
}

int fill_table() {
  int out = 0;
  while (open_and_read("block") >= 0) ++out;
  return out;
}

[[noreturn]] void hoard_blocks() {
  make_block("block");
  int ready[2] = {};
  if (pipe(ready) != 0) _exit(3);
  long held = 0;
  for (int child = 0; child < 20; ++child) {
    const pid_t pid = fork();
    if (pid == 0) {
      const int mine = fill_table();
      if (write(ready[1], &mine, sizeof mine) < 0) _exit(3);
      for (;;) pause();
    }
    int its = 0;
    if (pid > 0 && read(ready[0], &its, sizeof its) == sizeof its) held += its;
  }
  say_held(held);
}

// Each reader of an unchanged folder has the list of the last one.
[[noreturn]] void hoard_lists(const std::string& folder, bool removes) {
  for (int i = 0; i < kLongNames; ++i) make_file(long_name(folder, i));
  long held = 0;
  while (held < 200 && open_and_read(folder.c_str()) >= 0) {
    make_file(folder + "/changed");
    unlink((folder + "/changed").c_str());
    ++held;
  }
  for (int i = 0; removes && i < kLongNames; ++i) unlink(long_name(folder, i).c_str());
  say_held(held);
}

bool send(int socket, int fd) {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof fd)> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof fd);
  std::memcpy(CMSG_DATA(head), &fd, sizeof fd);
  return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
}

[[noreturn]] void hoard_in_sockets() {
  make_block("block");
  long held = 0;
  for (int ends[2]; socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0;) {
    for (int fd = 0; (fd = open_and_read("block")) >= 0; ++held) {
      const bool sent = send(ends[0], fd);
      close(fd);
      if (!sent) break;
    }
  }
  say_held(held);
}

constexpr int kOfAMessage = 253;

// Ends when the folders it was given are no longer there, as after a signal.
[[noreturn]] void send_folders(const std::array<int, kOfAMessage>& folders, int ready) {
  int ends[2];
  static char bytes[4096];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) _exit(3);
  while (::send(ends[0], bytes, sizeof bytes, MSG_DONTWAIT) > 0) {
  }
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof folders)> control{};
  iovec part{bytes, 1};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof folders);
  std::memcpy(CMSG_DATA(head), folders.data(), sizeof folders);
  (void)!write(ready, "r", 1);
  (void)sendmsg(ends[0], &message, 0);
  for (;;) pause();
}

bool waits_in_a_call(int task) {
  char state[256] = {};
  const std::string name = "/proc/self/task/" + std::to_string(task) + "/wchan";
  const int fd = open(name.c_str(), O_RDONLY | O_CLOEXEC);
  const bool read_it = fd >= 0 && read(fd, state, sizeof state - 1) > 0;
  if (fd >= 0) close(fd);
  return read_it && std::string_view(state).find("sock_alloc") != std::string_view::npos;
}

[[noreturn]] void hoard_while_sending() {
  make_block("block");
  // Small, as the private memory of a process is all that some hosts can bound.
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 << 10);
  pthread_setattr_default_np(&small);
  int ready[2];
  if (pipe(ready) != 0) _exit(3);
  long held = 0;
  for (int i = 0; i < 25; ++i) {
    std::array<int, kOfAMessage> folders{};
    for (int& each : folders) each = open_and_read("block");
    if (folders.back() < 0) break;
    std::atomic<int> task{0};
    std::thread([&, folders] {
      task = static_cast<int>(syscall(SYS_gettid));
      send_folders(folders, ready[1]);
    }).detach();
    char byte = 0;
    (void)!read(ready[0], &byte, 1);
    for (int tries = 0; tries < 100 && !waits_in_a_call(task); ++tries) usleep(1000);
    for (const int each : folders) close(each);
    held += kOfAMessage;
  }
  say_held(held);
}

int be_honest() {
  constexpr int kFolders = 500;
  make_block("block");
  int held = 0;
  while (held < kFolders && open_and_read("block") >= 0) ++held;
  sleep(1);
  std::printf("HELD %d\n", held);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  rlimit most{};
  getrlimit(RLIMIT_NOFILE, &most);
  most.rlim_cur = most.rlim_max;
  setrlimit(RLIMIT_NOFILE, &most);
  const std::string_view how = argc > 1 ? argv[1] : "disk";
  if (how == "honest") return be_honest();
  take_again_and_again([&] {
    if (how.starts_with("hidden")) prctl(PR_SET_DUMPABLE, 0);
    if (how == "sent") hoard_in_sockets();
    if (how.ends_with("sending")) hoard_while_sending();
    if (argc > 2) hoard_lists(argv[2], how == "removed");
    hoard_blocks();
  });
}
