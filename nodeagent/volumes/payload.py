"""The files of configMap, secret, downwardAPI and projected volumes: from objects to contents, modes and owners. Pure.

`needed` says what must be fetched, `files` puts it together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from nodeagent import downward
from nodeagent.downward import Place, UnknownField
from nodeagent.volumes.interface import VolumeProblem
from steersman.api.core import (
    ConfigMap,
    DownwardAPIVolumeFile,
    KeyToPath,
    Pod,
    ProjectedVolumeSource,
    Secret,
    ServiceAccountTokenProjection,
    Volume,
    VolumeProjection,
)

USUAL_MODE = 0o644
PRIVATE_MODE = 0o600
USUAL_TOKEN_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class File:
    """`user` None: root's."""

    content: bytes
    mode: int
    user: int | None = None


@dataclass(frozen=True, slots=True)
class TokenWish:
    """A token of the pod's service account. No audience: the API server's own."""

    audience: str
    seconds: int


@dataclass(frozen=True, slots=True)
class Needed:
    """What the files are made from: names of objects in the pod's namespace, and tokens."""

    config_maps: frozenset[str] = frozenset()
    secrets: frozenset[str] = frozenset()
    tokens: frozenset[TokenWish] = frozenset()


@dataclass(frozen=True, slots=True)
class Contents:
    """What `needed` named, as far as it exists, and where the pod runs."""

    config_maps: Mapping[str, ConfigMap] = field(default_factory=dict)
    secrets: Mapping[str, Secret] = field(default_factory=dict)
    tokens: Mapping[TokenWish, str] = field(default_factory=dict)
    place: Place = field(default_factory=Place)


@dataclass(frozen=True, slots=True)
class _Look:
    """How files look that do not say it themselves."""

    mode: int
    user: int | None


def has_files(volume: Volume) -> bool:
    """Whether it is a volume whose files come from the API, and follow it."""
    return (volume.config_map or volume.secret or volume.downward_api or volume.projected) is not None


def is_private(volume: Volume) -> bool:
    """Whether its files belong in memory. A ConfigMap is no secret."""
    return (volume.secret or volume.downward_api or volume.projected) is not None


def needed(volume: Volume) -> Needed:
    if volume.config_map is not None:
        return Needed(config_maps=frozenset({volume.config_map.name}))
    if volume.secret is not None:
        return Needed(secrets=frozenset({volume.secret.secret_name}))
    sources = (volume.projected.sources if volume.projected is not None else None) or ()
    return Needed(
        frozenset(each.config_map.name for each in sources if each.config_map is not None),
        frozenset(each.secret.name for each in sources if each.secret is not None),
        frozenset(wish(each.service_account_token) for each in sources if each.service_account_token is not None),
    )


def wish(projection: ServiceAccountTokenProjection) -> TokenWish:
    seconds = projection.expiration_seconds
    return TokenWish(projection.audience, USUAL_TOKEN_SECONDS if seconds is None else seconds)


def files(pod: Pod, volume: Volume, contents: Contents) -> dict[str, File]:
    """By their paths below the volume. Raises VolumeProblem."""
    if volume.config_map is not None:
        source = volume.config_map
        look = _Look(_mode(source.default_mode), source.default_user)
        optional = bool(source.optional)
        return _config_map(contents.config_maps.get(source.name), source.name, source.items, look, optional=optional)
    if volume.secret is not None:
        secret = volume.secret
        look = _Look(_mode(secret.default_mode), secret.default_user)
        found, name = contents.secrets.get(secret.secret_name), secret.secret_name
        return _secret(found, name, secret.items, look, optional=bool(secret.optional))
    if volume.downward_api is not None:
        facts = volume.downward_api
        return _downward(pod, facts.items, contents.place, _Look(_mode(facts.default_mode), facts.default_user))
    return _projected(pod, volume.projected or ProjectedVolumeSource(), contents)


def _mode(mode: int | None) -> int:
    return USUAL_MODE if mode is None else mode


def _projected(pod: Pod, source: ProjectedVolumeSource, contents: Contents) -> dict[str, File]:
    """All sources in one folder, the later ones above the earlier; all that is wrong is told at once."""
    look = _Look(_mode(source.default_mode), source.default_user)
    found: dict[str, File] = {}
    problems = []
    for each in source.sources or ():
        try:
            found |= _source(pod, each, contents, look)
        except VolumeProblem as problem:
            problems.append(str(problem))
    if problems:
        raise VolumeProblem(problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]")
    return found


def _source(pod: Pod, source: VolumeProjection, contents: Contents, look: _Look) -> dict[str, File]:
    if source.config_map is not None:
        some = source.config_map
        found = contents.config_maps.get(some.name)
        return _config_map(found, some.name, some.items, look, optional=bool(some.optional))
    if source.secret is not None:
        hidden = source.secret
        kept = contents.secrets.get(hidden.name)
        return _secret(kept, hidden.name, hidden.items, look, optional=bool(hidden.optional))
    if source.downward_api is not None:
        return _downward(pod, source.downward_api.items, contents.place, look)
    if source.service_account_token is not None:
        return _token(pod, source.service_account_token, contents, look)
    raise VolumeProblem("this node has no cluster trust bundles and no pod certificates")


def _config_map(
    found: ConfigMap | None, name: str, items: Sequence[KeyToPath], look: _Look, *, optional: bool
) -> dict[str, File]:
    if found is None:
        if optional:
            return {}
        raise VolumeProblem(f'configmap "{name}" not found')
    values = {key: text.encode() for key, text in found.data.items()} | dict(found.binary_data)
    missing = None if optional else "configmap references non-existent config key: {}"
    return _chosen(values, items, look, missing)


def _secret(
    found: Secret | None, name: str, items: Sequence[KeyToPath], look: _Look, *, optional: bool
) -> dict[str, File]:
    if found is None:
        if optional:
            return {}
        raise VolumeProblem(f'secret "{name}" not found')
    return _chosen(found.data, items, look, None if optional else "references non-existent secret key: {}")


def _chosen(
    values: Mapping[str, bytes], items: Sequence[KeyToPath], look: _Look, missing: str | None
) -> dict[str, File]:
    """The files that `items` asks for; without any, all. `missing` None: what is not there is left out."""
    if not items:
        return {key: File(value, look.mode, look.user) for key, value in values.items()}
    found = {}
    for item in items:
        if item.key in values:
            found[item.path] = _file(values[item.key], item.mode, item.user, look)
        elif missing is not None:
            raise VolumeProblem(missing.format(item.key))
    return found


def _downward(pod: Pod, items: Iterable[DownwardAPIVolumeFile], place: Place, look: _Look) -> dict[str, File]:
    found = {}
    for item in items:
        try:
            text = _fact(pod, item, place)
        except UnknownField as error:
            raise VolumeProblem(str(error)) from error
        found[item.path] = _file(text.encode(), item.mode, item.user, look)
    return found


def _fact(pod: Pod, item: DownwardAPIVolumeFile, place: Place) -> str:
    if item.field_ref is not None:
        return downward.field_value(pod, item.field_ref, place)
    if item.resource_field_ref is not None:
        return downward.resource_value(pod, item.resource_field_ref, item.resource_field_ref.container_name, place)
    return ""


def _token(pod: Pod, source: ServiceAccountTokenProjection, contents: Contents, look: _Look) -> dict[str, File]:
    """For the pod's own eyes wherever it is known who that is; a group's right to read comes with the volume."""
    token = contents.tokens.get(wish(source))
    if token is None:
        raise VolumeProblem(f'failed to fetch token: serviceaccount "{pod.spec.service_account_name}" has none')
    everybody = source.user if source.user is not None else look.user
    user = everybody if everybody is not None else only_user(pod)
    is_private = user is not None or group_of(pod) is not None
    return {source.path: File(token.encode(), PRIVATE_MODE if is_private else look.mode, user)}


def group_of(pod: Pod) -> int | None:
    """The group to which a pod's volumes belong."""
    context = pod.spec.security_context
    return context.fs_group if context is not None else None


def only_user(pod: Pod) -> int | None:
    """The user as whom all containers of the pod run, if there is just one."""
    common = pod.spec.security_context.run_as_user if pod.spec.security_context is not None else None
    users = set()
    contexts = [each.security_context for each in (*pod.spec.init_containers, *pod.spec.containers)]
    for context in (*contexts, *(each.security_context for each in pod.spec.ephemeral_containers)):
        own = context.run_as_user if context is not None else None
        users.add(common if own is None else own)
    return users.pop() if len(users) == 1 else None


def _file(content: bytes, mode: int | None, user: int | None, look: _Look) -> File:
    return File(content, look.mode if mode is None else mode, look.user if user is None else user)
