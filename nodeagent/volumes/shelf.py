"""What volumes are made from and is kept in the API: ConfigMaps, Secrets, tokens, claims.

Read consistently when it is needed: who has just changed a ConfigMap finds it in the next pod.
"""

from __future__ import annotations

from nodeagent import library
from nodeagent.downward import Place
from nodeagent.volumes import claims
from nodeagent.volumes.interface import VolumeProblem
from nodeagent.volumes.payload import Contents, Needed
from nodeagent.volumes.tokens import Tokens
from steersman.api.core import ConfigMap, PersistentVolume, PersistentVolumeClaim, Pod, Secret
from steersman.api.errors import ApiError
from steersman.client.client import Client


class Shelf:
    def __init__(self, api: Client, tokens: Tokens) -> None:
        self._config_maps = api.of(ConfigMap)
        self._secrets = api.of(Secret)
        self._claims = api.of(PersistentVolumeClaim)
        self._volumes = api.of(PersistentVolume)
        self._tokens = tokens

    async def contents(self, pod: Pod, needed: Needed, place: Place) -> Contents:
        """As far as it exists. VolumeProblem for what cannot be asked for now."""
        namespace = pod.metadata.namespace
        try:
            config_maps = await library.present(self._config_maps, namespace, needed.config_maps)
            secrets = await library.present(self._secrets, namespace, needed.secrets)
        except ApiError as error:
            raise VolumeProblem(error.message) from error
        tokens = {}
        for wish in needed.tokens:
            try:
                tokens[wish] = (await self._tokens.get(pod, wish)).text
            except ApiError as error:
                raise VolumeProblem(f"failed to fetch token: {error.message}") from error
        return Contents(config_maps, secrets, tokens, place)

    async def claimed(self, namespace: str, name: str) -> PersistentVolume:
        """The volume that a claim is bound to. Raises VolumeProblem."""
        try:
            claim = await self._claims.get(name, namespace)
        except ApiError as error:
            raise VolumeProblem(f"failed to fetch PVC from API server: {error.message}") from error
        wanted = claims.volume_name(claim)
        try:
            volume = await self._volumes.get(wanted)
        except ApiError as error:
            raise VolumeProblem(f"failed to fetch PV {wanted} from API server: {error.message}") from error
        claims.check_bound(volume, claim)
        return volume
