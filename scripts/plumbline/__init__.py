"""plumbline measures how far LLM judges of agentic tool calls can be trusted."""

__version__ = "0.1.0"
