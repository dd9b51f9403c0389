from __future__ import annotations

from collections.abc import Callable

import pytest

from steersman.api import names

Check = Callable[[str], list[str]]


@pytest.mark.parametrize(
    ("check", "fine", "wrong"),
    [
        (names.dns_label, ["a", "1", "a-b", "a" * 63], ["", "A", "-a", "a-", "a.b", "a_b", "a" * 64, "a\n", "é"]),
        (names.dns_subdomain, ["a", "a.b", "1.2-3", "a" * 253], ["", "a..b", ".a", "a.", "A.b", "a" * 254, "a.b\n"]),
        (names.dns_1035_label, ["a", "a-1"], ["1a", "", "A", "a."]),
        (names.wildcard_subdomain, ["*.a.b"], ["*", "a.b", "*.*.a"]),
        (names.dns_subdomain_with_underscore, ["_a._b.c", "a_b"], ["__a", "a_"]),
        (
            names.qualified_name,
            ["a", "A_b.c-1", "example.com/a", "a" * 63],
            ["", "a/", "/a", "a/b/c", "-a", "A.com/a", "a" * 64],
        ),
        (names.label_value, ["", "a", "A_b.c-1"], ["-a", "a-", "a b", "a" * 64]),
        (names.config_map_key, ["a", ".a", "A_b"], ["", ".", "..", "..a", "a/b", "a" * 254]),
        (names.env_var_name, ["A", "a.b-c", "1", "a b"], ["", "a=b", "é", "a\tb"]),
        (names.port_name, ["http", "a1", "1a"], ["", "1", "a--b", "-a", "a-", "A", "a" * 16]),
        (names.http_header_name, ["X-A"], ["", "X A", "X:"]),
        (names.c_identifier, ["_a1"], ["1a", "a-b", ""]),
        (names.percent, ["0%", "93%"], ["%", "1", "1.5%"]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_rules(check: Check, fine: list[str], wrong: list[str]) -> None:
    assert {text: check(text) for text in fine} == {text: [] for text in fine}
    assert [text for text in wrong if not check(text)] == []


@pytest.mark.parametrize(
    ("check", "text", "complaints"),
    [
        (
            names.dns_subdomain,
            "Bad_Name",
            [
                "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and "
                "must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
                r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
            ],
        ),
        (names.dns_label, "a.b", ["must not contain dots"]),
        (
            names.qualified_name,
            "a b",
            [
                "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
                "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
                "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
            ],
        ),
        (names.label_value, "a" * 64, ["must be no more than 63 bytes"]),
        (
            names.port_name,
            "--",
            [
                "must contain at least one letter (a-z)",
                "must not contain consecutive hyphens",
                "must not begin or end with a hyphen",
            ],
        ),
    ],
)
def test_complaints_are_those_of_kubernetes(check: Check, text: str, complaints: list[str]) -> None:
    assert check(text) == complaints


def test_port_numbers() -> None:
    assert [number for number in (0, 1, 65535, 65536) if not names.port_number(number)] == [1, 65535]
