"""The garbage collector: what belongs to nobody any more goes, as each owner's deletion says."""
