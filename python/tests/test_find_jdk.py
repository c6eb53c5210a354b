"""Which Java is taken, and what is said if there is none."""

from __future__ import annotations

import pytest
from conftest import java

from hearth_train import SetupError, _find_jdk


@pytest.fixture
def no_java(monkeypatch, tmp_path):
    monkeypatch.setattr(_find_jdk, "_FOLDERS", ())
    monkeypatch.setattr(_find_jdk, "_java_home", tuple)
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("HEARTH_JAVA_HOME", "JAVA_HOME"):
        monkeypatch.delenv(name, raising=False)


def test_no_java_names_the_wheel(no_java):
    with pytest.raises(SetupError, match=r"has none. Install .*hearth-train\[jre\]"):
        _find_jdk.find()


def test_an_old_one_is_named(no_java, monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(java(tmp_path / "old", "17.0.2")))
    with pytest.raises(SetupError, match="only: .*old is Java 17"):
        _find_jdk.find()


def test_java_home_comes_before_the_path(no_java, monkeypatch, tmp_path):
    home = java(tmp_path / "new", "25.0.1")
    on_path = java(tmp_path / "path", "26")
    (on_path / "bin").mkdir()
    (on_path / "bin" / "java").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(on_path / "bin"))
    assert _find_jdk.find() == on_path.resolve()
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert _find_jdk.find() == home


def test_a_forced_one_must_fit(no_java, monkeypatch, tmp_path):
    monkeypatch.setenv("HEARTH_JAVA_HOME", str(tmp_path / "missing"))
    with pytest.raises(SetupError, match="HEARTH_JAVA_HOME=.*missing has no Java"):
        _find_jdk.find()
