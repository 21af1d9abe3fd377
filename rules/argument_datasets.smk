# Sources to argument items: states, proposed calls, what Plain shows of a state, the path of each value.
localrules:
    read_relocations,
    read_proposals,
    build_calls,


rule build_states:
    """The states of a data set: gold histories, and the functions that are offered there."""
    input:
        sources=lambda wildcards: data.sources(wildcards.dataset),
        wheel=lambda wildcards: data.wheel(wildcards.dataset),
        rewritten=lambda wildcards: data.rewritten_requests(wildcards.dataset),
    output:
        run.path("states", "{dataset}"),
    log:
        run.log("build_states", "{dataset}"),
    wildcard_constraints:
        dataset=alternatives(data.datasets),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        source=lambda wildcards: as_json(identity.states(wildcards.dataset)),
        code=code_digest(
            "arguments/datasets", "arguments/paths", "answers", "corpora", "records", *SHOWN, *ASKING
        ),
        files=lambda wildcards, input: " ".join(
            f"--{name} {file}" for name in ("wheel", "rewritten") for file in input.get(name, [])
        ),
    message:
        "reading the states of {wildcards.dataset}"
    shell:
        "python scripts/build_states.py --config {params.config} --dataset {wildcards.dataset}"
        " {params.files} --output {output} > {log} 2>&1"


rule ask_relocations:
    """Asks a model to rewrite requests so that a value is no longer stated; answers go to the journal."""
    input:
        base=lambda wildcards: data.base_of(wildcards.dataset),
        prompts=lambda wildcards: data.rewrite_prompts(wildcards.dataset),
        weights=lambda wildcards: run.weights(settings.arguments.datasets[wildcards.dataset].rewriter),
    output:
        run.path("asked", "relocations", "{dataset}", "all"),
    log:
        run.log("ask_relocations", "{dataset}"),
    wildcard_constraints:
        dataset=alternatives(data.rewritten),
    conda:
        "../envs/embedded.yaml"
    threads: lambda wildcards: run.threads(settings.arguments.datasets[wildcards.dataset].rewriter)
    resources:
        **run.asking_resources(lambda wildcards: settings.arguments.datasets[wildcards.dataset].rewriter),
    params:
        config=run.config,
        asks=lambda wildcards: as_json(identity.relocations(wildcards.dataset)),
        code=code_digest("arguments/datasets", "arguments/paths", "arguments/relocating", *SHOWN, *ASKING),
    message:
        "asking for the rewritten requests of {wildcards.dataset}"
    shell:
        "python scripts/ask_relocations.py --config {params.config} --dataset {wildcards.dataset}"
        " 2>&1 | tee {log} >&2 && touch {output:q}"


rule read_relocations:
    """The rewritten requests, each checked by code: no model is asked."""
    input:
        base=lambda wildcards: data.base_of(wildcards.dataset),
        prompts=lambda wildcards: data.rewrite_prompts(wildcards.dataset),
        asked=run.path("asked", "relocations", "{dataset}", "all"),
    output:
        run.path("relocated_requests", "{dataset}"),
    log:
        run.log("read_relocations", "{dataset}"),
    wildcard_constraints:
        dataset=alternatives(data.rewritten),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        asks=lambda wildcards: as_json(identity.relocations(wildcards.dataset)),
        code=code_digest(
            "arguments/datasets",
            "arguments/paths",
            "arguments/relocating",
            "corpora/values",
            *SHOWN,
            *ASKING,
            *READING,
        ),
    message:
        "reading the rewritten requests of {wildcards.dataset}"
    shell:
        "python scripts/read_relocations.py --config {params.config} --dataset {wildcards.dataset}"
        " --output {output} > {log} 2>&1"


rule ask_proposals:
    """Asks a model for the next call at each gold state; answers go to the journal."""
    input:
        states=run.path("states", "{dataset}"),
        prompts=lambda wildcards: data.proposal_prompts(wildcards.proposer),
        weights=lambda wildcards: run.weights(wildcards.model),
    output:
        run.path("asked", "{model}", "proposals/{proposer}/{dataset}", "{lane}"),
    log:
        run.log("ask_proposals", "{model}", "{proposer}", "{dataset}", "{lane}"),
    wildcard_constraints:
        dataset=alternatives(data.datasets),
    conda:
        "../envs/embedded.yaml"
    threads: lambda wildcards: run.threads(wildcards.model)
    resources:
        **run.asking_resources(lambda wildcards: wildcards.model),
    params:
        config=run.config,
        asks=lambda wildcards: as_json(identity.proposals(wildcards.proposer)),
        code=code_digest(
            "arguments/datasets/rules",
            "arguments/datasets/shifts",
            "arguments/proposals",
            "arguments/proposing",
            "plans/generation",
            *SHOWN,
            *ASKING,
        ),
    message:
        "asking {wildcards.proposer} for the next calls of {wildcards.dataset} ({wildcards.lane})"
    shell:
        "python scripts/ask_proposals.py --config {params.config} --dataset {wildcards.dataset}"
        " --proposer {wildcards.proposer} --lane {wildcards.lane} 2>&1 | tee {log} >&2 && touch {output:q}"


rule read_proposals:
    """The next calls that a model wrote, read from the journal: no model is asked."""
    input:
        states=run.path("states", "{dataset}"),
        prompts=lambda wildcards: data.proposal_prompts(wildcards.proposer),
        asked=lambda wildcards: data.proposal_stamps(wildcards.dataset, wildcards.proposer),
    output:
        run.path("proposals", "{dataset}", "{proposer}"),
    log:
        run.log("read_proposals", "{dataset}", "{proposer}"),
    wildcard_constraints:
        dataset=alternatives(data.datasets),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        asks=lambda wildcards: as_json(identity.proposals(wildcards.proposer)),
        code=code_digest(
            "arguments/datasets",
            "arguments/proposals",
            "arguments/proposing",
            "plans",
            *SHOWN,
            *ASKING,
            *READING,
        ),
    message:
        "reading the next calls of {wildcards.proposer} for {wildcards.dataset}"
    shell:
        "python scripts/read_proposals.py --config {params.config} --dataset {wildcards.dataset}"
        " --proposer {wildcards.proposer} --output {output} > {log} 2>&1"


rule build_calls:
    """The correct and wrong calls of a data set, with the label of each argument."""
    input:
        states=run.path("states", "{dataset}"),
        proposals=lambda wildcards: data.proposals(wildcards.dataset),
        sources=lambda wildcards: data.sources(wildcards.dataset),
    output:
        run.path("proposed_calls", "{dataset}"),
    log:
        run.log("build_calls", "{dataset}"),
    wildcard_constraints:
        dataset=alternatives(data.datasets),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        calls=lambda wildcards: as_json(identity.calls(wildcards.dataset)),
        code=code_digest(
            "arguments/datasets", "arguments/paths", "answers", "corpora", "records", *SHOWN, *ASKING
        ),
    message:
        "putting the calls of {wildcards.dataset} together"
    shell:
        "python scripts/build_calls.py --config {params.config} --dataset {wildcards.dataset}"
        " --output {output} > {log} 2>&1"


rule fit_states:
    """What Plain shows of each state: its window, made to fit."""
    input:
        states=run.path("states", "{dataset}"),
        calls=run.path("proposed_calls", "{dataset}"),
        prompts=lambda wildcards: data.plain_prompts(),
        tokenizer=lambda wildcards: data.tokenizer,
    output:
        run.path("state_contexts", "{dataset}"),
    log:
        run.log("fit_states", "{dataset}"),
    wildcard_constraints:
        dataset=alternatives(data.datasets),
    conda:
        "../envs/embedded.yaml"
    params:
        config=run.config,
        window=lambda wildcards: as_json(identity.contexts()),
        code=code_digest(*SHOWN, *WRITTEN, *ASKING),
    message:
        "fitting the states of {wildcards.dataset} into the limit"
    shell:
        "python scripts/fit_states.py --config {params.config} --dataset {wildcards.dataset}"
        " --output {output} > {log} 2>&1"


rule build_items:
    """Every argument value with the path it comes from, and a page that shows where it was matched."""
    input:
        states=run.path("states", "{dataset}"),
        calls=run.path("proposed_calls", "{dataset}"),
        contexts=run.path("state_contexts", "{dataset}"),
    output:
        listed=run.path("argument_items", "{dataset}"),
        page=report(
            run.path("dataset_page", "{dataset}"),
            category="Argument judging: what it rests on",
            labels={"result": "Items and their sources", "form": "page", "block": "{dataset}"},
            caption="../resources/captions/argument_items.rst",
        ),
    log:
        run.log("build_items", "{dataset}"),
    wildcard_constraints:
        dataset=alternatives(data.datasets),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        paths=lambda wildcards: as_json(identity.items()),
        code=code_digest(
            "arguments/base_rates",
            "arguments/items",
            "arguments/paths",
            "report",
            "tables/style",
            *SHOWN,
            *WRITTEN,
            *ASKING,
        ),
    message:
        "finding where the values of {wildcards.dataset} come from"
    shell:
        "python scripts/build_items.py --config {params.config} --dataset {wildcards.dataset}"
        " --output {output.listed} --page {output.page} > {log} 2>&1"
