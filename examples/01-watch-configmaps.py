"""Create, change and delete a ConfigMap, and print what a watcher sees of it.

Start a server first (`make up`), then:  .venv/bin/python examples/01-watch-configmaps.py [DATA_DIR] [HOST:PORT]
"""

import asyncio
import sys
from pathlib import Path

from msgspec.structs import replace

from steersman.api.core import ConfigMap
from steersman.api.meta import ObjectMeta
from steersman.client import client
from steersman.client.transport import Credentials
from steersman.client.watching import Change


async def main(data_dir: str = ".steersman", address: str = "127.0.0.1:6444") -> None:
    pki = Path(data_dir) / "pki"
    admin = Credentials.from_files(pki / "ca.crt", pki / "admin.crt", pki / "admin.key")
    async with client.connect([address], admin) as api:
        configmaps = api.of(ConfigMap)
        before = (await configmaps.list("default")).revision

        made = await configmaps.create(
            ConfigMap(metadata=ObjectMeta(name="greeting", namespace="default"), data={"text": "ahoy"})
        )
        await configmaps.update(replace(made.object, data={"text": "ahoy, world"}))
        await configmaps.delete("greeting", "default", uid=made.object.metadata.uid)

        async with configmaps.watch(after=before, namespace="default") as changes:
            async for change in changes:
                if not isinstance(change, Change):
                    continue
                print(change.revision, change.type, change.object.metadata.name, change.object.data)
                if change.type == "DELETED":
                    return


asyncio.run(main(*sys.argv[1:]))
