# Argument judging: data sets -> items -> references -> ask -> judgments -> tables, for every argument cell.
localrules:
    read_relocations,
    read_proposals,
    build_calls,
    read_value_references,
    make_value_references,
    read_judgments,  # one short job a cell
    match_judgments,


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


rule ask_judgments:
    """Asks a judge for all judgments of a lane; answers go to the journal, the stamp says that it is done."""
    input:
        data=lambda wildcards: data.cells_data(lane_of_arguments(wildcards)),
        weights=lambda wildcards: run.weights(judge_model(wildcards)),
    output:
        run.path("asked", "{judge}", "{block}", "{lane}"),
    log:
        run.log("ask_judgments", "{judge}", "{block}", "{lane}"),
    wildcard_constraints:
        judge=alternatives(data.asked_judges),
        block=alternatives(data.blocks),
    conda:
        "../envs/embedded.yaml"
    threads: lambda wildcards: run.threads(judge_model(wildcards))
    resources:
        **run.asking_resources(lambda wildcards: judge_model(wildcards)),
    params:
        config=run.config,
        asks=lambda wildcards: as_json(identity.lane(lane_of_arguments(wildcards))),
        code=code_digest("arguments/questions", "models/first_token", *SHOWN, *WRITTEN, *ASKING),
    message:
        "asking {wildcards.judge} for the judgments of {wildcards.block} ({wildcards.lane})"
    shell:
        "python scripts/ask_judgments.py --config {params.config} --judge {wildcards.judge}"
        " --block {wildcards.block} --lane {wildcards.lane} 2>&1 | tee {log} >&2 && touch {output:q}"


rule read_judgments:
    """One cell's judgments, read from the journal: no model is asked."""
    input:
        data=lambda wildcards: data.cells_data([argument_cell(wildcards)]),
        asked=lambda wildcards: data.judgment_stamps(argument_cell(wildcards)),
    output:
        run.path("judgments", "{judge}", "{dataset}", "{input}"),
    log:
        run.log("read_judgments", "{judge}", "{dataset}", "{input}"),
    wildcard_constraints:
        judge=alternatives(data.asked_judges),
        dataset=alternatives(data.datasets),
    conda:
        "../envs/embedded.yaml"
    params:
        config=run.config,
        asks=lambda wildcards: as_json(identity.cell(argument_cell(wildcards))),
        code=code_digest(
            "arguments/questions",
            "arguments/reading",
            "arguments/first_token",
            "models/first_token",
            "models/wire",
            *SHOWN,
            *WRITTEN,
            *ASKING,
            *READING,
        ),
    message:
        "{wildcards.judge} on {wildcards.dataset}, {wildcards.input}"
    shell:
        "python scripts/read_judgments.py --config {params.config} --judge {wildcards.judge}"
        " --dataset {wildcards.dataset} --input {wildcards.input} --output {output} > {log} 2>&1"


rule match_judgments:
    """The free baseline: a value is right if it is the one that a reference states. No model is asked."""
    input:
        listed=run.path("argument_items", "{dataset}"),
        references=lambda wildcards: data.matched(argument_cell(wildcards)),
    output:
        run.path("judgments", "{judge}", "{dataset}", "{input}"),
    log:
        run.log("match_judgments", "{judge}", "{dataset}", "{input}"),
    wildcard_constraints:
        judge=alternatives(data.matching_judges),
        dataset=alternatives(data.datasets),
    conda:
        "../envs/statistics.yaml"
    params:
        config=run.config,
        matched=lambda wildcards: as_json(identity.matching(argument_cell(wildcards))),
        code=code_digest(
            "arguments/matching", "arguments/paths", "corpora/values", "records", *SHOWN, *ASKING
        ),
    message:
        "{wildcards.judge} on {wildcards.dataset}, {wildcards.input}"
    shell:
        "python scripts/match_judgments.py --config {params.config} --judge {wildcards.judge}"
        " --dataset {wildcards.dataset} --input {wildcards.input} --output {output} > {log} 2>&1"
