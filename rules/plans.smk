# Records to plans to scores: a generator is a model, or `perturb` with its faults.
localrules:
    perturb_plans,
    read_plans,  # seconds on one core, less than a job waits in a queue


rule perturb_plans:
    """Plans of a generator without a model: the expected calls with one known fault each."""
    input:
        records=run.records,
    output:
        run.path("plans", "{generator}", "{tier}"),
    log:
        run.log("perturb_plans", "{generator}", "{tier}"),
    wildcard_constraints:
        generator=alternatives(run.plan_faults),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        faults=lambda wildcards: as_json(settings.generators[wildcards.generator]),
        seed=settings.seed,
        tiers=as_json(settings.tiers),
        code=code_digest("plans/perturb", "plans/faults", "plans/placeholders", "plans/written", "records"),
    message:
        "{wildcards.generator}: {wildcards.tier} plans with known faults"
    shell:
        "python scripts/perturb_plans.py --config {params.config}"
        " --generator {wildcards.generator} --tier {wildcards.tier} --output {output} > {log} 2>&1"


rule ask_plans:
    """Asks a model for the plans of a lane; answers go to the journal, the stamp says that all were asked."""
    input:
        records=run.records,
        rewrites=run.rewrites,
        prompts=run.plan_prompts,
        weights=lambda wildcards: run.weights(settings.generators[wildcards.generator].model),
    output:
        run.path("asked", "{generator}", "plans", "{lane}"),
    log:
        run.log("ask_plans", "{generator}", "{lane}"),
    wildcard_constraints:
        generator=alternatives(run.plan_models),
    conda:
        "../envs/embedded.yaml"
    threads: lambda wildcards: run.threads(settings.generators[wildcards.generator].model)
    resources:
        **run.asking_resources(lambda wildcards: settings.generators[wildcards.generator].model),
    params:
        config=run.config,
        asks=lambda wildcards: as_json(plan_identity.generator(wildcards.generator)),
        tiers=as_json(settings.tiers),
        code=code_digest(
            "plans/generation",
            "plans/lanes",
            "plans/written",
            "corpora/rewrites",
            "corpora/tier_queries",
            "corpora/rewriting",
            *ASKING,
        ),
    message:
        "asking {wildcards.generator} for plans ({wildcards.lane})"
    shell:
        "python scripts/ask_plans.py --config {params.config}"
        " --generator {wildcards.generator} --lane {wildcards.lane} 2>&1 | tee {log} >&2 && touch {output:q}"


rule read_plans:
    """The plans of one generator and tier, read from the journal: no model is asked."""
    input:
        records=run.records,
        rewrites=run.rewrites,
        prompts=run.plan_prompts,
        asked=run.plan_stamps,
    output:
        run.path("plans", "{generator}", "{tier}"),
    log:
        run.log("read_plans", "{generator}", "{tier}"),
    wildcard_constraints:
        generator=alternatives(run.plan_models),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        asks=lambda wildcards: as_json(plan_identity.generator(wildcards.generator)),
        code=code_digest(
            "plans",
            "corpora/rewrites",
            "corpora/tier_queries",
            "corpora/rewriting",
            *ASKING,
            *READING,
            without=("plans/perturb", "plans/faults", "plans/placeholders", "plans/scoring"),
        ),
    message:
        "reading the {wildcards.tier} plans of {wildcards.generator}"
    shell:
        "python scripts/read_plans.py --config {params.config}"
        " --generator {wildcards.generator} --tier {wildcards.tier}"
        " --output {output} > {log} 2>&1"


rule score_plans:
    """Programmatic scores of one generator's plans (equations 1 to 4)."""
    input:
        records=run.records,
        plans=run.path("plans", "{generator}", "{tier}"),
    output:
        run.path("scores", "{generator}", "{tier}"),
    log:
        run.log("score_plans", "{generator}", "{tier}"),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        scoring=as_json(settings.scoring),
        code=code_digest("plans/scoring", "records"),
    message:
        "scoring the {wildcards.tier} plans of {wildcards.generator}"
    shell:
        "python scripts/score_plans.py --config {params.config} --records {input.records} --plans {input.plans}"
        " --output {output} > {log} 2>&1"
