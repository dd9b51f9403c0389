"""The store inside the API server's own process: SQLite for durability, memory for reads.

Keeps every promise of `apiserver.storage.interface` for one process; nothing to install, nothing to start. The parts:

    store        what callers see: `open_store`
    groupcommit  many writers, one COMMIT                     judge       what a group of transactions comes to (pure)
    present      the state of now, in memory                  watch       history, then live, without a gap
    history      the SQLite file                              compaction  forgetting history, as `retention` says
    datadir      the lock on the directory
"""

from apiserver.storage.embedded.datadir import DataDirInUse
from apiserver.storage.embedded.history import UnusableStore
from apiserver.storage.embedded.retention import Retention
from apiserver.storage.embedded.store import EmbeddedStore, open_store

__all__ = ["DataDirInUse", "EmbeddedStore", "Retention", "UnusableStore", "open_store"]
