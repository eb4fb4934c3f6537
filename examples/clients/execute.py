"""A few lines of Python in a sandbox of their own, as one would call a function.

    paddock up && PYTHONPATH=clients/python python3 examples/clients/execute.py
"""
from paddock import Client

with Client() as client:
    answer = client.execute("print(sum(input_data['nums']))", {"nums": [1, 2, 3]})
    print(answer.stdout, end="")
    refused = client.execute("import os")
    print(refused.validation_errors)
