# Moves and links between folders, and copies that keep everything: times, modes, links, holes, extended attributes and access control lists.
# run: bash copies.sh
# needs: rsync
set -e
mkdir -p a/sub && cd a
echo one > 'sub/a name'
ln 'sub/a name' hard
ln -s 'sub/a name' soft
mkfifo pipe
chmod 1777 sub
touch -d @1000000000.123456789 'sub/a name'
for folder in sub /tmp; do mkdir "$folder/made" && echo > "$folder/made/file" && perl -e 'rename "$ARGV[0]/made/file", "$ARGV[0]/file" or die "rename: $!"' "$folder"; done
truncate -s 64M holes && echo end >> holes
cd ..
cat > attributes.py <<'P'
import os, struct, sys
if sys.argv[1] == "set":
    os.setxattr("a/hard", "user.note", b"hello")
    # rw for the owner and for this user by name, r for the rest
    entries = [(1, 6, 2**32 - 1), (2, 6, os.getuid()), (4, 4, 2**32 - 1), (16, 6, 2**32 - 1), (32, 4, 2**32 - 1)]
    os.setxattr("a/hard", "system.posix_acl_access", struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *each) for each in entries))
for name in sys.argv[1:]:
    if name != "set":
        assert os.getxattr(f"{name}/hard", "user.note") == b"hello", name
        assert os.getxattr(f"{name}/hard", "system.posix_acl_access") == os.getxattr("a/hard", "system.posix_acl_access"), name
P
python3 attributes.py set
cp -a a b
rsync -aHAX --sparse a/ c
mkdir d && tar --xattrs --acls -cSf - a | tar --xattrs --acls --xattrs-include='*' -xSf - -C d
python3 attributes.py b c d/a
for copy in b c d/a; do
  [ "$(stat -c '%h %a %.9Y' "$copy/sub/a name")" = "$(stat -c '%h %a %.9Y' 'a/sub/a name')" ]
  [ "$(stat -c %a "$copy/sub")" = 1777 ] && [ "$(readlink "$copy/soft")" = 'sub/a name' ] && [ -p "$copy/pipe" ]
  [ "$(stat -c %s "$copy/holes")" = 67108868 ] && [ "$(du -k "$copy/holes" | cut -f1)" -lt 1000 ]
done
echo ok
