# PHP: its own web server, asked by curl.
# run: bash page.sh
# needs: php-cli curl
# loopback
set -e
echo '<?php echo json_encode(["answer" => 6 * 7]);' > index.php
php -S 127.0.0.1:8000 > /dev/null 2>&1 &
for _ in $(seq 4000); do answer=$(curl -fsS http://localhost:8000/ 2>/dev/null) && break; sleep 0.05; done
kill $!
[ "$answer" = '{"answer":42}' ] && echo ok
