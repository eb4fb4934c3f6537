// Workspaces as projects, over the API.
#include <sys/stat.h>
#include <unistd.h>

#include "controller/api/api_test_support.h"
#include "controller/projects/inline_html.h"
#include "controller/projects/preview_scopes.h"
#include "controller/reconciler/reconciler.h"

namespace paddock::api {
namespace {

class Projects : public ApiTest {
 protected:
  static constexpr const char* kSite =
      "/apis/paddock.dev/v1alpha1/namespaces/default/workspaces/site";

  void put_site(const std::map<std::string, std::string>& files) {
    call("POST", kWorkspaces,
         R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Workspace","metadata":{"name":"site"}})");
    std::string entries;
    for (const auto& [path, content] : files) {
      const std::string digest = crypto::sha256_hex(content);
      ASSERT_LT(call("PUT", cat(kSite, "/blobs/", digest), content).status, 300);
      entries += cat(entries.empty() ? "" : ",", R"({"path":")", path, R"(","size":)",
                     content.size(), R"(,"executable":false,"digest":")", digest, "\"}");
    }
    const Answer answer = call("POST", cat(kSite, "/tree"), cat(R"({"entries":[)", entries, "]}"));
    ASSERT_EQ(answer.status, 200) << answer.text;
  }

  // As the server hands it over: segments decoded once.
  Answer get(const std::vector<std::string>& below, const std::string& query = {},
             std::map<std::string, std::string> headers = {}) {
    Request request = request_of("GET", cat(kSite, query), admin_);
    request.segments.insert(request.segments.end(), below.begin(), below.end());
    request.headers.merge(headers);
    Answer answer = send(request);
    drain(answer);
    return answer;
  }
  static void drain(Answer& answer) {
    if (!answer.response.stream) return;
    FakeStream stream;
    answer.response.stream(stream);
    answer.text = stream.text;
  }
  static std::string header(const Answer& answer, const std::string& name) {
    for (const auto& [key, value] : answer.response.headers)
      if (key == name) return value;
    return {};
  }
};

TEST_F(Projects, ServesAFileThatABrowserMayShowButNotTrust) {
  put_site({{"index.html", "<p>hi"}});
  const Answer answer = get({"raw", "index.html"});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.text, "<p>hi");
  EXPECT_EQ(answer.response.content_type, "text/html; charset=utf-8");
  EXPECT_EQ(header(answer, "x-content-type-options"), "nosniff");
  EXPECT_TRUE(header(answer, "content-security-policy").starts_with("sandbox allow-scripts"));
  EXPECT_NE(header(answer, "content-security-policy").find("connect-src 'none'"),
            std::string::npos);
  EXPECT_EQ(header(answer, "connection-allowlist"), "(response-origin)");  // of WebRTC too
}

// proves: OD-46
TEST_F(Projects, APageInAFrameLoadsWhatIsBesideItAndTakesNoExport) {
  put_site({{"index.html", "<p>hi"}, {"main.js", "1"}});
  const std::map<std::string, std::string> framed = {{"origin", "null"}};
  EXPECT_EQ(header(get({"raw", "main.js"}, {}, framed), "access-control-allow-origin"), "*");
  EXPECT_EQ(header(get({"raw", "main.js"}), "access-control-allow-origin"), "");
  EXPECT_EQ(header(get({"raw", "main.js"}, {}, {{"origin", "https://else.example"}}),
                   "access-control-allow-origin"),
            "");
  EXPECT_EQ(header(get({"raw", "main.js"}), "cross-origin-resource-policy"), "same-origin");
  const std::string url = get({"preview-url"}).body.text("url");
  Request request = request_of("GET", url.substr(0, url.rfind('/')) + "/main.js", "");
  request.headers["origin"] = "null";
  const Answer shown = send(request);
  EXPECT_EQ(shown.status, 200);
  EXPECT_EQ(header(shown, "access-control-allow-origin"), "*");
  EXPECT_EQ(header(shown, "cross-origin-resource-policy"), "cross-origin");
  const Answer taken = get({"export", "index.html"}, "?inline=1", framed);
  EXPECT_EQ(taken.status, 403);
  EXPECT_EQ(taken.reason(), "ORIGIN_DENIED");
}

// proves: OD-44, OD-54, OD-101
TEST_F(Projects, RefusesAttacksOnEveryRouteThatServesBytes) {
  put_site({{".env", "SECRET"}, {"index.html", "<p>hi"}});
  for (const std::string where : {"raw", "export"}) {
    const std::string query = where == "export" ? "?inline=1" : "";
    for (const std::string path : {"%2e%2e", "a%2fb", "C:x", "%252e%252e", "a\\b", "index.html/"}) {
      EXPECT_EQ(get({where, path}, query).reason(), "PATH_INVALID") << where << " " << path;
      EXPECT_EQ(get({where, path}, query).status, 400);
    }
    for (const std::string path : {".env", "missing.html", "index.html.artifact.json"})
      EXPECT_EQ(get({where, path}, query).status, 404) << where << " " << path;
  }
}

// No link that leads out of the project is ever stored, and one that stays inside is not followed.
// proves: OD-45, OD-54, OD-102
TEST_F(Projects, FollowsNoLinkOnAnyRouteThatServesBytes) {
  put_site({{"index.html", "<p>hi"}, {"sub/page.html", "<p>hi"}});
  const auto entry = [](const char* path) {
    return cat(R"({"path":")", path, R"(","size":5,"executable":false,"digest":")",
               crypto::sha256_hex("<p>hi"), "\"}");
  };
  const std::string kept =
      cat(R"("entries":[)", entry("index.html"), ",", entry("sub/page.html"), "]");
  for (const std::string target :
       {"/etc/passwd", "../secret", "a/../../secret", "..", "sub/../../../etc/passwd"}) {
    const Answer refused =
        call("POST", cat(kSite, "/tree"),
             cat("{", kept, R"(,"links":[{"path":"leak.html","target":")", target, "\"}]}"));
    EXPECT_EQ(refused.status, 400) << target;
    EXPECT_NE(refused.text.find("links[0]"), std::string::npos) << refused.text;
  }
  const Answer stored =
      call("POST", cat(kSite, "/tree"),
           cat("{", kept, R"(,"links":[{"path":"chain.html","target":"link.html"},)",
               R"({"path":"folder","target":"sub"},{"path":"link.html","target":"index.html"}]})"));
  ASSERT_EQ(stored.status, 200) << stored.text;
  for (const std::string where : {"raw", "export"}) {
    const std::string query = where == "export" ? "?inline=1" : "";
    EXPECT_EQ(get({where, "sub", "page.html"}, query).status, 200) << where;
    for (const std::string path : {"leak.html", "link.html", "chain.html", "folder"})
      EXPECT_EQ(get({where, path}, query).status, 404) << where << " " << path;
    EXPECT_EQ(get({where, "folder", "page.html"}, query).status, 404) << where;
  }
}

// proves: OD-46
TEST_F(Projects, ServesPartsOfVideosAndNothingElseInParts) {
  put_site({{"index.html", "0123456789"}, {"v.mp4", "0123456789"}});
  const auto ranged = [&](const char* file, const char* range) {
    return get({"raw", file}, "", {{"range", range}});
  };
  Answer part = ranged("v.mp4", "bytes=2-4");
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.text, "234");
  EXPECT_EQ(header(part, "content-range"), "bytes 2-4/10");
  EXPECT_EQ(header(part, "accept-ranges"), "bytes");
  EXPECT_EQ(ranged("v.mp4", "bytes=7-").text, "789");
  EXPECT_EQ(ranged("v.mp4", "bytes=-3").text, "789");
  EXPECT_EQ(ranged("v.mp4", "bytes=-99").text, "0123456789");
  EXPECT_EQ(ranged("v.mp4", "bytes=8-99").text, "89");
  for (const char* whole : {"bytes=0-1,3-4", "lines=1-2", "bytes=x-y", "bytes=5-2", "bytes=-"}) {
    EXPECT_EQ(ranged("v.mp4", whole).status, 200) << whole;
    EXPECT_EQ(ranged("v.mp4", whole).text, "0123456789") << whole;
  }
  for (const char* outside : {"bytes=10-", "bytes=99-100", "bytes=-0"}) {
    const Answer refused = ranged("v.mp4", outside);
    EXPECT_EQ(refused.status, 416) << outside;
    EXPECT_EQ(header(refused, "content-range"), "bytes */10");
  }
  EXPECT_EQ(ranged("index.html", "bytes=2-4").status, 200);
}

// Takes another user's rights for a while if the test runs as root, to whom all files are open.
// Another user stays as it is.
class AsNobody {
 public:
  AsNobody() : was_(::geteuid()) { (void)!::seteuid(65'534); }
  ~AsNobody() { (void)!::seteuid(was_); }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;

 private:
  const uid_t was_;
};

// This is the operator's mistake and not the caller's, so the answer is neither "forbidden" nor
// "gone".
TEST_F(Projects, AFileThatTheControllerMayNotReadIsItsOwnFault) {
  put_site({{"index.html", "<p>hi"}});
  const std::string digest = crypto::sha256_hex("<p>hi");
  const std::string file = folder_ / cat("blobs/", digest.substr(0, 2), "/", digest);
  ASSERT_EQ(::chmod(file.c_str(), 0), 0);
  {
    const AsNobody here;
    const Answer refused = get({"raw", "index.html"});
    EXPECT_EQ(refused.status, 503) << refused.text;
    EXPECT_EQ(refused.reason(), "STORE_IO");
    EXPECT_EQ(refused.text.find("blobs"), std::string::npos);
  }
  ASSERT_EQ(::chmod(file.c_str(), 0444), 0);
  EXPECT_EQ(get({"raw", "index.html"}).text, "<p>hi");
}

// proves: OD-43, OD-68
TEST_F(Projects, ListsWhatIsShownWithoutAPathOfThisHost) {
  put_site({{".env", "SECRET"},
            {"index.html", "<p>hi"},
            {"index.html.artifact.json", R"({"title":"Home","kind":"page"})"}});
  const Answer answer = get({"export"});
  EXPECT_EQ(answer.body.text("schema"), "paddock.workspace-export-manifest.v1");
  EXPECT_EQ(answer.body.text("entryFile"), "index.html");
  EXPECT_EQ(answer.body.find("files")->array()->size(), 1U);
  EXPECT_EQ(answer.body.find("artifacts")->array()->at(0).text("title"), "Home");
  EXPECT_EQ(answer.text.find(folder_ / ""), std::string::npos);
  EXPECT_EQ(call("GET", cat(kWorkspaces, "/none/export")).reason(), "WORKSPACE_NOT_FOUND");
  call("POST", kWorkspaces,
       R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Workspace","metadata":{"name":"bare"}})");
  EXPECT_TRUE(call("GET", cat(kWorkspaces, "/bare/export")).body.find("entryFile")->is_null());
}

// proves: OD-47, OD-48, OD-49, OD-69
TEST_F(Projects, ExportsOneDocumentWithEverythingInIt) {
  const std::string large(static_cast<size_t>(projects::kMostOwnerBytes) + 1, 'x');
  put_site({{"a.css", "p{}"},
            {"index.html", "<link rel=stylesheet href=a.css><p>hi"},
            {"large.html", large}});
  for (const char* query : {"", "?inline=0", "?inline=false", "?inline=foo"})
    EXPECT_EQ(get({"export", "index.html"}, query).reason(), "INLINE_REQUIRED") << query;
  for (const char* query : {"?inline=1", "?inline=TRUE", "?inline=yes", "?inline=on"})
    EXPECT_EQ(get({"export", "index.html"}, query).text, "<style>p{}</style><p>hi") << query;
  const Answer answer = get({"export", "index.html"}, "?inline=1");
  EXPECT_EQ(header(answer, "content-security-policy"), "sandbox allow-scripts");
  EXPECT_EQ(get({"export", "a.css"}, "?inline=1").status, 415);
  EXPECT_EQ(get({"export", "large.html"}, "?inline=1").status, 413);
}

TEST_F(Projects, AnswersNothingFromWhatItsDiskDamagedUntilItIsSentAgain) {
  const std::map<std::string, std::string> files = {
      {"a.css", "p{}"}, {"index.html", "<link rel=stylesheet href=a.css><p>hi"}};
  put_site(files);
  const std::string root = call("GET", kSite).body.text("status.root");
  const std::string path = folder_ / cat("blobs/", root.substr(0, 2), "/", root);
  std::string tree = os::read_file(path).value();
  tree[tree.find("index.html")] = 'j';
  ASSERT_TRUE(os::write_file_atomic(path, tree, 0444).ok());
  for (const std::vector<std::string>& below :
       {std::vector<std::string>{"tree"}, {"raw", "index.html"}, {"raw", "jndex.html"}}) {
    EXPECT_EQ(get(below).status, 503) << below.back();
    EXPECT_EQ(get(below).reason(), "BLOB_DAMAGED") << below.back();
  }
  put_site(files);
  EXPECT_EQ(get({"raw", "index.html"}).status, 200);
}

TEST_F(Projects, ADocumentIsNotExportedWithoutWhatCannotBeReadNow) {
  put_site({{"a.css", "i{}"}, {"index.html", "<link rel=stylesheet href=a.css><p>hi"}});
  const std::string digest = crypto::sha256_hex("i{}");
  const std::string path = folder_ / cat("blobs/", digest.substr(0, 2), "/", digest);
  ASSERT_TRUE(os::write_file_atomic(path, "j{}", 0444).ok());
  EXPECT_EQ(get({"export", "index.html"}, "?inline=1").reason(), "BLOB_DAMAGED");
}

TEST_F(Projects, MakesFewExportsAtATime) {
  put_site({{"index.html", "<p>hi"}});
  *services_.exports = 2;
  EXPECT_EQ(get({"export", "index.html"}, "?inline=1").reason(), "EXPORTS_BUSY");
  EXPECT_EQ(services_.exports->load(), 2);
}

// proves: OD-53
TEST_F(Projects, GivesALinkThatWorksWithoutATokenForAWhile) {
  put_site({{"index.html", "<p>hi"}, {"sub/main page.html", "<p>sub"}});
  const Answer given = get({"preview-url"});
  const std::string url = given.body.text("url");
  EXPECT_EQ(given.body.text("file"), "index.html");
  EXPECT_EQ(given.body.text("iframeSandbox"), "allow-scripts allow-forms");
  ASSERT_TRUE(url.starts_with("/preview/")) << url;
  EXPECT_TRUE(get({"preview-url"}, "?file=sub/main page.html")
                  .body.text("url")
                  .ends_with("/sub/main%20page.html"));
  const auto open = [&](const std::string& target) {
    Answer answer = send(request_of("GET", target, ""));
    drain(answer);
    return answer;
  };
  EXPECT_EQ(open(url).text, "<p>hi");
  EXPECT_EQ(open("/preview/bcdfghjklm/index.html").reason(), "PREVIEW_SCOPE_NOT_FOUND");
  EXPECT_EQ(get({"preview-url"}, "?file=.env").status, 404);
  clock_.advance(projects::PreviewScopes::kLife);
  EXPECT_EQ(open(url).reason(), "PREVIEW_SCOPE_NOT_FOUND") << "its time is over";
  const std::string second = get({"preview-url"}).body.text("url");
  ASSERT_EQ(open(second).status, 200);
  ASSERT_EQ(call("DELETE", kSite).status, 200);
  EXPECT_EQ(open(second).reason(), "PREVIEW_SCOPE_NOT_FOUND") << "the workspace is gone";
  put_site({{"index.html", "<p>another"}});
  EXPECT_EQ(open(second).reason(), "PREVIEW_SCOPE_NOT_FOUND") << "another one of this name";
}

// proves: OD-50, OD-52
TEST_F(Projects, ARunSaysWhereItsProjectIsShown) {
  put_site({{"index.html", "<p>hi"}, {"s.py", "print(1)"}});
  make_workspace();  // w, without HTML
  const std::string shown = R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Run","metadata":)"
                            R"({"name":"shown"},"spec":{"type":"compute","command":)"
                            R"("python3 s.py","workspace":"site"}})";
  ASSERT_EQ(call("POST", kRuns, shown).status, 201);
  EXPECT_EQ(call("GET", cat(kRuns, "/shown")).body.text("status.previewUrl"),
            cat(kSite, "/raw/index.html"));
  ASSERT_EQ(call("POST", kRuns, run_text("plain")).status, 201);
  const Answer plain = call("GET", cat(kRuns, "/plain"));
  ASSERT_NE(plain.body.find("status")->find("previewUrl"), nullptr);
  EXPECT_TRUE(plain.body.find("status")->find("previewUrl")->is_null());
}

// Somebody looks all the time, but for when the controller stands still.
TEST_F(Projects, TimeThatTheControllerStoodStillIsNoneOfALinks) {
  put_site({{"index.html", "<p>hi"}});
  (void)services_.reconciler.look(nodes::now(clock_));
  const std::string url = get({"preview-url"}).body.text("url");
  const auto status = [&] {
    Answer answer = send(request_of("GET", url, ""));
    drain(answer);
    return answer.status;
  };
  clock_.advance(projects::PreviewScopes::kLife);
  EXPECT_EQ(status(), 200);
  constexpr Millis kStep{1'000};
  for (Millis lived{0}; lived < projects::PreviewScopes::kLife; lived += kStep) {
    clock_.advance(kStep);
    (void)services_.reconciler.look(nodes::now(clock_));
  }
  EXPECT_EQ(status(), 404);
}

TEST(PreviewScopes, AreBoundedAndTheOldestGoes) {
  projects::PreviewScopes scopes;
  SeededRandom random(3);
  const std::string first = scopes.open({"a", "b", "u"}, MonoTime{1}, random);
  EXPECT_TRUE(scopes.find(first, MonoTime{2}));
  for (size_t i = 0; i < projects::PreviewScopes::kMost; ++i)
    scopes.open({"a", "b", "u"}, MonoTime{2}, random);
  EXPECT_FALSE(scopes.find(first, MonoTime{3}));
}

TEST(PreviewScopes, OfOneNamespaceAreNotEndedByThoseOfAnother) {
  projects::PreviewScopes scopes;
  SeededRandom random(3);
  const std::string theirs = scopes.open({"theirs", "b", "u"}, MonoTime{1}, random);
  const std::string oldest = scopes.open({"ours", "b", "u"}, MonoTime{2}, random);
  for (size_t i = 0; i < 2 * projects::PreviewScopes::kMost; ++i)
    scopes.open({"ours", "b", "u"}, MonoTime{3}, random);
  EXPECT_TRUE(scopes.find(theirs, MonoTime{4}));
  EXPECT_FALSE(scopes.find(oldest, MonoTime{4}));
}

}  // namespace
}  // namespace paddock::api
