"""A small stock list, written for an old Python."""

from .store import Store

__all__ = ["Store"]
