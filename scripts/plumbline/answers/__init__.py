"""What every model's answer needs before it is read: reasoning cuts, tolerant JSON, refusals, statuses."""

from plumbline.answers.cleaning import Answer, clean, reasoned
from plumbline.answers.forms import Whole, check_end, is_blank, openings, scan, trim, whole_value
from plumbline.answers.json_values import (
    MAX_DEPTH,
    Conflict,
    NonFinite,
    alternatives,
    flaw,
    plain,
    put,
    same_value,
    shown,
    walk,
    without_surrogates,
)
from plumbline.answers.refusals import declines
from plumbline.answers.tolerant_json import (
    Decoder,
    DecodingError,
    ExhaustedError,
    MalformedError,
    TruncatedError,
    decode,
    number_of,
)
from plumbline.records.statuses import (
    JudgmentStatus,
    NoAnswerStatus,
    PlanStatus,
    RewriteStatus,
    VerdictStatus,
)

__all__ = [
    "MAX_DEPTH",
    "Answer",
    "Conflict",
    "Decoder",
    "ExhaustedError",
    "JudgmentStatus",
    "MalformedError",
    "NoAnswerStatus",
    "NonFinite",
    "PlanStatus",
    "ReferenceStatus",
    "RewriteStatus",
    "TruncatedError",
    "DecodingError",
    "VerdictStatus",
    "Whole",
    "alternatives",
    "check_end",
    "clean",
    "declines",
    "decode",
    "flaw",
    "is_blank",
    "number_of",
    "openings",
    "plain",
    "put",
    "reasoned",
    "same_value",
    "scan",
    "shown",
    "trim",
    "walk",
    "whole_value",
    "without_surrogates",
]
