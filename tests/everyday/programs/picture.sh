# ImageMagick draws text and scales it.
# run: bash picture.sh
# needs: imagemagick fonts-dejavu-core
set -e
/usr/bin/convert -size 200x50 xc:white -font DejaVu-Sans -pointsize 24 -draw "text 10,30 'hello'" a.png
/usr/bin/convert a.png -resize 50% b.jpg
[ "$(/usr/bin/identify -format %w b.jpg)" = 100 ] && echo ok
