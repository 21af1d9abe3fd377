# Records, rewrites and opinions to the tables and figures of the corpus; they rest on no plan and no verdict.
for spec in chosen_specs(validated=bool(settings.validation)):

    rule:
        name:
            f"corpus_{spec.name}"
        input:
            records=run.records,
            rewrites=run.rewrites,
            triplets=run.path("triplets") if settings.validation else [],
            opinions=[run.path("opinions", model) for model in META_JUDGES],
            published=published_map.files_of(spec.name),
        output:
            **run.corpus_outputs(spec, report),
        log:
            run.log(f"corpus_{spec.name}"),
        conda:
            "../envs/statistics.yaml"
        params:
            config=run.config,
            settings=as_json(plan_identity.corpus()),
            result=spec.name,
            files=lambda wildcards, output: " ".join(f"--{ending} {file}" for ending, file in output.items()),
            code=code_digest("tables", "report", "records", "corpora", "statistics"),
        message:
            "{params.result} of the corpus"
        shell:
            "python scripts/make_corpus_result.py --config {params.config} --result {params.result}"
            " {params.files} > {log} 2>&1"


rule corpus:
    """The records, and all that is told of them."""
    input:
        run.corpus_results(),
    localrule: True
