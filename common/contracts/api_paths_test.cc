#include "common/contracts/api_paths.h"

#include <gtest/gtest.h>

namespace paddock::contracts::paths {
namespace {

TEST(ApiPaths, ANameLeadsNowhereElse) {
  EXPECT_EQ(run("default", "a"), "/apis/paddock.dev/v1alpha1/namespaces/default/runs/a");
  EXPECT_EQ(run("x/../y", "a/b?c#d%"),
            "/apis/paddock.dev/v1alpha1/namespaces/x%2F..%2Fy/runs/a%2Fb%3Fc%23d%25");
  EXPECT_EQ(node_run("n\r\n", "u/v"), "/apis/paddock.dev/v1alpha1/nodes/n%0D%0A/runs/u%2Fv");
  EXPECT_EQ(collection("", "nodes"), "/apis/paddock.dev/v1alpha1/nodes");
}

}  // namespace
}  // namespace paddock::contracts::paths
