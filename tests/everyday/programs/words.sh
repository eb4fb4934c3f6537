# Lua: files, a child, a locale, dates.
# run: bash words.sh
# needs: lua5.4
set -e
cat > words.lua <<'L'
local name = os.tmpname()
local file = assert(io.open(name, "w"))
file:write("b\na\n"):close()
local sorted = io.popen("sort " .. name):read("a")
assert(sorted == "a\nb\n", sorted)
assert(os.remove(name))
assert(os.setlocale(""), "no locale")
assert(os.date("!%Y", 0) == "1970")
assert(utf8.len("größer") == 6)
print("ok")
L
lua5.4 words.lua
