"""The one room that speaks HTTP: requests to models, the journal of their answers, the engines."""

from plumbline.models.asking import ask, find_conversations, find_outcomes
from plumbline.models.clock import Clock
from plumbline.models.engines import Endpoint, serve
from plumbline.models.journal import Journal
from plumbline.models.lane import Report
from plumbline.models.requests import Failure, Message, Reply, Request

__all__ = [
    "Clock",
    "Endpoint",
    "Failure",
    "Journal",
    "Message",
    "Reply",
    "Report",
    "Request",
    "ask",
    "find_conversations",
    "find_outcomes",
    "serve",
]
