"""Files with environment variables: what is read, and what is refused."""

from __future__ import annotations

import pytest

from nodeagent import envfiles
from nodeagent.envfiles import BadEnvFile


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("KEY='value'", "value", id="one"),
        pytest.param("OTHER='x'\nKEY='value'\nKEY='later'\n", "value", id="the first of that name"),
        pytest.param("\n  \t\n# KEY='no'\n  KEY='value' # why\n", "value", id="blanks and comments"),
        pytest.param("KEY='one\n# two\nthree'\n", "one\n# two\nthree", id="over several lines"),
        pytest.param("KEY='a=b $HOME \\n'", "a=b $HOME \\n", id="as it is"),
        pytest.param("KEY='value'\r\nOTHER='x'\r\n", "value", id="lines of another system"),
        pytest.param("KEY= 'value'\nKEY='later'\n", "", id="a blank makes it empty"),
        pytest.param("OTHER='x'", "", id="not there"),
        pytest.param("", "", id="nothing there"),
    ],
)
def test_found(text: str, value: str) -> None:
    assert envfiles.find(text, "KEY") == value


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("A='1'\nnonsense\n", 2, id="no variable"),
        pytest.param("KEY ='value'", 1, id="a blank before the sign"),
        pytest.param("='value'", 1, id="no name"),
        pytest.param('KEY="value"', 1, id="other quotes"),
        pytest.param("KEY=value", 1, id="no quotes"),
        pytest.param("KEY='value", 1, id="no end"),
        pytest.param("KEY='value'more", 1, id="something behind it"),
    ],
)
def test_refused(text: str, line: int) -> None:
    with pytest.raises(BadEnvFile, match=f"^line {line}: "):
        envfiles.find(text, "KEY")
