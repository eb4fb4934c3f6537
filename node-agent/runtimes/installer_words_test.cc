#include "node-agent/runtimes/installer_words.h"

#include <gtest/gtest.h>

namespace paddock::runtimes {
namespace {

TEST(InstallerWords, PipsFirstErrorIsTheVerdict) {
  EXPECT_EQ(
      installer_verdict("Looking in links: /wheels\n"
                        "ERROR: Could not find a version that satisfies the requirement x==1\n"
                        "ERROR: No matching distribution found for x==1\n"),
      "Could not find a version that satisfies the requirement x==1");
  EXPECT_EQ(installer_verdict("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES\n    x from y:\n"
                              "        Expected sha256 aa\n             Got        bb\n"),
            "THESE PACKAGES DO NOT MATCH THE HASHES");
}

TEST(InstallerWords, EachOfSeveralIsALineOfItsOwnWithItsPlaceInTheFile) {
  const std::string verdict = installer_verdict(
      "ERROR: Cannot install paddock-a==1 and paddock-b because these package versions have "
      "conflicting dependencies.\n\nThe conflict is caused by:\n"
      "    The user requested Paddock_A==1\n    paddock-b 2 depends on paddock-a>1\n\n"
      "To fix this you could try to:\nERROR: ResolutionImpossible: for help visit https://x\n");
  EXPECT_EQ(with_places(verdict, {{"paddock-a", "requirements.txt line 3"}}),
            "Cannot install paddock-a==1 and paddock-b because these package versions have "
            "conflicting dependencies.\n"
            "The user requested Paddock_A==1 (requirements.txt line 3)\n"
            "paddock-b 2 depends on paddock-a>1");
  EXPECT_EQ(with_places("satisfies the requirement x==1 (from versions: none)",
                        {{"x", "a/r.txt line 2"}, {"xy", "b"}}),
            "satisfies the requirement x==1 (from versions: none) (a/r.txt line 2)");
  EXPECT_EQ(with_places("satisfies the requirement xyz", {{"x", "a"}, {"xy", "b"}}),
            "satisfies the requirement xyz");
}

TEST(InstallerWords, AnIndexThatCouldNotBeReachedIsSaid) {
  EXPECT_EQ(installer_verdict("WARNING: Retrying (Retry(total=4)) after connection broken by "
                              "'SSLError'\nERROR: No matching distribution found for x\n"),
            "No matching distribution found for x; the index could not be reached: "
            "(Retry(total=4)) after connection broken by 'SSLError'");
}

// The cause is at the end of a line that is longer than what is shown.
TEST(InstallerWords, WhyAnIndexWasNotReachedIsNotCutOff) {
  const std::string retry =
      "WARNING: Retrying (Retry(total=4, connect=None, read=None, redirect=None, status=None)) "
      "after connection broken by ";
  const std::string error = "\nERROR: No matching distribution found for pandas\n";
  const std::string said = "No matching distribution found for pandas; the index ";
  EXPECT_EQ(installer_verdict(
                "Looking in indexes: https://pypi.test/simple\n" + retry +
                "'NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object at "
                "0x7f2a>: Failed to establish a new connection: [Errno -2] Name or service not "
                "known')': /simple/pandas/" +
                error),
            said +
                "https://pypi.test/simple could not be reached: /simple/pandas/: Failed to "
                "establish a new connection: [Errno -2] Name or service not known");
  EXPECT_EQ(
      installer_verdict(retry +
                        "'SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] "
                        "certificate verify failed: self-signed certificate (_ssl.c:1000)'))': "
                        "/simple/pandas/" +
                        error),
      said +
          "could not be reached: /simple/pandas/: certificate verify failed: self-signed "
          "certificate");
  EXPECT_EQ(
      installer_verdict(
          "Could not fetch URL https://pypi.test/simple/pandas/: There was a problem confirming "
          "the ssl certificate: HTTPSConnectionPool(host='pypi.test', port=443): Max retries "
          "exceeded with url: /simple/pandas/ (Caused by NewConnectionError('<urllib3 object at "
          "0x1>: Failed to establish a new connection: [Errno 111] Connection refused')) - "
          "skipping" +
          error),
      said +
          "could not be reached: https://pypi.test/simple/pandas/: Failed to establish a new "
          "connection: [Errno 111] Connection refused");
}

TEST(InstallerWords, AnUnknownCaIsNamedWithItsSetting) {
  const std::string npm = "npm error code SELF_SIGNED_CERT_IN_CHAIN\n";
  EXPECT_NE(ca_hint(npm, "").find("packages.caFile"), std::string::npos);
  EXPECT_NE(ca_hint(npm, "default").find("`paddock up --packages-ca FILE`"), std::string::npos);
  EXPECT_NE(ca_hint("[SSL: CERTIFICATE_VERIFY_FAILED]", "lab").find("up --instance lab --packages"),
            std::string::npos);
  EXPECT_EQ(ca_hint("npm error code E404\n", "default"), "");
}

TEST(InstallerWords, NpmsCodeAndCauseAreTheVerdict) {
  EXPECT_EQ(
      installer_verdict("npm error code SELF_SIGNED_CERT_IN_CHAIN\nnpm error errno "
                        "SELF_SIGNED_CERT_IN_CHAIN\nnpm error request to https://r.test/x failed, "
                        "reason: self-signed certificate\nnpm error A complete log of this run can "
                        "be found in: /tmp/npm/_logs/x.log\n"),
      "SELF_SIGNED_CERT_IN_CHAIN: request to https://r.test/x failed, reason: self-signed "
      "certificate");
  EXPECT_EQ(installer_verdict("npm ERR! code E404\nnpm ERR! 404 Not Found - GET http://r.test/x\n"),
            "E404: 404 Not Found - GET http://r.test/x");
}

TEST(InstallerWords, OfAnythingElseTheLastLineIsIt) {
  EXPECT_EQ(installer_verdict("Traceback\n  File x\nOSError: no space\n\n[notice] newer pip\n"),
            "OSError: no space");
  EXPECT_EQ(installer_verdict(""), "");
}

TEST(InstallerWords, AreBoundedAndPlainText) {
  EXPECT_LE(installer_verdict("ERROR: " + std::string(5000, 'x')).size(), 300u);
  EXPECT_EQ(installer_verdict("ERROR: a\xff"), "a\xef\xbf\xbd");
  const std::string log = installer_log("first\n" + std::string(65000, 'x') + "\nend of it\n" +
                                        std::string(600, 'y') + "\n");
  EXPECT_EQ(log.rfind("end of it", 0), 0u);
}

}  // namespace
}  // namespace paddock::runtimes
