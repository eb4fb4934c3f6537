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
