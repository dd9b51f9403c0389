"""What `docs/kinds.md` says about the kinds, gathered from the code and its tests."""
