# What a person reads first: the front page, and the manifest that says what the run was made with.
localrules:
    manifest,
    front_page,


rule manifest:
    """Versions, model revisions, digests of prompts and data, seeds, and the configuration as resolved."""
    input:
        records=run.records if settings.judges_plans else [],
        states=[data.path("states", dataset) for dataset in data.datasets],
        prompts=[*run.used_prompts(), *data.used_prompts()],
        weights=run.used_weights(),
        released=run.path("released_report") if settings.released else [],
    output:
        f"{run.folder}/manifest.json",
    log:
        run.log("manifest"),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        settings=lambda wildcards: as_json(settings),  # a command in it may hold braces
        code=code_digest("."),
    message:
        "writing down what the run was made with"
    shell:
        "python scripts/write_manifest.py --config {params.config} --output {output} > {log} 2>&1"


rule claims:
    """Every claim of the paper with the number that the run gets: reproduced, differs, or not run."""
    input:
        plans=[run.path("scored_plans", block) for block in settings.blocks],
        tables=[file for _, file in run.claim_tables()],
        published=published_map.all_files(),
    output:
        csv=f"{run.folder}/tables/claims.csv",
        html=report(
            run.claims_page,
            category="Overview",
            labels={"result": "Claims of the paper", "form": "table", "block": "all"},
            caption="../resources/captions/claims.rst",
        ),
    log:
        run.log("claims"),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        plans=lambda wildcards, input: " ".join(f"--plans {file}" for file in input.plans),
        tables=" ".join(f"--table {name}={file}" for name, file in run.claim_tables()),
        settings=as_json(plan_identity.claims()),
        code=code_digest("tables", "report", "statistics", "records"),
    message:
        "the paper's claims"
    shell:
        "python scripts/make_claims.py --config {params.config} {params.plans} {params.tables}"
        " --csv {output.csv} --html {output.html} > {log} 2>&1"


rule front_page:
    """The report's front page: headline numbers, coverage, warnings, and what to look at."""
    input:
        manifest=f"{run.folder}/manifest.json",
        tables=list(run.front_tables().values()),
    output:
        report(
            run.front_page,
            category="Overview",
            labels={"result": "Overview", "form": "table", "block": "all"},
            caption="../resources/captions/overview.rst",
        ),
    log:
        run.log("front_page"),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        tables=" ".join(f"--table {name}={file}" for name, file in run.front_tables().items()),
        code=code_digest("report", "tables"),
    message:
        "the report's front page"
    shell:
        "python scripts/make_front_page.py --config {params.config} --manifest {input.manifest} {params.tables}"
        " --output {output} > {log} 2>&1"
