"""The version of kibitz, in its one place."""

VERSION = "0.1.0"
AUTHORS = "The kibitz developers"
