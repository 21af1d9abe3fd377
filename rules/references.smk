# References that are made: another record's calls by a shuffle, or a model's own by asking it.
SHUFFLED = [name for name, chosen in settings.references.items() if chosen.kind == "shuffle"]
DERIVED = [name for name, chosen in settings.references.items() if chosen.kind == "derive"]


localrules:
    shuffle_references,
    read_references,


rule shuffle_references:
    """The corrupted reference: each record gets the expected calls of another one."""
    input:
        records=run.records,
    output:
        run.path("references", "{reference}", NO_MODEL, "{tier}"),
    log:
        run.log("shuffle_references", "{reference}", "{tier}"),
    wildcard_constraints:
        reference=alternatives(SHUFFLED),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        shuffle=lambda wildcards: as_json(settings.references[wildcards.reference]),
        code=code_digest("judging/shuffling", "records"),
    message:
        "shuffling the expected calls for {wildcards.reference}, {wildcards.tier}"
    shell:
        "python scripts/shuffle_references.py --config {params.config}"
        " --reference {wildcards.reference} --tier {wildcards.tier} --output {output} > {log} 2>&1"


rule ask_references:
    """Asks a model for the calls that it expects; it sees no plan. Answers go to the journal."""
    input:
        records=run.records,
        rewrites=run.rewrites,
        prompts=run.reference_prompts,
    output:
        run.path("asked", "{model}", "references/{reference}", "{lane}"),
    log:
        run.log("ask_references", "{model}", "{reference}", "{lane}"),
    wildcard_constraints:
        reference=alternatives(DERIVED),
    conda:
        "../envs/embedded.yaml"
    threads: lambda wildcards: run.threads(wildcards.model)
    resources:
        **run.asking_resources(lambda wildcards: wildcards.model),
    params:
        config=run.config,
        asks=lambda wildcards: as_json(plan_identity.reference(wildcards.reference, wildcards.model)),
        tiers=as_json(settings.tiers),
        code=code_digest(
            "judging/derivation",
            "judging/material",
            "plans/generation",
            "plans/written",
            "corpora/rewrites",
            "corpora/tier_queries",
            "corpora/rewriting",
            *ASKING,
        ),
    message:
        "asking {wildcards.model} for the calls that it expects ({wildcards.reference}, {wildcards.lane})"
    shell:
        "python scripts/ask_references.py --config {params.config} --reference {wildcards.reference}"
        " --model {wildcards.model} --lane {wildcards.lane} 2>&1 | tee {log} >&2 && touch {output:q}"


rule read_references:
    """The references that a model derived, read from the journal: no model is asked."""
    input:
        records=run.records,
        rewrites=run.rewrites,
        prompts=run.reference_prompts,
        asked=run.reference_stamps,
    output:
        run.path("references", "{reference}", "{model}", "{tier}"),
    log:
        run.log("read_references", "{reference}", "{model}", "{tier}"),
    wildcard_constraints:
        reference=alternatives(DERIVED),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        asks=lambda wildcards: as_json(plan_identity.reference(wildcards.reference, wildcards.model)),
        code=code_digest(
            "judging/derivation",
            "judging/material",
            "plans",
            "corpora/rewrites",
            "corpora/tier_queries",
            "corpora/rewriting",
            "models/defusing",
            "models/prompts",
            "models/requests",
            *READING,
            without=("plans/faults", "plans/perturb", "plans/placeholders", "plans/scoring", "plans/lanes"),
        ),
    message:
        "reading the {wildcards.tier} references of {wildcards.model} ({wildcards.reference})"
    shell:
        "python scripts/read_references.py --config {params.config} --reference {wildcards.reference}"
        " --model {wildcards.model} --tier {wildcards.tier} --output {output} > {log} 2>&1"
