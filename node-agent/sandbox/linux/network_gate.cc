#include "node-agent/sandbox/linux/network_gate.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>

#include "common/base/text.h"
#include "node-agent/sandbox/network.h"

namespace paddock::sandbox {
namespace {

struct AddressArgument {
  NetworkCall call = NetworkCall::kConnect;
  uint64_t address = 0;
  uint64_t length = 0;
  int refusal = ENETUNREACH;
};

AddressArgument find_address(const seccomp_data& data) {
  if (data.nr == SYS_bind) return {NetworkCall::kBind, data.args[1], data.args[2], EACCES};
  if (data.nr == SYS_sendto) return {NetworkCall::kSend, data.args[4], data.args[5], ENETUNREACH};
  return {NetworkCall::kConnect, data.args[1], data.args[2], ENETUNREACH};
}

std::string read_memory(pid_t pid, uint64_t address, uint64_t length) {
  char bytes[128];
  const iovec to{bytes, std::min<uint64_t>(length, sizeof bytes)};
  const iovec from{reinterpret_cast<void*>(address), to.iov_len};
  const ssize_t n = process_vm_readv(pid, &to, 1, &from, 1, 0);
  return n > 0 ? std::string(bytes, static_cast<size_t>(n)) : std::string();
}

std::string executable_of(pid_t pid) {
  char path[1024];
  const ssize_t n = readlink(cat("/proc/", pid, "/exe").c_str(), path, sizeof path);
  return n > 0 ? to_utf8_lossy({path, static_cast<size_t>(n)}) : std::string();
}

}  // namespace

void answer_network_call(int listener, DenialList& denials) {
  seccomp_notif call{};
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) return;  // its caller has died
  const auto pid = static_cast<pid_t>(call.pid);
  const AddressArgument argument = find_address(call.data);
  const auto address = read_socket_address(read_memory(pid, argument.address, argument.length));
  std::string executable = executable_of(pid);
  // Only now is it certain that what was read belongs to the caller and not to a later owner of its
  // pid.
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &call.id) != 0) return;
  seccomp_notif_resp answer{};
  answer.id = call.id;
  if (address && address->local) {
    answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  } else if (!address) {
    answer.error = -EFAULT;
  } else {
    answer.error = -argument.refusal;
    denials.add(network_denial(argument.call, *address, std::move(executable)));
  }
  (void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);  // fails only if the caller has died
}

}  // namespace paddock::sandbox
