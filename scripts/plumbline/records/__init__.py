"""The data model (what every file between the stages holds) and how files are read and written."""

from plumbline.records.errors import DataError, UserError
from plumbline.records.files import (
    atomic_path,
    digest_of,
    read_json_lines,
    write_json_lines,
    write_table,
    write_text,
)
from plumbline.records.model import (
    METRICS,
    READINGS,
    TIERS,
    TOPOLOGIES,
    ExpectedCall,
    Plan,
    Queries,
    Record,
    Reference,
    Rewrite,
    Score,
    Tool,
    ToolCall,
    Usage,
    Verdict,
)

__all__ = [
    "METRICS",
    "READINGS",
    "TIERS",
    "TOPOLOGIES",
    "DataError",
    "ExpectedCall",
    "Plan",
    "Queries",
    "Record",
    "Reference",
    "Rewrite",
    "Score",
    "Tool",
    "ToolCall",
    "Usage",
    "UserError",
    "Verdict",
    "atomic_path",
    "digest_of",
    "read_json_lines",
    "write_json_lines",
    "write_table",
    "write_text",
]
