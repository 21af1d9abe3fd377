# Scores and verdicts to tables and figures. Each has a rule of its own, made from the registry of tables.
rule collect_plans:
    """All plans of a block beside their programmatic scores, in one frame."""
    input:
        records=run.records,
        rewrites=run.rewrites,
        plans=run.block_files("plans"),
        scores=run.block_files("scores"),
    output:
        run.path("scored_plans", "{block}"),
    log:
        run.log("collect_plans", "{block}"),
    wildcard_constraints:
        block=alternatives(settings.blocks),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        code=code_digest("tables/collect", "corpora/tier_queries", "records"),
    message:
        "putting the plans and scores of {wildcards.block} together"
    shell:
        "python scripts/collect_plans.py --config {params.config} --block {wildcards.block}"
        " --output {output} > {log} 2>&1"


rule collect_verdicts:
    """All verdicts of a block beside the programmatic scores, in one frame."""
    input:
        plans=run.path("scored_plans", "{block}"),
        verdicts=run.block_verdicts,
    output:
        run.path("scored_verdicts", "{block}"),
    log:
        run.log("collect_verdicts", "{block}"),
    wildcard_constraints:
        block=alternatives(settings.blocks),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        cells=lambda wildcards: as_json(settings.blocks[wildcards.block].model_dump(exclude={"tables"})),
        code=code_digest("tables/collect", "corpora/tier_queries", "records"),
    message:
        "putting the verdicts of {wildcards.block} together"
    shell:
        "python scripts/collect_verdicts.py --config {params.config} --block {wildcards.block}"
        " --plans {input.plans} --output {output} > {log} 2>&1"


for spec in (TABLES[name] for name in PLAN_TABLES):
    by_condition = "{condition}" if spec.by_condition else None
    option = " --condition {wildcards.condition}" if spec.by_condition else ""

    if spec.kind == "table":

        rule:
            name:
                f"table_{spec.name}"
            input:
                plans=run.path("scored_plans", "{block}"),
                verdicts=run.path("scored_verdicts", "{block}"),
                annotations=run.annotations(spec),
                published=published_map.files_of(spec.name),
            output:
                csv=run.path("table", "{block}", spec.name, "csv", condition=by_condition),
                html=report(
                    run.path("table", "{block}", spec.name, "html", condition=by_condition),
                    **run.table_marks(spec),
                ),
            log:
                run.log(f"table_{spec.name}", "{block}", *([by_condition] if by_condition else [])),
            conda:
                "../envs/statistics.yaml"
            params:
                config=run.config,
                settings=lambda wildcards: as_json(plan_identity.table(wildcards.block)),
                code=code_digest("tables", "corpora/tier_queries", "statistics", "report", "records", "study"),
                table=spec.name,
            message:
                "table {params.table} of {wildcards.block}"
            shell:
                "python scripts/make_table.py --config {params.config} --block {wildcards.block} --table {params.table}"
                " --plans {input.plans} --verdicts {input.verdicts} --csv {output.csv} --html {output.html}"
                + option
                + " > {log} 2>&1"

    else:

        rule:
            name:
                f"figure_{spec.name}"
            input:
                plans=run.path("scored_plans", "{block}"),
                verdicts=run.path("scored_verdicts", "{block}"),
            output:
                report(
                    run.path("figure", "{block}", spec.name, condition=by_condition), **run.table_marks(spec)
                ),
            log:
                run.log(f"figure_{spec.name}", "{block}", *([by_condition] if by_condition else [])),
            conda:
                "../envs/statistics.yaml"
            params:
                config=run.config,
                settings=lambda wildcards: as_json(plan_identity.table(wildcards.block)),
                code=code_digest("tables", "corpora/tier_queries", "statistics", "records"),
                figure=spec.name,
            message:
                "figure {params.figure} of {wildcards.block}"
            shell:
                "python scripts/make_figure.py --config {params.config} --block {wildcards.block} --figure {params.figure}"
                " --plans {input.plans} --verdicts {input.verdicts} --svg {output}"
                + option
                + " > {log} 2>&1"


for block in settings.blocks:

    rule:
        name:
            block
        input:
            run.block_targets(block),
        localrule: True
