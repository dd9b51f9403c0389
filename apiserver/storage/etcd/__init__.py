"""The Store over etcd 3.5 or newer: `open_store` is the whole of it to the outside.

    keyspace.py      our keys <-> etcd's bytes, below a common root
    transactions.py  pure: a Transaction as etcd's Txn, and what its answer means
    revisions.py     pure: watch responses and their fragments -> whole revisions
    members.py       endpoints, channels, deadlines: who is asked, and when to move on
    store.py         the Store: reads, commits, compaction
    watching.py      one watch that outlives its connections

Nothing outside this package knows etcd.
"""

from __future__ import annotations

from apiserver.storage.etcd.store import open_store

__all__ = ["open_store"]
