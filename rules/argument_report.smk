# The front page of argument judging, and every number that the DeRef paper states.
localrules:
    argument_page,


rule argument_claims:
    """Every number of the DeRef paper with the one that the run gets: reproduced, differs, or not run."""
    input:
        tables=[file for _, file in argument_csvs(argument_published.CLAIM_TABLES)],
        published=str(published_map.FOLDER / "deref_claims.csv"),
    output:
        csv=ARGUMENT_CLAIMS,
        html=report(
            f"{run.folder}/tables/argument_claims.html",
            category="Argument judging",
            labels={"result": "Claims of the paper on arguments", "form": "table", "block": "all"},
            caption="../resources/captions/argument_claims.rst",
        ),
    log:
        run.log("argument_claims"),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        tables=" ".join(
            f"--table {name}={file}" for name, file in argument_csvs(argument_published.CLAIM_TABLES)
        ),
        settings=as_json(settings.arguments),
        code=code_digest("tables", "report", "statistics", "records"),
    message:
        "the claims of the DeRef paper"
    shell:
        "python scripts/make_argument_claims.py --config {params.config} {params.tables}"
        " --csv {output.csv} --html {output.html} > {log} 2>&1"


rule argument_page:
    """The front page of argument judging: three questions, answered from the tables."""
    input:
        tables=[file for _, file in argument_csvs(FRONT_ARGUMENTS)],
        claims=ARGUMENT_CLAIMS,
    output:
        report(
            ARGUMENT_PAGE,
            category="Argument judging",
            labels={"result": "Argument judging", "form": "table", "block": "all"},
            caption="../resources/captions/argument_page.rst",
        ),
    log:
        run.log("argument_page"),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        tables=" ".join(f"--table {name}={file}" for name, file in argument_csvs(FRONT_ARGUMENTS)),
        settings=as_json(settings.arguments),
        code=code_digest("tables", "report", "statistics", "records"),
    message:
        "the front page of argument judging"
    shell:
        "python scripts/make_argument_page.py --config {params.config} {params.tables}"
        " --table argument_claims={input.claims} --output {output} > {log} 2>&1"
