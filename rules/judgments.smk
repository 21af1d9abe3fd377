# Items and references to judgments: one rule asks, another reads one cell's file, for every argument cell.
localrules:
    read_judgments,  # one short job a cell
    match_judgments,


rule ask_judgments:
    """Asks a judge for all judgments of a lane; answers go to the journal, the stamp says that it is done."""
    input:
        data=lambda wildcards: data.cells_data(lane_of_arguments(wildcards)),
        weights=lambda wildcards: run.weights(judge_model(wildcards)),
    output:
        run.path("asked", "{judge}", "{block}", "{lane}"),
    log:
        run.log("ask_judgments", "{judge}", "{block}", "{lane}"),
    wildcard_constraints:
        judge=alternatives(data.asked_judges),
        block=alternatives(data.blocks),
    conda:
        "../envs/embedded.yaml"
    threads: lambda wildcards: run.threads(judge_model(wildcards))
    resources:
        **run.asking_resources(lambda wildcards: judge_model(wildcards)),
    params:
        config=run.config,
        asks=lambda wildcards: as_json(identity.lane(lane_of_arguments(wildcards))),
        code=code_digest(
            "arguments/judge_material",
            "arguments/material",
            "arguments/questions",
            "arguments/sampling",
            "models/first_token",
            *SHOWN,
            *WRITTEN,
            *ASKING,
        ),
    message:
        "asking {wildcards.judge} for the judgments of {wildcards.block} ({wildcards.lane})"
    shell:
        "python scripts/ask_judgments.py --config {params.config} --judge {wildcards.judge}"
        " --block {wildcards.block} --lane {wildcards.lane} 2>&1 | tee {log} >&2 && touch {output:q}"


rule read_judgments:
    """One cell's judgments, read from the journal: no model is asked."""
    input:
        data=lambda wildcards: data.cells_data([argument_cell(wildcards)]),
        asked=lambda wildcards: data.judgment_stamps(argument_cell(wildcards)),
    output:
        run.path("judgments", "{judge}", "{dataset}", "{input}"),
    log:
        run.log("read_judgments", "{judge}", "{dataset}", "{input}"),
    wildcard_constraints:
        judge=alternatives(data.asked_judges),
        dataset=alternatives(data.datasets),
    conda:
        "../envs/embedded.yaml"
    params:
        config=run.config,
        asks=lambda wildcards: as_json(identity.cell(argument_cell(wildcards))),
        code=code_digest(
            "arguments/judge_material",
            "arguments/material",
            "arguments/questions",
            "arguments/reading",
            "arguments/input_paths",
            "arguments/paths",
            "arguments/sampling",
            "arguments/first_token",
            "models/first_token",
            "models/wire",
            *SHOWN,
            *WRITTEN,
            *ASKING,
            *READING,
        ),
    message:
        "{wildcards.judge} on {wildcards.dataset}, {wildcards.input}"
    shell:
        "python scripts/read_judgments.py --config {params.config} --judge {wildcards.judge}"
        " --dataset {wildcards.dataset} --input {wildcards.input} --output {output} > {log} 2>&1"


rule match_judgments:
    """The free baseline: a value is right if it is the one that a reference states. No model is asked."""
    input:
        listed=run.path("argument_items", "{dataset}"),
        references=lambda wildcards: data.matched(argument_cell(wildcards)),
    output:
        run.path("judgments", "{judge}", "{dataset}", "{input}"),
    log:
        run.log("match_judgments", "{judge}", "{dataset}", "{input}"),
    wildcard_constraints:
        judge=alternatives(data.matching_judges),
        dataset=alternatives(data.datasets),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        matched=lambda wildcards: as_json(identity.matching(argument_cell(wildcards))),
        code=code_digest(
            "arguments/matching", "arguments/paths", "corpora/values", "records", *SHOWN, *ASKING
        ),
    message:
        "{wildcards.judge} on {wildcards.dataset}, {wildcards.input}"
    shell:
        "python scripts/match_judgments.py --config {params.config} --judge {wildcards.judge}"
        " --dataset {wildcards.dataset} --input {wildcards.input} --output {output} > {log} 2>&1"
