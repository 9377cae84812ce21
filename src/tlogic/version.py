"""The version of tlogic, in one place for the package, the build and the files it writes."""

__version__ = "0.1.0"
