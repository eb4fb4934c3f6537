// C++ with OpenMP, threads and exceptions, compiled and run.
// run: bash -c 'g++ -O1 -fopenmp -pthread -o /tmp/sum openmp.cpp && /tmp/sum'
// needs: g++
// limits: {memory: 1Gi, pids: 128}
#include <omp.h>

#include <iostream>
#include <stdexcept>

int main() {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 1; i <= 1000; ++i) sum += i;
  try {
    throw std::runtime_error("thrown");
  } catch (const std::exception& error) {
    std::cout << error.what() << " " << omp_get_max_threads() << "\n";
  }
  std::cout << (sum == 500500 ? "ok" : "no") << "\n";
}
