"""`models.yml`: who can be asked, at what price, by which route, and how trials are drawn."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec

from probatio.core.clock import parse_duration
from probatio.core.errors import Say, UsageError
from probatio.core.records import Model, Sampling, Timeouts
from probatio.core.text.names import pick
from probatio.core.trust import (
    NAME_FILE,
    TrustRequest,
    address_request,
    allow_now,
    explain,
    find_unsaid,
    header_request,
    host_of,
    is_own_file,
    key_request,
    remember,
    weights_requests,
)
from probatio.core.values import Address, Count, Dollars, Effort, Name, NotNegative, Positive, Variable
from probatio.core.yamlfile import YamlFile, as_record, explain_fault, open_yaml

LOCAL_CONFIG = Path("config/models.yml")
BUILT_IN = Path(__file__).parent.parent / "builtin" / "models.yml"

AD_HOC_PROVIDERS = {"gguf": "embedded", "openai": "openai", "openrouter": "openrouter"}
"""`--model gguf:PATH` and the like: a model named on the command line, in no file. Prefix → provider."""


LOCAL = AD_HOC_PROVIDERS["gguf"]

CONFIRM_ABOVE = 1.0
"""US dollars. A run expected to cost more is begun only with the user's word."""


class _ModelEntry(Model, frozen=True):
    """As `Model`, with values that were checked; a route of one provider may be its name alone."""

    id: Name
    name: Name
    provider: Name = "openrouter"
    cost_per_1m_input: Dollars | None = None
    cost_per_1m_output: Dollars | None = None
    route: Name | list[Name] | None = None  # type: ignore[assignment]
    reasoning: Effort | None = None
    base_url: Address | None = None
    api_key_env: Variable | None = None
    form: Name | None = None  # how much of the daily suite it is asked


class _TimeoutsEntry(msgspec.Struct):
    """As `Timeouts`, in lengths of time such as `20m`."""

    connect: str | float | None = None
    attempt: str | float | None = None
    trial: str | float | None = None
    wait: str | float | None = None


class _TrialEntry(msgspec.Struct):
    n_shots: tuple[Count, ...] = (0, 1, 3, 10)
    dialects: tuple[Name, ...] | None = None
    contexts: tuple[Name, ...] | None = None
    temperature: NotNegative = 0.0
    max_tokens: Positive = 1000
    seed: int | None = 42
    timeouts: _TimeoutsEntry | None = None


class JudgeOverride(msgspec.Struct, frozen=True):
    """Another judge than the suite's own; what is not given stays as the suite has it."""

    name: Name | None = None
    provider: Name | None = None
    route: tuple[Name, ...] | None = None
    base_url: Address | None = None
    api_key_env: Variable | None = None


BeatAddress = Annotated[
    str,
    msgspec.Meta(
        pattern=r"(?i)^\s*https?://\S|\$\{\w+\}",
        description="an address that begins with https:// or http://, or a ${VARIABLE} that holds one",
    ),
]


class Heartbeat(msgspec.Struct, frozen=True):
    """An address that is called after each day, `fail` after an incomplete one. ${NAME} is a variable."""

    url: BeatAddress
    fail: BeatAddress | None = None


MonthCost = Annotated[
    float, msgspec.Meta(gt=0, le=1e9, description="a finite number of dollars, more than 0")
]
AskAbove = Annotated[
    float,
    msgspec.Meta(
        ge=0,
        le=1e9,
        description="a finite number of dollars, not below 0 (to run without questions, say --yes)",
    ),
]


class DailyConfig(msgspec.Struct, frozen=True):
    """The section `daily:`: who is tracked, and settings other than the suite's (then it is another)."""

    models: tuple[Name, ...] = ()
    suite: Name | None = None  # a folder with suite.yml, or `daily`, the built-in suite
    temperature: NotNegative | None = None
    judge: JudgeOverride | None = None
    max_month_cost: MonthCost | None = None  # US dollars, for all days of a month together
    heartbeat: BeatAddress | Heartbeat | None = None


class ModelsFile(msgspec.Struct):
    """The file as it is written. Who sends alerts knows the form of their entries."""

    models: list[_ModelEntry]
    framework_version: str | float | None = None
    trials: _TrialEntry = msgspec.field(default_factory=_TrialEntry)
    analyst: Name | None = None
    daily: DailyConfig = msgspec.field(default_factory=DailyConfig)
    confirm_above: AskAbove = CONFIRM_ABOVE
    alerts: Any = None


class Config(msgspec.Struct, frozen=True):
    """A `models.yml`, read."""

    source: str
    framework_version: str | None
    models: tuple[Model, ...]
    n_shots: tuple[int, ...]
    dialects: tuple[str, ...] | None
    contexts: tuple[str, ...] | None
    sampling: Sampling
    timeouts: Timeouts | None = None
    analyst: str | None = None
    daily: DailyConfig = DailyConfig()
    confirm_above: float = CONFIRM_ABOVE  # US dollars
    forms: dict[str, str] = {}  # model → its form, of models whose entry says it
    raised: dict[str, TrustRequest] = {}
    """The limits that the file sets above the usual ones, by key. A file that was found needs the user's word
    for each."""
    held: tuple[str, ...] = ()
    """Those without that word: here the usual limits stand in their place, and `daily.max_month_cost` limits
    without being a word for the days below it."""


def load_config(path: Path | None = None) -> Config:
    """`path`, else `config/models.yml` where there is one, else the built-in list."""
    source = path or (LOCAL_CONFIG if LOCAL_CONFIG.exists() else BUILT_IN)
    written = open_yaml(source, folder_of(path))
    file = as_record(written, ModelsFile)
    seen: set[str] = set()
    models: list[Model] = []
    forms: dict[str, str] = {}
    for number, entry in enumerate(file.models):
        if entry.id in seen:
            raise explain_fault(written, ("models", number, "id"), f"two models have the id `{entry.id}`.")
        seen.add(entry.id)
        route = (entry.route,) if isinstance(entry.route, str) else tuple(entry.route or ())
        fields = {**msgspec.structs.asdict(entry), "route": route}
        if form := fields.pop("form"):
            forms[entry.id] = form
        models.append(Model(**fields))
    trials = file.trials
    config = Config(
        source="built-in" if source == BUILT_IN else str(source),
        framework_version=None if file.framework_version is None else str(file.framework_version),
        models=tuple(models),
        n_shots=trials.n_shots,
        dialects=trials.dialects,
        contexts=trials.contexts,
        sampling=Sampling(trials.temperature, trials.max_tokens, trials.seed),
        timeouts=_timeouts(trials.timeouts, written),
        analyst=file.analyst,
        daily=file.daily,
        confirm_above=file.confirm_above,
        forms=forms,
    )
    config = msgspec.structs.replace(config, raised=_find_raised(config))
    if is_word(path):
        allow_now((*config_requests(config), *analyst_requests(config)))
    if path is not None:  # once is enough for a key and its server
        remember(request for request in config_requests(config) if request.kind in ("key", "header"))
    return _hold_limits(config)


def is_word(path: Path | None) -> bool:
    """Whether a models.yml is the user's word: one that the user names, or that `models add` wrote here."""
    return path is not None or (LOCAL_CONFIG.exists() and is_own_file(LOCAL_CONFIG))


def _find_raised(config: Config) -> dict[str, TrustRequest]:
    usual, given = Timeouts(), config.timeouts or Timeouts()
    spent = {
        "confirm_above": (config.confirm_above, "run"),
        "max_month_cost": (config.daily.max_month_cost, "month"),
    }
    raised = {
        key: f"what is spent without a question to ${most:,.2f} a {what} (`{key}`)"
        for key, (most, what) in spent.items()
        if (most or 0) > CONFIRM_ABOVE
    }
    raised |= {
        key: f"`trials.timeouts.{key}` to {getattr(given, key):g} s"
        for key in Timeouts.__struct_fields__
        if getattr(given, key) > getattr(usual, key)
    }
    return {key: TrustRequest("limit", what, str(Path.cwd())) for key, what in raised.items()}


def _hold_limits(config: Config) -> Config:
    """The config with the usual limits in place of those raised without the user's word."""
    unsaid = find_unsaid(config.raised.values())
    held = tuple(key for key, request in config.raised.items() if request in unsaid)
    usual = {key: getattr(Timeouts(), key) for key in held if key in Timeouts.__struct_fields__}
    return msgspec.structs.replace(
        config,
        held=held,
        confirm_above=CONFIRM_ABOVE if "confirm_above" in held else config.confirm_above,
        timeouts=config.timeouts and msgspec.structs.replace(config.timeouts, **usual),
    )


def say_held(config: Config, say: Say) -> None:
    """Say which limits of a models.yml that was found do not hold."""
    if config.held:
        asked = explain((config.raised[key] for key in config.held), NAME_FILE)
        say(f"{asked}. Until then the usual limits hold.")


def config_requests(config: Config) -> Iterator[TrustRequest]:
    """What the file asks for that needs the user's word once, unless the user named the file: where keys and
    messages are sent, which weights are loaded, which limits are raised. Servers without a key need no
    confirmation."""
    asked: list[Model | JudgeOverride] = [*config.models]
    asked += [config.daily.judge] if config.daily.judge else []
    for each in asked:
        yield from key_requests(each)
    weights = [each.name for each in asked if each.name and (each.provider or LOCAL) == LOCAL]
    yield from weights_requests([*weights, *config.daily.models, config.analyst or ""], Path.cwd())
    yield from config.raised.values()
    if beat := config.daily.heartbeat:
        yield from heartbeat_requests(beat)


def key_requests(model: Model | JudgeOverride) -> Iterator[TrustRequest]:
    """The requests to send a key to a server of the file's own, and in a header of its own."""
    if model.base_url and model.api_key_env:
        yield key_request(model.api_key_env, model.base_url, Path.cwd())
    if isinstance(model, Model) and model.auth:
        yield header_request(model.auth, model.base_url or model.provider, Path.cwd())


def analyst_requests(config: Config) -> Iterator[TrustRequest]:
    """Where the file would have an analysis sent, if that is not its provider's own address and key."""
    for model in config.models:
        if model.id != config.analyst:
            continue
        if model.base_url:
            yield analyst_request(model.id, model.base_url)
        yield from key_requests(model)
        if model.api_key_env and not model.base_url:
            yield TrustRequest("key", f"{model.api_key_env} to {model.provider}", str(Path.cwd()))


def analyst_request(model_id: str, address: str) -> TrustRequest:
    """The request to send an analysis to the analyst at an address."""
    return address_request(address, f"its analyst `{model_id}` at {host_of(address)}")


def heartbeat_requests(beat: str | Heartbeat) -> Iterator[TrustRequest]:
    """The addresses that would be called after each day."""
    for address in (beat,) if isinstance(beat, str) else filter(None, (beat.url, beat.fail)):
        place = "" if address.startswith("${") else f" at {host_of(address)}"
        yield address_request(address, f"the heartbeat{place}")


def folder_of(path: Path | None) -> Path | None:
    """The folder that links of a config must not leave: the working folder. None if it was named by hand."""
    return Path() if path is None and LOCAL_CONFIG.exists() else None


def _timeouts(entry: _TimeoutsEntry | None, file: YamlFile) -> Timeouts | None:
    if entry is None:
        return None
    seconds: dict[str, float] = {}
    for name, value in msgspec.structs.asdict(entry).items():
        if value is None:
            continue
        place = f"trials.timeouts.{name}"
        try:
            seconds[name] = parse_duration(value, f"{place}:")
        except UsageError as error:
            raise explain_fault(file, ("trials", "timeouts", name), str(error)) from None
        if not 0 < seconds[name] < math.inf:
            sentence = f"`{place}` has to be a length of time of more than 0."
            raise explain_fault(file, ("trials", "timeouts", name), sentence)
    return Timeouts(**seconds)


def select_models(config: Config, patterns: tuple[str, ...]) -> tuple[Model, ...]:
    """The models that ids, globs and ad-hoc names (`gguf:PATH`) pick, in the order of the file."""
    chosen: dict[str, Model] = {}
    for pattern in patterns:
        prefix, _, rest = pattern.partition(":")
        if rest and prefix in AD_HOC_PROVIDERS and not any(m.id == pattern for m in config.models):
            chosen[pattern] = _ad_hoc(pattern, prefix, rest)
            continue
        ids = pick("model", [pattern], [m.id for m in config.models], f"in {config.source}")
        chosen.update((m.id, m) for m in config.models if m.id in ids)
    return tuple(chosen.values())


def _ad_hoc(pattern: str, prefix: str, rest: str) -> Model:
    if prefix == "gguf":
        if not Path(rest).is_file():
            raise UsageError(f"--model {pattern}: there is no file {rest}.")
        return Model(id=f"gguf:{Path(rest).name}", name=pattern, provider="embedded")
    return Model(id=rest, name=rest, provider=AD_HOC_PROVIDERS[prefix])
