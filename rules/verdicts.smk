# Plans to verdicts: one rule asks and keeps every answer, another reads one cell's file from the answers.
# The job itself makes the stamp: what Slurm tells of a job that it lost would pass for its success.
localrules:
    read_verdicts,  # one short job a cell, thousands in a large experiment


rule ask_verdicts:
    """Asks a judge for all verdicts of a lane; answers go to the journal, the stamp says that all were asked."""
    input:
        records=run.records,
        rewrites=run.rewrites,
        plans=run.lane_plans,
        references=run.lane_references,
        prompts=run.lane_prompts,
        weights=lambda wildcards: run.weights(settings.judges[wildcards.judge].model),
        template=run.lane_template,
    output:
        run.path("asked", "{judge}", "{block}", "{lane}"),
    log:
        run.log("ask_verdicts", "{judge}", "{block}", "{lane}"),
    wildcard_constraints:
        judge=alternatives(run.asked_judges),
        block=alternatives(settings.blocks),
    conda:
        "../envs/embedded.yaml"
    threads: lambda wildcards: run.threads(settings.judges[wildcards.judge].model)
    resources:
        **run.asking_resources(lambda wildcards: settings.judges[wildcards.judge].model),
    params:
        config=run.config,
        asks=lambda wildcards: as_json(plan_identity.lane(wildcards.judge, run.lane_cells(wildcards))),
        code=code_digest(
            "judging/requests",
            "judging/blocks",
            "judging/material",
            "judging/verdicts",
            "corpora/rewrites",
            "corpora/tier_queries",
            "corpora/rewriting",
            "judging/prometheus",
            "judging/simulation",
            "judging/prometheus_template",
            *ASKING,
        ),
    message:
        "asking {wildcards.judge} for the verdicts of {wildcards.block} ({wildcards.lane})"
    shell:
        "python scripts/ask_verdicts.py --config {params.config}"
        " --judge {wildcards.judge} --block {wildcards.block} --lane {wildcards.lane}"
        " 2>&1 | tee {log} >&2 && touch {output:q}"


rule read_verdicts:
    """One cell's verdicts, read from the journal: no model is asked."""
    input:
        records=run.records,
        rewrites=run.rewrites,
        plans=run.path("plans", "{generator}", "{tier}"),
        references=run.cell_references,
        prompts=run.cell_prompts,
        template=run.cell_template,
        asked=run.verdict_stamps,
    output:
        run.path("verdicts", "{judge}", "{generator}", "{tier}", "{condition}"),
    log:
        run.log("read_verdicts", "{judge}", "{generator}", "{tier}", "{condition}"),
    wildcard_constraints:
        judge=alternatives(run.asked_judges),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        condition=lambda wildcards: as_json(plan_identity.cell(wildcards.judge, wildcards.condition)),
        code=code_digest(
            "judging",
            "corpora/rewrites",
            "corpora/tier_queries",
            "corpora/rewriting",
            *ASKING,
            *READING,
        ),
    message:
        "{wildcards.judge} on {wildcards.generator}, {wildcards.tier}, {wildcards.condition}"
    shell:
        "python scripts/read_verdicts.py --config {params.config}"
        " --judge {wildcards.judge} --generator {wildcards.generator} --tier {wildcards.tier}"
        " --condition {wildcards.condition} --output {output} > {log} 2>&1"
