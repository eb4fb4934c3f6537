"""Runs Python tests in a Paddock sandbox. Standard library only; needs the program `paddock`."""
from .policy import SandboxPolicy
from .pytests import run_pytests, run_pytests_v2
from .result import SandboxResult

__all__ = ["SandboxPolicy", "SandboxResult", "run_pytests", "run_pytests_v2"]
