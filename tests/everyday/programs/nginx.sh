# nginx: a server in front of another one, on localhost, logging to standard error.
# run: bash nginx.sh
# needs: nginx-light curl
# loopback
set -e
mkdir /tmp/n
cat > /tmp/n/conf <<'C'
daemon off; pid /tmp/n/pid; error_log stderr;
events {}
http {
  access_log /dev/stderr;
  client_body_temp_path /tmp/n/a; proxy_temp_path /tmp/n/b; fastcgi_temp_path /tmp/n/c;
  uwsgi_temp_path /tmp/n/d; scgi_temp_path /tmp/n/e;
  server { listen 127.0.0.1:18080; location / { proxy_pass http://127.0.0.1:18081; } }
  server { listen 127.0.0.1:18081; location / { return 200 "hello $http_x\n"; } }
}
C
/usr/sbin/nginx -e stderr -c /tmp/n/conf &
until curl -sf -o /dev/null http://127.0.0.1:18080/; do sleep 0.05; done
[ "$(curl -s -H 'X: you' http://localhost:18080/)" = 'hello you' ]
kill $!
wait
echo ok
