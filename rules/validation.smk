# Medium and hard queries to the opinions of meta-judges: do they keep their calls, are they harder?
localrules:
    sample_triplets,
    read_opinions,


rule sample_triplets:
    """The triplets of easy, medium and hard query that every meta-judge sees."""
    input:
        records=run.records,
        rewrites=run.rewrites,
    output:
        run.path("triplets"),
    log:
        run.log("sample_triplets"),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        draw=as_json(settings.validation and [settings.validation.per_topology, settings.validation.seed]),
        code=code_digest(
            "judging/triplets",
            "corpora/rewrites",
            "corpora/tier_queries",
            "corpora/rewriting",
            "records",
        ),
    message:
        "drawing the triplets for the meta-judges"
    shell:
        "python scripts/sample_triplets.py --config {params.config} --output {output} > {log} 2>&1"


rule ask_opinions:
    """Four yes-or-no questions on each triplet; answers go to the journal."""
    input:
        records=run.records,
        triplets=run.path("triplets"),
        prompts=lambda wildcards: run.prompts_for(wildcards.model, settings.validation.prompt),
        weights=lambda wildcards: run.weights(wildcards.model),
    output:
        run.path("asked", "{model}", "validation", "all"),
    log:
        run.log("ask_opinions", "{model}"),
    wildcard_constraints:
        model=alternatives(META_JUDGES),
    conda:
        "../envs/embedded.yaml"
    threads: lambda wildcards: run.threads(wildcards.model)
    resources:
        **run.asking_resources(lambda wildcards: wildcards.model),
    params:
        config=run.config,
        asks=lambda wildcards: as_json(plan_identity.meta_judge(wildcards.model)),
        code=code_digest("judging/meta_judging", "judging/blocks", *ASKING),
    message:
        "asking {wildcards.model} whether rewrites keep their calls"
    shell:
        "python scripts/ask_opinions.py --config {params.config} --model {wildcards.model}"
        " 2>&1 | tee {log} >&2 && touch {output:q}"


rule read_opinions:
    """What a meta-judge said of each triplet, read from the journal: no model is asked."""
    input:
        records=run.records,
        triplets=run.path("triplets"),
        prompts=lambda wildcards: run.prompts_for(wildcards.model, settings.validation.prompt),
        asked=run.path("asked", "{model}", "validation", "all"),
    output:
        run.path("opinions", "{model}"),
    log:
        run.log("read_opinions", "{model}"),
    wildcard_constraints:
        model=alternatives(META_JUDGES),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        asks=lambda wildcards: as_json(plan_identity.meta_judge(wildcards.model)),
        code=code_digest("judging/meta_judging", "judging/blocks", *ASKING, *READING),
    message:
        "reading what {wildcards.model} said of the rewrites"
    shell:
        "python scripts/read_opinions.py --config {params.config} --model {wildcards.model}"
        " --output {output} > {log} 2>&1"


rule validation:
    """What all meta-judges said."""
    input:
        [run.path("opinions", model) for model in META_JUDGES],
    localrule: True
