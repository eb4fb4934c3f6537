"""The workflow step of the Python client against a live instance."""
import asyncio
import importlib.util
import time

from clients_instance import EXAMPLES, WithInstance, variables
from harness import wait_until
from paddock.workflow import code_execution_step, step_of


class WorkflowStep(WithInstance):
    def step(self, config, data=None, **settings):
        settings.setdefault("CODE_EXECUTION_SERVICE_URL", f"http://127.0.0.1:{self.port}")
        with variables(**settings):
            return asyncio.run(code_execution_step({"config": config}, data, object()))

    # proves: ELV-85
    def test_it_answers_what_the_service_says_and_when(self):
        found = self.step({"code": "print(sum(input_data['nums']))", "timeout": 60, "memory_mb": 128}, {"nums": [1, 2, 3]})
        self.assertEqual((found["success"], found["stdout"], found["exit_code"], found["error"]), (True, "6\n", 0, None))
        self.assertEqual(found["executed_at"][10], "T")
        self.assertEqual(self.step({"code": "import os"})["validation_errors"], ["Blocked import: os"])

    # proves: ELV-85
    def test_whatever_is_wrong_is_in_its_document(self):
        for config, wanted in (({}, "No code provided"), ({"code": ""}, "No code provided"),
                               ({"code": "1", "timeout": 61}, "Code execution service error: 422: timeout_seconds must be at most 60"),
                               ({"code": "1", "timeout": "x"}, "Failed to execute code: "),
                               ({"code": "1", "timeout": float("nan")}, "Failed to execute code: ")):
            found = self.step(config)
            self.assertTrue(found["error"].startswith(wanted), found)
            self.assertEqual((found["success"], found["exit_code"], found["stdout"]), (False, -1, ""))
            self.assertIn("executed_at", found)
        self.assertEqual(asyncio.run(code_execution_step({}, None, None))["error"], "No code provided")

    # proves partly: ELV-84
    def test_the_service_is_the_one_that_the_variable_names(self):
        for url, wanted in (("nonsense", "CODE_EXECUTION_SERVICE_URL must be an address"), ("http://127.0.0.1:1", "Failed to execute code: "),
                            ("http://127.0.0.1:99999", "Failed to execute code: ")):
            self.assertIn(wanted, self.step({"code": "print(1)"}, CODE_EXECUTION_SERVICE_URL=url)["error"])

    # proves: ELV-84
    def test_a_service_with_tls_and_a_token_is_served_by_its_ca_file_and_the_token(self):
        step = lambda **settings: self.step({"code": "print(6 * 7)"}, CODE_EXECUTION_SERVICE_URL=self.server, **settings)
        found = step(CODE_EXECUTION_SERVICE_TOKEN=self.token, CODE_EXECUTION_SERVICE_CA_FILE=self.ca)
        self.assertEqual((found["success"], found["stdout"], found["error"]), (True, "42\n", None))
        for settings, wanted in (({}, "CERTIFICATE_VERIFY_FAILED"),
                                 ({"CODE_EXECUTION_SERVICE_TOKEN": self.token}, "CERTIFICATE_VERIFY_FAILED"),
                                 ({"CODE_EXECUTION_SERVICE_CA_FILE": self.ca}, "Code execution service error: 401"),
                                 ({"CODE_EXECUTION_SERVICE_CA_FILE": "/none.pem"}, "CODE_EXECUTION_SERVICE_CA_FILE cannot be read"),
                                 ({"CODE_EXECUTION_SERVICE_CA_FILE": __file__}, "CODE_EXECUTION_SERVICE_CA_FILE cannot be read")):
            found = step(**settings)
            self.assertEqual((found["success"], found["exit_code"]), (False, -1))
            self.assertIn(wanted, found["error"])

    def test_a_token_is_sent_over_tls_or_to_this_host_only(self):
        found = self.step({"code": "print(1)"}, CODE_EXECUTION_SERVICE_URL="http://192.0.2.1:8007", CODE_EXECUTION_SERVICE_TOKEN=self.token)
        self.assertIn("CODE_EXECUTION_SERVICE_URL must begin with https://", found["error"])
        self.assertTrue(self.step({"code": "print(1)"}, CODE_EXECUTION_SERVICE_TOKEN=self.token)["success"])

    # proves: ELV-86
    def test_it_waits_five_seconds_longer_than_the_code_may_take(self):
        import socket
        with socket.create_server(("127.0.0.1", 0)) as silent:
            url = f"http://127.0.0.1:{silent.getsockname()[1]}"
            began = time.monotonic()
            found = self.step({"code": "print(1)", "timeout": 1}, CODE_EXECUTION_SERVICE_URL=url)
            self.assertGreaterEqual(time.monotonic() - began, 6)
        self.assertEqual((found["error"], found["exit_code"]), ("Code execution timed out after 1s", -1))
        # The service is first, unless the machine takes 5 s to start it.
        wait_until("the service's own words", lambda: self.step({"code": "while True: pass", "timeout": 1})["error"] == "Execution timed out")

    # proves: ELV-87
    def test_without_the_variable_it_is_port_8007_of_this_host(self):
        from paddock import workflow
        asked = []
        before, workflow._post = workflow._post, lambda url, body, timeout: asked.append((url, timeout)) or {"success": True}
        self.addCleanup(setattr, workflow, "_post", before)
        with variables():
            asyncio.run(code_execution_step({"config": {"code": "1"}}, None, None))
        self.assertEqual(asked, [("http://localhost:8007", 35.0)])

    # proves: ELV-88
    def test_the_table_of_steps_knows_it_and_no_other(self):
        self.assertIs(step_of("code_execution"), code_execution_step)
        with self.assertRaisesRegex(ValueError, "unknown step type 'shell'; there are: code_execution"):
            step_of("shell")

    # proves partly: ELV-104, ELV-105, ELV-106
    def test_a_workflow_with_it_is_executed_and_shows_its_results(self):
        spec = importlib.util.spec_from_file_location("workflow_example", EXAMPLES / "workflow.py")
        example = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(example)
        with variables(CODE_EXECUTION_SERVICE_URL=f"http://127.0.0.1:{self.port}"):
            done = asyncio.run(example.execute(example.WORKFLOW, {"nums": [1, None, 2, 3]}))
            self.assertEqual((done["status"], done["result"]), ("succeeded", {"mean": 2}))
            self.assertEqual({name: (step["success"], step["exit_code"]) for name, step in done["outputs"].items()},
                             {"clean": (True, 0), "mean": (True, 0)})
            failed = asyncio.run(example.execute(example.WORKFLOW, {"nums": []}))
            self.assertEqual((failed["status"], failed["at"]), ("failed", "mean"))
            self.assertIn("StatisticsError", failed["outputs"]["mean"]["stderr"])
            with self.assertRaisesRegex(ValueError, "unknown step type"):
                asyncio.run(example.execute({"name": "x", "steps": [{"name": "a", "type": "shell"}]}, {}))
