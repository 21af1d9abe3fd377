"""What a model's jobs ask of a scheduler follows from its settings and from two names of the site."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from plumbline.config.cluster import (
    GPU_PARTITION,
    PARTITION,
    asking_resources,
    cpus,
    memory_mb,
    minutes,
    partition,
)
from plumbline.config.models import Model


def vllm(**settings: Any) -> Model:
    return Model(engine="vllm", vllm=settings.pop("vllm", {}), **settings)


HOSTED = Model(engine="endpoint", base_url="https://host.example/v1")
EMBEDDED = Model(engine="embedded", embedded={"threads": 3, "cache_gb": 5})


def test_the_number_of_gpus_follows_from_the_server_s_sizes() -> None:
    assert vllm(vllm={"tensor_parallel": 4, "data_parallel": 2}).gpus == 4 * 2
    assert [vllm().gpus, HOSTED.gpus, EMBEDDED.gpus] == [1, 0, 0]
    assert Model(engine="embedded", job={"gpus": 1}).gpus == 1


def test_cores_and_memory_follow_from_the_gpus_or_from_the_embedded_server() -> None:
    big = vllm(vllm={"tensor_parallel": 4})
    assert [cpus(big), cpus(HOSTED), cpus(EMBEDDED)] == [4 * 4, 1, 3]
    assert [memory_mb(big, 1), memory_mb(HOSTED, 1), memory_mb(EMBEDDED, 1)] == [192_000, 4_000, 9_000]


def test_each_try_asks_for_more_memory_and_time_up_to_what_the_partition_allows() -> None:
    model = vllm(job={"memory_gb": 10, "minutes": 60, "max_minutes": 150, "cpus": 7})
    assert [memory_mb(model, attempt) for attempt in (1, 2, 3)] == [10_000, 20_000, 30_000]
    assert [minutes(model, attempt) for attempt in (1, 2, 3)] == [60, 120, 150]
    assert cpus(model) == 7


def test_a_first_try_longer_than_the_longest_is_refused() -> None:
    with pytest.raises(ValidationError, match=r"minutes \(61\) must not be more than max_minutes \(60\)"):
        vllm(job={"minutes": 61, "max_minutes": 60})


def test_a_type_of_gpu_that_the_executor_cannot_ask_for_is_refused() -> None:
    with pytest.raises(ValidationError, match="gpu_type"):
        vllm(vllm={"gpu_type": "a100-sxm4"})


@pytest.mark.parametrize(
    ("names", "with_gpu", "without"),
    [
        ({PARTITION: "short", GPU_PARTITION: "fast"}, "fast", "short"),
        ({PARTITION: "short", GPU_PARTITION: ""}, "short", "short"),
        ({PARTITION: "", GPU_PARTITION: "fast"}, "fast", None),
        ({}, None, None),
    ],
)
def test_only_jobs_with_gpus_go_to_the_gpu_partition(
    monkeypatch: pytest.MonkeyPatch, names: dict[str, str], with_gpu: str | None, without: str | None
) -> None:
    for name in (PARTITION, GPU_PARTITION):
        monkeypatch.delenv(name, raising=False)
    for name, value in names.items():
        monkeypatch.setenv(name, value)
    assert [partition(vllm()), partition(HOSTED), partition(EMBEDDED)] == [with_gpu, without, without]


def test_a_rule_s_resources_are_those_of_its_job_s_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(GPU_PARTITION, "fast")
    monkeypatch.delenv(PARTITION, raising=False)
    models = {"big": vllm(vllm={"gpu_type": "h100"}, job={"constraint": "nvlink"}), "hosted": HOSTED}
    resources = asking_resources(lambda wildcards: models[wildcards])
    asked = {name: [value(model, 2) for model in models] for name, value in resources.items()}
    assert asked["gpu"] == [1, 0]
    assert asked["gpu_model"] == ["h100", None]
    assert asked["constraint"] == ["nvlink", None]
    assert asked["mem_mb"] == [96_000, 8_000]
    assert asked["runtime"] == [480, 480]
    assert asked["slurm_partition"] == ["fast", None]


def test_without_a_partition_in_the_environment_the_command_line_s_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in (PARTITION, GPU_PARTITION):
        monkeypatch.delenv(name, raising=False)
    assert "slurm_partition" not in asking_resources(lambda wildcards: HOSTED)
