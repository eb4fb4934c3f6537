# OpenSSL: a key, a certificate, and a TLS server that a client verifies on localhost.
# run: bash keys.sh
# needs: openssl
# loopback
set -e
cd /tmp
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out cert.pem -days 1 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost 2> /dev/null
openssl s_server -accept 127.0.0.1:4433 -key key.pem -cert cert.pem -quiet > server.log 2>&1 &
for _ in $(seq 4000); do (echo > /dev/tcp/127.0.0.1/4433) 2> /dev/null && break; sleep 0.05; done
echo | openssl s_client -connect localhost:4433 -CAfile cert.pem -verify_return_error -verify_hostname localhost > client.log 2>&1
kill $!
grep -q "Verify return code: 0" client.log && echo ok
