# Chromium without a screen, as Puppeteer and Selenium start it: a page of a server on localhost.
# run: bash browser.sh
# needs: chromium
# loopback
# limits: {memory: 4Gi, cpuTime: 100s, pids: 512, openFiles: 4096, fsBytes: 1Gi}
set -e
echo '<p id=p></p><script>p.textContent = "made by " + "script"</script>' > page.html
python3 -m http.server 18090 --bind 127.0.0.1 > /dev/null 2>&1 &
until python3 -c 'import socket; socket.create_connection(("127.0.0.1", 18090))' 2> /dev/null; do sleep 0.05; done
chromium --headless --no-sandbox --disable-gpu --dump-dom http://localhost:18090/page.html 2> said > page || { tail -5 said; exit 1; }
grep -q 'made by script' page
kill $!
echo ok
