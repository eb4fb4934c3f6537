// How long requests took until their answer, by the row of the route table and the class of the
// answer's status: the labels are words of that table alone, so no caller can add to them. Any
// thread; counting takes no lock.
#pragma once

#include <array>
#include <atomic>
#include <string>

#include "controller/api/metrics/histogram.h"

namespace paddock::api {

class HttpTimes {
 public:
  HttpTimes() = default;
  HttpTimes(const HttpTimes&) = delete;
  HttpTimes& operator=(const HttpTimes&) = delete;
  ~HttpTimes();

  // `method` and `pattern` are the route's: they live as long as the program. Both are "none" for a
  // request that found no route.
  void count(const char* method, const char* pattern, int status, Micros took);
  // The times of all routes that were counted at least once.
  std::string text() const;

 private:
  struct Row {
    Row(const char* of_method, const char* of_pattern) : method(of_method), pattern(of_pattern) {}
    const char* method;
    const char* pattern;
    std::array<Histogram, 6> by_class{};  // by hundreds of the status
    Row* next = nullptr;
  };
  static constexpr size_t kSlots = 256;
  Row& row(const char* method, const char* pattern);

  // Each a list that only grows, by a row of the table at most once.
  std::array<std::atomic<Row*>, kSlots> slots_{};
};

}  // namespace paddock::api
