#include "controller/api/server/host_faults.h"

#include <array>
#include <cerrno>

#include <gtest/gtest.h>

namespace paddock::api {
namespace {

Error told(int errno_value) { return as_passing(system_error("opening /data/x", errno_value)); }

TEST(HostFaults, AreNoAnswerAboutWhatWasAskedForWhateverTheKernelSays) {
  constexpr std::array kFaults = {EACCES, EPERM,  ENOENT,  EEXIST, ENOTDIR,      EISDIR,   ELOOP,
                                  EMFILE, ENFILE, EROFS,   EIO,    ESTALE,       EBUSY,    ENOMEM,
                                  EAGAIN, ENXIO,  ETXTBSY, EMLINK, ENAMETOOLONG, ENOTEMPTY};
  for (const int fault : kFaults) {
    const Error error = told(fault);
    EXPECT_EQ(error.code, Code::kUnavailable) << fault;
    EXPECT_EQ(error.reason, "STORE_IO") << fault;
    EXPECT_EQ(error.describe().find("/data"), std::string::npos) << fault;
  }
}

TEST(HostFaults, OfADiskOrAQuotaThatIsFullAreToldAsThat) {
  for (const int fault : {ENOSPC, EDQUOT}) {
    const Error error = told(fault);
    EXPECT_EQ(error.code, Code::kResourceExhausted) << fault;
    EXPECT_EQ(error.reason, "DISK_FULL") << fault;
    EXPECT_EQ(error.describe().find("/data"), std::string::npos) << fault;
  }
}

TEST(HostFaults, OfOthersStayAsTheyAre) {
  Error of_a_node = system_error("opening a file", ENOENT);
  of_a_node.code = Code::kUnavailable;  // as the answer to a call
  EXPECT_EQ(as_passing(of_a_node).reason, "SYSTEM_ERROR");
  const Error of_a_request{Code::kNotFound, "RUN_NOT_FOUND", "there is no such run"};
  EXPECT_EQ(as_passing(of_a_request).code, Code::kNotFound);
  EXPECT_EQ(as_passing(Error{Code::kInternal, "STORE_CORRUPT"}).reason, "STORE_CORRUPT");
}

}  // namespace
}  // namespace paddock::api
