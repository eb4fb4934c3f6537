# npm: scripts, a package of the project's own folder, the test runner of Node.
# run: bash npm_scripts.sh
# needs: nodejs npm
# limits: {memory: 1Gi, cpuTime: 60s, pids: 128}
set -e
mkdir -p app/double && cd app
export HOME=/tmp npm_config_cache=/tmp/npm npm_config_update_notifier=false npm_config_audit=false npm_config_fund=false
echo '{"name": "double", "version": "1.0.0", "main": "index.js"}' > double/package.json
echo 'module.exports = (n) => 2 * n;' > double/index.js
echo '{"name": "app", "version": "1.0.0", "scripts": {"test": "node --test"}, "dependencies": {"double": "file:./double"}}' > package.json
echo 'const test = require("node:test"); const assert = require("node:assert"); test("double", () => assert.equal(require("double")(4), 8));' > app.test.js
npm install --offline --silent
npm test > log.txt 2>&1 || { cat log.txt; exit 1; }
grep -Eq "pass 1" log.txt
echo ok
