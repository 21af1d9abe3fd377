"""Where the AgentJudgeBench paper contradicts itself, as it is told beside the figures (choices.md)."""

from __future__ import annotations

STANDARD_SCALE = (
    "Conflict in the paper (C-A4): on the standard scale it prints 87.6 for QwQ-32B, where the mean of "
    "its own 15 cells is 87.99; the other judges agree with their cells within 0.1."
)
CURVES = (
    "Conflict in the paper (C-A5): the figure is said to be over five generators. Its curve with the "
    "expected calls is the mean of neither four nor five, that without them the mean of the four with "
    "open weights."
)
LEADERS = (
    "Conflict in the paper (C-A3): the caption says five generators; the values are means over the four "
    "with open weights."
)
JURY = (
    "Conflict in the paper (C-A18): for hard queries without the expected calls the earlier draft has "
    "77.6, the paper 79.5; whose plans are pooled is not said."
)
TEMPERATURE = (
    "Conflict in the paper (C-A26): its introduction says at most 0.25 pp for both pairings; its table "
    "has up to 0.6 for Qwen3-32B on Llama-3.3-70B."
)
EXTRA_KEYS = (
    "Conflict in the paper (C-A30): the text on extra keys says 53,619 plans, its Appendix D sums to 53,608."
)
LOSSES = (
    "Conflict in the paper (C-A31): the total rate is printed as 93.8, where 53,608 of 57,120 are "
    "93.85; the rates of SmolLM3-3B by tier are cut, not rounded; 5.7 % unreadable plans leave 0.45 "
    "points of the shortfall of 6.15 without a cause."
)
UNANIMITY = (
    "Conflict in the paper (C-A32): its prose says that every triplet is unanimously harder on the last "
    "criterion; its table has 186 of 198."
)
WITHOUT_ONE = (
    "The bodies of the paper's Table 22 are derived (C-A32): two rows fit the differences that it "
    "prints; the last is 1.5 from exact counts and 1.6 from rounded ones."
)
PEOPLE_RANKS = (
    "Conflict in the paper (C-A33): its prose has QwQ-32B fourth and GPT-OSS-120B first on both sides; "
    "by its figures QwQ-32B is third with people and GPT-OSS-120B second with the program."
)
CONFUSION = (
    "Conflict in the paper (C-A37): its matrices give 87.9 % and kappa 0.613 where Table 3 has 89.4 % "
    "and 0.606, and 70.4 % and 0.266 where it prints 70.3 and 0.23 and Table 3 has 0.225; their "
    "disagreements touch 0.5 in 94.2 and 97.0 %, where the text has 94.7 and 96.8."
)
TOOLS = (
    "Conflict in the paper (C-A41): 8 to 19 tools per record in its statistics, 5 to 14 in the "
    "methodology of the earlier draft."
)
DISAGREEMENTS = (
    "Conflict in the paper (C-A47): it speaks of 9 of 21 disagreements on tool selection; its table has "
    "9 on tool selection and 21 on parameter structure."
)
BAND = (
    "Conflict in the paper (C-A35): it says 77 to 82 % in four of five generators. By its cells the "
    "generators are at 84.2, 81.4, 79.5, 77.2 and 70.6, the judges from 77.9 to 79.7."
)
LAST_STEP = (
    "Conflict in the paper (C-A36): 5 to 7 pp are said; by its cells single judges fall by 3.5 to 6.1."
)
CORRUPTED = (
    "Conflict in the paper (C-A21): with the expected calls this table differs from Table 2 by up to 3.3 pp."
)
TUPLES = (
    "The paper calls 321,648 evaluations what was judged twice (C-A43); the authors' notes multiply "
    "685,440 possible ones."
)

OF_CLAIMS: dict[tuple[str, str], str] = {
    ("A1", "tools_per_record"): TOOLS,
    ("A1", "tools_per_record (earlier draft, methodology)"): TOOLS,
    ("A22", "hard_band"): BAND,
    ("A22", "medium_to_hard_drop"): LAST_STEP,
    ("A37", "max_spread"): TEMPERATURE,
    ("A38", "max_spread"): TEMPERATURE,
    ("A55", "run_to_run_upper_bound"): TEMPERATURE,
    ("A44", "parameter_disagreements_schema_valid_extra_keys"): DISAGREEMENTS,
    ("A44", "parameter_disagreements_other"): DISAGREEMENTS,
}
"""Conflicts of the numbers of the text, by item and quantity."""
