"""The version of the package; that of the jars in it is the same."""

__version__ = "0.1.0.dev0"
