// A bucket in memory, spoken to as S3, for tests of clients: whatever a real server could do wrong,
// a test makes it do by a fault. It looks at no signature. For tests only.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "common/base/percent.h"
#include "common/base/text.h"
#include "common/base/time.h"
#include "tests/support/http_server.h"

namespace paddock::test {

class FakeS3 {
 public:
  struct Object {
    std::string bytes;
    WallTime modified;
  };
  struct Multipart {
    std::string key;
    WallTime begun;
    std::map<int, std::string> parts;
  };
  using Fault = std::function<std::optional<HttpAnswer>(const HttpRequest&)>;

  // The time that it says things were stored at.
  explicit FakeS3(WallTime now = {1'750'000'000'000}) : now_(now) {}

  std::string url() const { return server_.url(); }
  std::vector<HttpRequest> requests() const { return server_.requests(); }
  // Asked first about each request; what it answers is sent.
  void set_fault(Fault fault) {
    const std::lock_guard lock(mutex_);
    fault_ = std::move(fault);
  }
  // Changes the objects whose keys end like this.
  void change(const std::string& end, const std::function<void(Object&)>& change) {
    const std::lock_guard lock(mutex_);
    for (auto& [key, object] : objects_)
      if (key.ends_with(end)) change(object);
  }
  void lose(const std::string& end) {
    const std::lock_guard lock(mutex_);
    std::erase_if(objects_, [&](const auto& each) { return each.first.ends_with(end); });
  }
  void add_object(const std::string& key, const std::string& bytes) {
    const std::lock_guard lock(mutex_);
    objects_[key] = {bytes, now_};
  }
  void add_upload(const std::string& id, const std::string& key, WallTime begun) {
    const std::lock_guard lock(mutex_);
    uploads_[id] = {key, begun, {}};
  }
  std::vector<std::string> keys() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> out;
    for (const auto& [key, object] : objects_) out.push_back(key);
    return out;
  }
  size_t uploads() const {
    const std::lock_guard lock(mutex_);
    return uploads_.size();
  }
  static HttpAnswer error(int status, const std::string& code, const std::string& headers = {}) {
    return answer(status, cat("<?xml version=\"1.0\"?><Error><Code>", code, "</Code></Error>"),
                  headers);
  }

 private:
  struct Asked {
    std::string key;
    std::map<std::string, std::string> query;
  };
  static Asked asked_of(const HttpRequest& request) {
    Asked out;
    const size_t question = request.target.find('?');
    const std::string path = percent_decode(request.target.substr(0, question)).value_or("");
    const size_t slash = path.find('/', 1);
    if (slash != std::string::npos) out.key = path.substr(slash + 1);
    if (question == std::string::npos) return out;
    for (const std::string& each : split(request.target.substr(question + 1), '&')) {
      const size_t equals = each.find('=');
      out.query[each.substr(0, equals)] = percent_decode(each.substr(equals + 1)).value_or("");
    }
    return out;
  }

  HttpAnswer handle(const HttpRequest& request) {
    const std::lock_guard lock(mutex_);
    if (fault_)
      if (const auto fault = fault_(request)) return *fault;
    const Asked asked = asked_of(request);
    if (asked.key.empty()) return asked.query.contains("uploads") ? uploads_list() : page(asked);
    if (request.method == "POST") return multipart(asked);
    if (request.method == "PUT") return put(request, asked);
    if (request.method == "DELETE") return remove(asked);
    return give(request, asked);
  }

  HttpAnswer page(const Asked& asked) const {
    const auto at = [&](const std::string& name) {
      const auto found = asked.query.find(name);
      return found == asked.query.end() ? std::string() : found->second;
    };
    const size_t most = parse_integer<size_t>(at("max-keys")).value_or(1000);
    std::string out = "<ListBucketResult>";
    size_t count = 0;
    std::string last;
    for (const auto& [key, object] : objects_) {
      if (!key.starts_with(at("prefix")) || key <= at("continuation-token")) continue;
      if (count++ == most) {
        return answer(200, cat(out, "<IsTruncated>true</IsTruncated><NextContinuationToken>", last,
                               "</NextContinuationToken></ListBucketResult>"));
      }
      last = key;
      out += cat("<Contents><Key>", key, "</Key><LastModified>", format_time(object.modified, true),
                 "</LastModified><Size>", object.bytes.size(), "</Size></Contents>");
    }
    return answer(200, cat(out, "<IsTruncated>false</IsTruncated></ListBucketResult>"));
  }

  HttpAnswer uploads_list() const {
    std::string out = "<ListMultipartUploadsResult>";
    for (const auto& [id, upload] : uploads_) {
      out += cat("<Upload><Key>", upload.key, "</Key><UploadId>", id, "</UploadId><Initiated>",
                 format_time(upload.begun), "</Initiated></Upload>");
    }
    return answer(200, cat(out, "</ListMultipartUploadsResult>"));
  }

  HttpAnswer multipart(const Asked& asked) {
    if (asked.query.contains("uploads")) {
      const std::string id = cat("upload-", ++last_upload_);
      uploads_[id] = {asked.key, now_, {}};
      return answer(200, cat("<InitiateMultipartUploadResult><UploadId>", id,
                             "</UploadId></InitiateMultipartUploadResult>"));
    }
    const auto upload = uploads_.find(asked.query.at("uploadId"));
    if (upload == uploads_.end()) return error(404, "NoSuchUpload");
    std::string whole;
    for (const auto& [number, bytes] : upload->second.parts) whole += bytes;
    objects_[asked.key] = {whole, now_};
    uploads_.erase(upload);
    return answer(200, "<CompleteMultipartUploadResult/>");
  }

  HttpAnswer put(const HttpRequest& request, const Asked& asked) {
    if (!asked.query.contains("uploadId")) {
      objects_[asked.key] = {request.body, now_};
      return answer(200);
    }
    const int number = parse_integer<int>(asked.query.at("partNumber")).value_or(0);
    uploads_[asked.query.at("uploadId")].parts[number] = request.body;
    return answer(200, "", cat("ETag: \"tag<", number, ">\"\r\n"));
  }

  HttpAnswer remove(const Asked& asked) {
    if (asked.query.contains("uploadId")) {
      uploads_.erase(asked.query.at("uploadId"));
    } else {
      objects_.erase(asked.key);
    }
    return {"HTTP/1.1 204 No Content\r\n\r\n"};
  }

  HttpAnswer give(const HttpRequest& request, const Asked& asked) const {
    const auto found = objects_.find(asked.key);
    if (found == objects_.end())
      return request.method == "HEAD" ? HttpAnswer{"HTTP/1.1 404 Not Found\r\n\r\n"}
                                      : error(404, "NoSuchKey");
    const std::string& bytes = found->second.bytes;
    if (request.method == "HEAD")
      return {cat("HTTP/1.1 200 OK\r\nContent-Length: ", bytes.size(), "\r\n\r\n")};
    const auto range = request.headers.find("range");
    if (range == request.headers.end()) return answer(200, bytes);
    const auto from = parse_integer<size_t>(
        trim(split(range->second, '=')[1]).substr(0, split(range->second, '=')[1].find('-')));
    return answer(
        206, bytes.substr(*from),
        cat("Content-Range: bytes ", *from, "-", bytes.size() - 1, "/", bytes.size(), "\r\n"));
  }

  const WallTime now_;
  mutable std::mutex mutex_;
  std::map<std::string, Object> objects_;
  std::map<std::string, Multipart> uploads_;
  int last_upload_ = 0;
  Fault fault_;
  HttpServer server_{[this](const HttpRequest& request) { return handle(request); }};
};

}  // namespace paddock::test
