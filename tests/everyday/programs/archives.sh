# Archives: tar with its compressors, times and modes kept; zip; checksums.
# run: bash archives.sh
set -e
mkdir -p source/sub && echo text > source/sub/file && chmod 750 source/sub/file && touch -d 2001-02-03 source/sub/file && ln -sf sub/file source/link
for compressor in gzip bzip2 xz; do
  command -v "$compressor" > /dev/null || continue
  rm -rf copy && mkdir copy
  tar -c --use-compress-program="$compressor" -f archive.tar source
  tar -x --use-compress-program="$compressor" -f archive.tar -C copy
  [ "$(stat -c '%a %Y' copy/source/sub/file)" = "$(stat -c '%a %Y' source/sub/file)" ] && [ "$(readlink copy/source/link)" = sub/file ]
done
python3 -c 'import zipfile; z = zipfile.ZipFile("a.zip", "w"); z.write("source/sub/file"); z.close(); assert zipfile.ZipFile("a.zip").testzip() is None'
sha256sum source/sub/file | sha256sum -c > /dev/null
echo ok
