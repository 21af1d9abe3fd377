# Domain labels to records: a model writes each stage, a program checks it, every stage is a file of its own.
localrules:
    read_synthesis,
    synthesis_yield,


rule ask_synthesis:
    """One stage of the records of one domain, asked again with what was wrong; answers go to the journal."""
    input:
        before=run.stages_before,
        prompts=run.synthesis_prompts,
        weights=lambda wildcards: run.weights(run.writer(wildcards)),
    output:
        run.path("asked", "{source}", "synthesis", "{domain}.{stage}"),
    log:
        run.log("ask_synthesis", "{source}", "{domain}", "{stage}"),
    wildcard_constraints:
        source=alternatives(SYNTHESISED),
        stage=alternatives(stages.NAMES),
    conda:
        "../envs/embedded.yaml"
    threads: lambda wildcards: run.threads(run.writer(wildcards))
    resources:
        **run.asking_resources(lambda wildcards: run.writer(wildcards)),
    params:
        config=run.config,
        asks=lambda wildcards: as_json(plan_identity.synthesis(wildcards.source)),
        before=lambda wildcards, input: " ".join(f"--before {file}" for file in input.before),
        code=code_digest("corpora", *ASKING, without=OTHER_SOURCES),
    message:
        "asking for the {wildcards.stage} of {wildcards.domain} ({wildcards.source})"
    shell:
        "python scripts/ask_synthesis.py --config {params.config} --source {wildcards.source}"
        " --domain {wildcards.domain} --stage {wildcards.stage} {params.before}"
        " 2>&1 | tee {log} >&2 && touch {output:q}"


rule read_synthesis:
    """One stage of the records of one domain, read from the journal: no model is asked."""
    input:
        before=run.stages_before,
        prompts=run.synthesis_prompts,
        asked=run.path("asked", "{source}", "synthesis", "{domain}.{stage}"),
    output:
        run.path("synthesis", "{source}", "{domain}", "{stage}"),
    log:
        run.log("read_synthesis", "{source}", "{domain}", "{stage}"),
    wildcard_constraints:
        source=alternatives(SYNTHESISED),
        stage=alternatives(stages.NAMES),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        asks=lambda wildcards: as_json(plan_identity.synthesis(wildcards.source)),
        before=lambda wildcards, input: " ".join(f"--before {file}" for file in input.before),
        code=code_digest("corpora", *ASKING, *READING, without=OTHER_SOURCES),
    message:
        "reading the {wildcards.stage} of {wildcards.domain} ({wildcards.source})"
    shell:
        "python scripts/read_synthesis.py --config {params.config} --source {wildcards.source}"
        " --domain {wildcards.domain} --stage {wildcards.stage} {params.before} --output {output} > {log} 2>&1"


rule synthesis_yield:
    """How many records came through each stage, and why the others did not."""
    input:
        lambda wildcards: run.stage_files(wildcards.source),
    output:
        csv=run.path("synthesis_yield", "{source}", "csv"),
        html=report(
            run.path("synthesis_yield", "{source}", "html"),
            category="Corpus",
            labels={"result": "What came through each stage of {source}", "form": "table", "block": CORPUS},
            caption="../resources/captions/synthesis_yield.rst",
        ),
    log:
        run.log("synthesis_yield", "{source}"),
    wildcard_constraints:
        source=alternatives(SYNTHESISED),
    conda:
        "../envs/statistics.yaml"
    params:
        run=run.name,
        code=code_digest("corpora", "report", "tables", "records"),
    message:
        "counting what came through each stage of {wildcards.source}"
    shell:
        "python scripts/make_synthesis_yield.py {input} --run {params.run} --source {wildcards.source}"
        " --csv {output.csv} --html {output.html} > {log} 2>&1"
