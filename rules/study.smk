# Scored plans to the sample that annotators see, and to their sheets. What they send back is a file of the user's.
localrules:
    draw_study,
    study_sheets,


rule draw_study:
    """The plans that annotators see: of each topology some with a flaw and some without."""
    input:
        records=run.records,
        rewrites=run.rewrites,
        plans=run.study_files("plans"),
        scores=run.study_files("scores"),
    output:
        run.path("study_sample"),
    log:
        run.log("draw_study"),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        draw=as_json(plan_identity.study()),
        code=code_digest(
            "study/sampling",
            "study/items",
            "corpora/rewrites",
            "corpora/tier_queries",
            "corpora/rewriting",
            "records",
        ),
    message:
        "drawing the plans for annotators"
    shell:
        "python scripts/draw_study.py --config {params.config} --output {output} > {log} 2>&1"


rule study_sheets:
    """The sample as a page to annotate in a browser, and as CSV."""
    input:
        run.path("study_sample"),
    output:
        html=run.path("study_sheet", "html"),
        csv=run.path("study_sheet", "csv"),
    log:
        run.log("study_sheets"),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        scoring=as_json(settings.scoring),
        code=code_digest("study", "records", without=("study/sampling", "study/reading", "study/consensus")),
    message:
        "writing the annotation sheets"
    shell:
        "python scripts/make_study_sheets.py --config {params.config} --html {output.html} --csv {output.csv}"
        " > {log} 2>&1"


rule study:
    """The annotation sheets, and the sample that they show."""
    input:
        run.path("study_sample"),
        run.path("study_sheet", "html"),
        run.path("study_sheet", "csv"),
    localrule: True
