"""The volumes of pods: what stands behind each, made, kept current and taken away. `interface` is the seam to pods."""

from nodeagent.volumes.interface import (
    Folder,
    NoVolumes,
    Prepared,
    Source,
    VolumeProblem,
    Volumes,
    empty_dir_folder,
    pod_folder,
)

__all__ = [
    "Folder",
    "NoVolumes",
    "Prepared",
    "Source",
    "VolumeProblem",
    "Volumes",
    "empty_dir_folder",
    "pod_folder",
]
