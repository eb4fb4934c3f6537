// A Windows program that does what it is told, for wine_test.py: `args …`, `exit N`, `env`, `spin`,
// `flood N`, `sleep`, `heartbeat FILE`, `leave FILE` (starts a heartbeat and ends), `tree FILE`
// (starts one and stays), `breakaway`.
#include <windows.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

std::wstring own_path() {
  wchar_t path[MAX_PATH];
  GetModuleFileNameW(nullptr, path, MAX_PATH);
  return path;
}

int start(const std::wstring& arguments, DWORD flags) {
  std::wstring line = L"child " + arguments;
  STARTUPINFOW startup{};
  startup.cb = sizeof startup;
  PROCESS_INFORMATION started{};
  if (CreateProcessW(own_path().c_str(), line.data(), nullptr, nullptr, FALSE, flags, nullptr,
                     nullptr, &startup, &started) == 0)
    return static_cast<int>(GetLastError());
  return 0;
}

[[noreturn]] void heartbeat(const wchar_t* path) {
  for (int beat = 0;; ++beat) {
    if (FILE* file = _wfopen(path, L"wb"); file != nullptr) {
      (void)fprintf(file, "%d", beat);
      (void)fclose(file);
    }
    Sleep(20);
  }
}

void print_environment() {
  for (const wchar_t* entry = GetEnvironmentStringsW(); *entry != 0; entry += wcslen(entry) + 1)
    (void)printf("%ls\n", entry);
}

}  // namespace

int wmain(int argc, wchar_t** argv) {
  const std::wstring what = argc > 1 ? argv[1] : L"";
  const wchar_t* last = argv[argc - 1];
  if (what == L"args") {
    for (int i = 2; i < argc; ++i) (void)printf("<%ls>\n", argv[i]);
  } else if (what == L"exit") {
    return _wtoi(last);
  } else if (what == L"env") {
    print_environment();
  } else if (what == L"spin") {
    for (volatile int i = 0;;) i = i + 1;
  } else if (what == L"flood") {
    for (int i = _wtoi(last); i > 0; --i) (void)putchar('x');
  } else if (what == L"sleep") {
    Sleep(INFINITE);
  } else if (what == L"heartbeat") {
    heartbeat(last);
  } else if (what == L"leave" || what == L"tree") {
    (void)printf("%d\n", start(std::wstring(L"heartbeat ") + last, 0));
    (void)fflush(stdout);
    // The heartbeat has begun before this process ends.
    while (GetFileAttributesW(last) == INVALID_FILE_ATTRIBUTES) Sleep(5);
    if (what == L"tree") Sleep(INFINITE);
  } else if (what == L"breakaway") {
    (void)printf("%d\n", start(L"exit 0", CREATE_BREAKAWAY_FROM_JOB));
  }
  return 0;
}
