"""Who reaches POST /execute, and what it asks of them: on loopback, on any other address, on the controller's own port."""
import http.client
import json
import socket
import unittest

from executing import Executing, verified, verify
from harness import Instance, find_file, held_port, main, wait_until
from session_client import SessionApi

REQUEST = '{"code": "print(6 * 7)"}'


def own_addresses():
    """Addresses of this machine that are not 127.0.0.1: one that is loopback all the same, and that of the interface with
    the way out, where there is one."""
    found = ["127.0.0.2"]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            asked.connect(("192.0.2.1", 9))  # sends nothing: the kernel says from where it would
            found.append(asked.getsockname()[0])
        except OSError:
            print("this machine has no interface but loopback")
    return found


def accepts(address, port):
    try:
        socket.create_connection((address, port), timeout=60).close()
        return True
    except ConnectionRefusedError:
        return False


class Loopback(Executing):
    # proves: ELV-01
    def test_nobody_but_this_address_is_answered(self):
        self.assertTrue(accepts("127.0.0.1", self.port))
        for address in own_addresses():
            self.assertFalse(accepts(address, self.port), address)

    def test_it_asks_for_no_token_and_the_main_port_does(self):
        self.assertEqual(self.ask("POST", "/execute", REQUEST)[1]["stdout"], "42\n")
        api = SessionApi(self.instance)
        self.addCleanup(api.close)
        self.assertEqual(api.ask("POST", "/execute", REQUEST)[1]["stdout"], "42\n")
        self.assertEqual(api.ask("POST", "/execute", REQUEST, token="none")[0], 401)
        connection = api.connect()
        connection.request("POST", "/execute", REQUEST)
        self.assertEqual(connection.getresponse().status, 401)


    def test_a_page_of_another_origin_runs_nothing_and_the_scheme_is_part_of_it(self):
        here = f"127.0.0.1:{self.port}"
        for origin in ("null", "https://evil.example", f"https://{here}", f"https://localhost:{self.port}", "http://127.0.0.1",
                       f"http://{here}, http://{here}"):
            status, answer = self.ask("POST", "/execute", REQUEST, headers={"Origin": origin})
            self.assertEqual((status, answer["error"]["code"]), (403, "ORIGIN_DENIED"), origin)
        self.assertEqual(self.ask("POST", "/execute", REQUEST, headers={"Origin": f"http://{here}"})[1]["stdout"], "42\n")


class AnyAddress(Executing):
    settings = {"PADDOCK_CONTROLLER_EXECUTE_HOST": "0.0.0.0"}

    @classmethod
    def connect(cls, port):
        trusted = cls.instance.trust()
        return http.client.HTTPSConnection("127.0.0.1", port, context=trusted, timeout=120)

    def test_it_is_there_on_each_address(self):
        for address in own_addresses():
            self.assertTrue(accepts(address, self.port), address)

    # proves: ELV-01
    def test_it_asks_for_a_token(self):
        token = self.instance.admin_token()
        for headers in ({}, {"Authorization": "Bearer none"}, {"Authorization": token}):
            self.assertEqual(self.ask("POST", "/execute", REQUEST, headers)[0], 401, headers)
        status, answer = self.ask("POST", "/execute", REQUEST, {"Authorization": f"Bearer {token}"})
        self.assertEqual((status, answer["stdout"]), (200, "42\n"))
        enroll = find_file(self.instance.home, "tokens/enroll").read_text().strip()
        self.assertEqual(self.ask("POST", "/execute", REQUEST, {"Authorization": f"Bearer {enroll}"})[0], 403)

    def test_it_speaks_nothing_but_tls(self):
        token = self.instance.admin_token()
        plain = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        self.addCleanup(plain.close)
        plain.request("POST", "/execute", REQUEST, {"Authorization": f"Bearer {token}"})
        answer = plain.getresponse()
        self.assertEqual((answer.status, json.loads(answer.read())["error"]["code"]), (400, "TLS_REQUIRED"))

    def test_the_designs_checks_pass_with_its_ca_and_a_token_and_not_without(self):
        url, token = f"https://localhost:{self.port}", self.instance.admin_token()
        ca = str(find_file(self.instance.home, "tls/ca.pem"))
        told = verified(url, CACERT=ca, TOKEN=token)
        self.assertEqual(told.returncode, 0, told.stdout + told.stderr)
        for variables in ({"CACERT": ca}, {"TOKEN": token}):
            told = verify(url, **variables)
            self.assertEqual(told.returncode, 1, variables.keys())
            self.assertIn("FAILED  4 simple execution", told.stdout)


class Variables(unittest.TestCase):
    """What a deployment says by its environment."""

    def instance(self, **settings):
        made = Instance()
        self.addCleanup(made.__exit__, None, None, None)
        made.env.update(settings)
        return made

    def log_of(self, instance):
        return find_file(instance.home, "paddock-controller/latest.log").read_text()

    def check_refuses(self, field, **settings):
        instance = self.instance(**settings)
        self.assertNotEqual(instance.run("up", "--port", "0", check=False).returncode, 0, settings)
        (variable,) = settings
        self.assertIn(f"{variable}: {field}: ", self.log_of(instance), settings)

    # proves: ELV-77
    def test_the_port_is_the_one_that_is_named_and_what_is_no_port_ends_the_start(self):
        with held_port() as port:
            self.instance(PADDOCK_CONTROLLER_EXECUTE_PORT=str(port)).up()
            wait_until("the port to answer", lambda: accepts("127.0.0.1", port))
        for wrong in ("many", "8007x", "-1", "65536", "8007.5"):
            self.check_refuses("execute.port", PADDOCK_CONTROLLER_EXECUTE_PORT=wrong)

    # proves: ELV-78
    def test_the_log_says_as_much_as_its_level(self):
        quiet = self.instance()
        quiet.up()
        loud = self.instance(PADDOCK_CONTROLLER_LOG_LEVEL="debug")
        loud.up()
        wait_until("a line for who looks for faults", lambda: '"level":"debug"' in self.log_of(loud))
        self.assertIn('"level":"info"', self.log_of(quiet))
        self.assertNotIn('"level":"debug"', self.log_of(quiet))
        self.check_refuses("logLevel", PADDOCK_CONTROLLER_LOG_LEVEL="loud")


if __name__ == "__main__":
    main()
