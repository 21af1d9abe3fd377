# References that inputs show: a model writes them, or they are made of others.
localrules:
    read_value_references,
    make_value_references,


rule ask_value_references:
    """Asks a model for references: what each value should be, a revised call, or evidence."""
    input:
        data=lambda wildcards: data.finished(wildcards.dataset),
        prompts=lambda wildcards: data.reference_prompts(wildcards.reference, wildcards.model),
        tokenizer=lambda wildcards: data.tokenizer,
        weights=lambda wildcards: run.weights(wildcards.model),
    output:
        run.path("asked", "{model}", "value_references/{reference}/{dataset}", "{lane}"),
    log:
        run.log("ask_value_references", "{model}", "{reference}", "{dataset}", "{lane}"),
    wildcard_constraints:
        dataset=alternatives(data.datasets),
        reference=alternatives(data.written),
    conda:
        "../envs/embedded.yaml"
    threads: lambda wildcards: run.threads(wildcards.model)
    resources:
        **run.asking_resources(lambda wildcards: wildcards.model),
    params:
        config=run.config,
        asks=lambda wildcards: as_json(identity.reference(wildcards.reference, wildcards.model)),
        code=code_digest("arguments/references/requests", *SHOWN, *WRITTEN, *ASKING),
    message:
        "asking {wildcards.model} for {wildcards.reference} of {wildcards.dataset} ({wildcards.lane})"
    shell:
        "python scripts/ask_value_references.py --config {params.config} --dataset {wildcards.dataset}"
        " --reference {wildcards.reference} --model {wildcards.model} --lane {wildcards.lane}"
        " 2>&1 | tee {log} >&2 && touch {output:q}"


rule read_value_references:
    """The references that a model wrote, read from the journal: no model is asked."""
    input:
        data=lambda wildcards: data.finished(wildcards.dataset),
        prompts=lambda wildcards: data.reference_prompts(wildcards.reference, wildcards.model),
        tokenizer=lambda wildcards: data.tokenizer,
        asked=lambda wildcards: data.reference_stamps(reference_file_of(wildcards)),
    output:
        run.path("value_references", "{dataset}", "{reference}", "{model}"),
    log:
        run.log("read_value_references", "{dataset}", "{reference}", "{model}"),
    wildcard_constraints:
        dataset=alternatives(data.datasets),
        reference=alternatives(data.written),
    conda:
        "../envs/embedded.yaml"
    params:
        config=run.config,
        asks=lambda wildcards: as_json(identity.read_reference(wildcards.reference, wildcards.model)),
        code=code_digest("arguments/references", "plans", *SHOWN, *WRITTEN, *ASKING, *READING),
    message:
        "reading {wildcards.reference} of {wildcards.model} for {wildcards.dataset}"
    shell:
        "python scripts/read_value_references.py --config {params.config} --dataset {wildcards.dataset}"
        " --reference {wildcards.reference} --model {wildcards.model} --output {output} > {log} 2>&1"


rule make_value_references:
    """References made from others: the value alone, or a wrong value in its place."""
    input:
        source=lambda wildcards: data.reference_source(reference_file_of(wildcards)),
        listed=run.path("argument_items", "{dataset}"),
    output:
        run.path("value_references", "{dataset}", "{reference}", "{model}"),
    log:
        run.log("make_value_references", "{dataset}", "{reference}", "{model}"),
    wildcard_constraints:
        dataset=alternatives(data.datasets),
        reference=alternatives(data.made),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        made=lambda wildcards: as_json(identity.made_reference(wildcards.reference)),
        code=code_digest("arguments/references", *SHOWN, *WRITTEN, *ASKING),
    message:
        "making {wildcards.reference} for {wildcards.dataset}"
    shell:
        "python scripts/make_value_references.py --config {params.config} --dataset {wildcards.dataset}"
        " --reference {wildcards.reference} --model {wildcards.model} --output {output} > {log} 2>&1"
