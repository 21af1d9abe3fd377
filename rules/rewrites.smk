# Records to medium and hard queries, for records whose source has none.
REWRITER = settings.rewrites.model if settings.rewrites else ""


localrules:
    read_rewrites,


rule ask_rewrites:
    """Both queries of each record in one request; answers go to the journal."""
    input:
        records=run.records,
        prompts=run.prompts_for(REWRITER, settings.rewrites.prompt) if settings.rewrites else [],
        weights=lambda wildcards: run.weights(wildcards.model),
    output:
        run.path("asked", "{model}", "rewrites", "all"),
    log:
        run.log("ask_rewrites", "{model}"),
    wildcard_constraints:
        model=alternatives([REWRITER] if REWRITER else []),
    conda:
        "../envs/embedded.yaml"
    threads: lambda wildcards: run.threads(wildcards.model)
    resources:
        **run.asking_resources(lambda wildcards: wildcards.model),
    params:
        config=run.config,
        asks=lambda wildcards: as_json(plan_identity.rewriter(wildcards.model)),
        code=code_digest("corpora/rewrites", "corpora/tier_queries", "corpora/rewriting", *ASKING),
    message:
        "asking {wildcards.model} to rewrite queries"
    shell:
        "python scripts/ask_rewrites.py --config {params.config}" " 2>&1 | tee {log} >&2 && touch {output:q}"


rule read_rewrites:
    """The rewrites, each with its status; no model is asked."""
    input:
        records=run.records,
        asked=run.path("asked", "{model}", "rewrites", "all"),
    output:
        run.path("rewrites", "{model}"),
    log:
        run.log("read_rewrites", "{model}"),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        asks=lambda wildcards: as_json(plan_identity.rewriter(wildcards.model)),
        code=code_digest(
            "corpora/rewrites",
            "corpora/tier_queries",
            "corpora/rewriting",
            "corpora/values",
            *ASKING,
            *READING,
        ),
    message:
        "reading the rewrites of {wildcards.model}"
    shell:
        "python scripts/read_rewrites.py --config {params.config}" " --output {output} > {log} 2>&1"
