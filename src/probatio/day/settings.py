"""The suite as it is asked here: by the manifest's own settings, or by those of `daily:` in models.yml under its own version."""

from __future__ import annotations

import msgspec

from probatio.ask.providers import provider_of
from probatio.config import DailyConfig
from probatio.records import Model
from probatio.suite.daily_suite import DailySuite
from probatio.suite.language_suite import digest


def as_configured(suite: DailySuite, config: DailyConfig) -> DailySuite:
    """The suite with another judge or temperature where the config has one. Nothing is compared across two versions, so each
    deviation names itself in the version."""
    manifest = suite.manifest
    marks: list[str] = []
    if config.judge:
        given = {name: value for name, value in msgspec.structs.asdict(config.judge).items() if value is not None}
        judge = msgspec.structs.replace(manifest.judge, **given)
        if judge != manifest.judge:
            manifest = msgspec.structs.replace(manifest, judge=judge)
            marks.append(f"judge-{digest(judge)[:6]}")
    if config.temperature is not None and config.temperature != manifest.sampling.temperature:
        sampling = msgspec.structs.replace(manifest.sampling, temperature=config.temperature)
        manifest = msgspec.structs.replace(manifest, sampling=sampling)
        marks.append(f"temperature-{config.temperature:g}")
    if marks:
        manifest = msgspec.structs.replace(manifest, version=f"{manifest.version}+{'.'.join(marks)}")
    return msgspec.structs.replace(suite, manifest=manifest)


def as_asked(model: Model, suite: DailySuite) -> Model:
    """The model with the suite's reasoning effort. OpenRouter drops it for models that do not reason; other servers may refuse
    it, so there it is sent only to models that models.yml gives an effort."""
    effort = suite.manifest.sampling.reasoning
    if effort is None or (not provider_of(model).takes_reasoning and model.reasoning is None):
        return model
    return msgspec.structs.replace(model, reasoning=effort)
