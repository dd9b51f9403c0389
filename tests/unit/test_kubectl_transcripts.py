"""How sessions with kubectl are written down, and what of them does not count."""

from __future__ import annotations

import pytest

from tests.e2e.kubectl import masking, recordings, transcripts
from tests.e2e.kubectl.shell import Said
from tests.e2e.kubectl.transcripts import Exchange

TEXT = """# A note.
$ kubectl apply -f - <<E
> kind: Pod
> E
pod/a created

$? kubectl get pod a
a  1/1  Running  0  AGE

$ kubectl get pod b
! Error: not found
[1]
"""


def test_a_transcript_is_read() -> None:
    assert transcripts.parse(TEXT) == [
        Exchange("kubectl apply -f - <<E\nkind: Pod\nE", "pod/a created"),
        Exchange("kubectl get pod a", "a  1/1  Running  0  AGE", is_awaited=True),
        Exchange("kubectl get pod b", "! Error: not found\n[1]"),
    ]


def test_a_transcript_with_its_own_answers_is_the_same() -> None:
    assert transcripts.written(TEXT, [each.answer for each in transcripts.parse(TEXT)]) == TEXT


def test_an_answer_names_what_went_wrong() -> None:
    assert transcripts.answer_of(Said(1, "", "Error: not found\n")) == "! Error: not found\n[1]"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("web-7cc5f4dc6f-kt447   1/1     Running   0          4s", "web-HASH-CHANCE  1/1  Running  0  AGE"),
        ("demo   3/3   3   3   2m15s", "demo  3/3  3  3  AGE"),
        ("uid: 2ac86034-595f-4777-bb06-39ec355bccbe", "uid: UID"),
        ('creationTimestamp: "2026-11-18T07:18:43Z"', 'creationTimestamp: "TIME"'),
        ('resourceVersion: "500"', 'resourceVersion: "REVISION"'),
        ("Endpoints:   10.201.0.15:80,10.201.0.16:80", "Endpoints:  ADDRESS:80,ADDRESS:80"),
        ("kube-scheduler   vm_b8551714-c744-4f70-8afa-bd55cb54f9b2   16s", "kube-scheduler  vm_UID  AGE"),
        ("replicas: 3", "replicas: 3"),
        ('pod "a" deleted from default namespace', 'pod "a" deleted'),
    ],
    ids=lambda value: value[:20],
)
def test_what_chance_made_is_masked(text: str, seen: str) -> None:
    assert masking.masked(text) == seen


def test_a_recording_is_read_also_where_the_output_does_not_end_its_line() -> None:
    found = recordings.parse("095-case", "$ kubectl get x\n--- exit 0\n--- stdout\nTrue--- stderr\n")
    assert (found.number, found.command, found.said) == (95, "kubectl get x", Said(0, "True", ""))
