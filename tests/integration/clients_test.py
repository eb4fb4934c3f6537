"""Both clients, their examples and the workflow step against a live instance, which all of them share: the tests are in the
modules that are named here."""
import clients_attached
import clients_python
import clients_typescript
import clients_workflow
from harness import main


class PythonClient(clients_python.PythonClient):
    pass


class PythonSessions(clients_python.PythonSessions):
    pass


class PythonAttached(clients_attached.PythonAttached):
    pass


class WorkflowStep(clients_workflow.WorkflowStep):
    pass


class TypeScriptClient(clients_typescript.TypeScriptClient):
    pass


if __name__ == "__main__":
    main()
