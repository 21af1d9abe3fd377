"""A judge whose verdict depends on nothing but what it is asked."""

import hashlib
import json

METRICS = ("tool_selection", "parameter_structure", "sequence", "query_coverage")


def number_of(body):
    """A short name of what a request asks."""
    asked = json.dumps([body["messages"], body["temperature"]])
    return hashlib.sha256(asked.encode()).hexdigest()[:16]


def verdict(body):
    """Marks that look like a judge's."""
    digits = [int(digit, 16) for digit in number_of(body)]
    marks = {
        metric: {"accuracy": (0, 0.5, 1)[digits[k] % 3], "justification": "as the prompt has it"}
        for k, metric in enumerate(METRICS)
    }
    return json.dumps(marks)


def completion(text):
    """The body of a chat completion."""
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return {
        "id": "1",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": usage,
    }
