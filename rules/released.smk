# With a section `released`, plans and verdicts come from the authors' files: one job reads them all.
if settings.released:

    rule read_released:
        """All plans and verdicts of the run from the released files, and whether their numbers are ours."""
        input:
            records=run.records,
        output:
            plans=run.every("plans"),
            verdicts=run.every_verdict(),
            report=run.path("released_report"),
        log:
            run.log("read_released"),
        conda:
            "../envs/statistics.yaml"
        params:
            config=run.config,
            released=as_json(settings.released),
            cells=as_json([settings.blocks, settings.conditions, settings.plans, settings.verdicts]),
            code=code_digest("judging", "answers", "plans", "records", "corpora"),
        message:
            "taking plans and verdicts from the released files"
        shell:
            "python scripts/read_released.py --config {params.config} --report {output.report} > {log} 2>&1"
