"""A small workflow engine with the step `code_execution`: each step gets what the one before printed.

    PADDOCK_CONTROLLER_EXECUTE_PORT=8007 paddock up && PYTHONPATH=clients/python python3 examples/clients/workflow.py
"""
import asyncio
import json

from paddock.workflow import step_of

WORKFLOW = {"name": "mean", "steps": [
    {"name": "clean", "type": "code_execution", "config": {
        "code": "import json\nprint(json.dumps({'nums': [n for n in input_data['nums'] if n is not None]}))"}},
    {"name": "mean", "type": "code_execution", "config": {
        "timeout": 5, "memory_mb": 128,
        "code": "import json, statistics\nprint(json.dumps({'mean': statistics.mean(input_data['nums'])}))"}},
]}


async def execute(workflow, data):
    outputs = {}
    for step in workflow["steps"]:
        outputs[step["name"]] = found = await step_of(step["type"])(step, data, {"workflow": workflow["name"]})
        if not found["success"]:
            return {"status": "failed", "at": step["name"], "outputs": outputs}
        data = json.loads(found["stdout"])
    return {"status": "succeeded", "result": data, "outputs": outputs}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(execute(WORKFLOW, {"nums": [1, None, 2, 3]})), indent=2))
