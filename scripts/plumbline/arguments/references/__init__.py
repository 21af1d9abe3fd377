"""References of argument judging: what models are asked, how it is read, what is made of it."""

from plumbline.arguments.references.made import made_references
from plumbline.arguments.references.reading import is_readable, read_references
from plumbline.arguments.references.requests import ReferenceStage, count_references, reference_requests

__all__ = [
    "ReferenceStage",
    "count_references",
    "is_readable",
    "made_references",
    "read_references",
    "reference_requests",
]
