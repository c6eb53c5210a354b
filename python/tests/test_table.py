"""The package agrees with the header that ships in the jar."""

from __future__ import annotations

import re
import zipfile

from hearth_train import _errors, _jvm, _table


def header() -> str:
    jar = next(jar for jar in _jvm.jars() if jar.name.startswith("hearth-bridge"))
    with zipfile.ZipFile(jar) as files:
        return files.read("io/hearth/bridge/hearth.h").decode()


def test_functions_are_those_of_the_header():
    declared = []
    for name, arguments in re.findall(r"int64_t \(\*(\w+)\)\(([^)]*)\);", header()):
        letters = "".join(
            "p" if "*" in each or "hearth_log_function" in each else "d" if "double" in each else "l"
            for each in arguments.split(",")
        )
        declared.append((name, letters))
    assert declared == list(_table.FUNCTIONS)
    assert f"#define HEARTH_ABI {_table.ABI}" in header()


def test_numbers_are_those_of_the_header():
    declared = {name: int(number) for name, number in re.findall(r"HEARTH_(\w+) = (-?\d+)", header())}
    assert declared.pop("NOT_YET") == _table.NOT_YET
    for name, number in (*_table.TYPES.items(), *_table.REDUCTIONS.items()):
        assert declared.pop(name.upper()) == number
    assert {-number for number in declared.values()} == set(_errors._BY_NUMBER)
