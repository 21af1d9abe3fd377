# Judgments to tables and figures of argument judging, and the targets that a user asks for.
rule collect_judgments:
    """All judgments of an argument block beside their items, and the references that its inputs show."""
    input:
        data=lambda wildcards: data.block_data(wildcards.block),
        judgments=lambda wildcards: data.block_judgments(wildcards.block),
        references=lambda wildcards: data.block_references(wildcards.block),
    output:
        judgments=run.path("judged_items", "{block}"),
        references=run.path("judged_references", "{block}"),
    log:
        run.log("collect_judgments", "{block}"),
    wildcard_constraints:
        block=alternatives(data.blocks),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        cells=lambda wildcards: as_json(identity.block(wildcards.block)),
        code=code_digest("tables/collect", "tables/collect_arguments", "records"),
    message:
        "putting the judgments of {wildcards.block} together"
    shell:
        "python scripts/collect_judgments.py --config {params.config} --block {wildcards.block}"
        " --judgments {output.judgments} --references {output.references} > {log} 2>&1"


for spec in ARGUMENT_RESULTS:

    if spec.kind == "table":

        rule:
            name:
                f"table_{spec.name}"
            input:
                judgments=run.path("judged_items", "{block}"),
                references=run.path("judged_references", "{block}"),
                published=published_map.files_of(spec.name),
            output:
                csv=run.path("table", "{block}", spec.name, "csv"),
                html=report(run.path("table", "{block}", spec.name, "html"), **argument_marks(spec)),
            log:
                run.log(f"table_{spec.name}", "{block}"),
            wildcard_constraints:
                block=alternatives(data.blocks),
            conda:
                "../envs/statistics.yaml"
            params:
                config=run.config,
                settings=lambda wildcards: as_json(identity.tables(wildcards.block)),
                code=code_digest("tables", "statistics", "report", "records", *COMPARED),
                table=spec.name,
            message:
                "table {params.table} of {wildcards.block}"
            shell:
                "python scripts/make_argument_table.py --config {params.config} --block {wildcards.block}"
                " --table {params.table} --judgments {input.judgments} --references {input.references}"
                " --csv {output.csv} --html {output.html} > {log} 2>&1"

    else:

        rule:
            name:
                f"figure_{spec.name}"
            input:
                judgments=run.path("judged_items", "{block}"),
                references=run.path("judged_references", "{block}"),
            output:
                report(run.path("figure", "{block}", spec.name), **argument_marks(spec)),
            log:
                run.log(f"figure_{spec.name}", "{block}"),
            wildcard_constraints:
                block=alternatives(data.blocks),
            conda:
                "../envs/statistics.yaml"
            params:
                config=run.config,
                settings=lambda wildcards: as_json(identity.tables(wildcards.block)),
                code=code_digest("tables", "statistics", "records", *COMPARED),
                figure=spec.name,
            message:
                "figure {params.figure} of {wildcards.block}"
            shell:
                "python scripts/make_argument_figure.py --config {params.config} --block {wildcards.block}"
                " --figure {params.figure} --judgments {input.judgments} --references {input.references}"
                " --svg {output} > {log} 2>&1"


for block in data.blocks:

    rule:
        name:
            block
        input:
            argument_targets(block),
        localrule: True


# a table or figure of argument judging is a target by its name: in every block that asks for it
for spec in ARGUMENT_RESULTS:
    listing = [block for block in data.blocks if spec.name in settings.arguments.blocks[block].tables]
    if listing:

        rule:
            name:
                spec.name
            input:
                [argument_result(spec, block) for block in listing],
            localrule: True


localrules:
    arguments,


rule arguments:
    """Everything of argument judging."""
    input:
        [file for block in data.blocks for file in argument_targets(block)],
        data.all_data(),
        [f"{run.folder}/tables/arguments.html"] if data.blocks else [],
