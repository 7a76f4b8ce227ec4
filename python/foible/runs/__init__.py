"""Run folders: what a long job writes to the disk, and how it is resumed.

A run is a folder with a file that states its kind, its frozen configuration, files of records that only grow, and files
that are derived from these. The job can be killed at any instant: all that was finished is there, exactly once, and
damage to it is detected.
"""

from foible.runs.files import replacing, write_atomically
from foible.runs.folder import (
    Run,
    RunFolder,
    check_folder,
    check_unchanged,
    declare,
    kind_of_run,
    read_recorded,
    write_config,
)
from foible.runs.interrupt import interruptible
from foible.runs.journal import Form, Journal, JsonLines, RecordFile, read_journal, read_record_file
from foible.runs.ledger import Ledger

__all__ = [
    "Form",
    "Journal",
    "JsonLines",
    "Ledger",
    "RecordFile",
    "Run",
    "RunFolder",
    "check_folder",
    "check_unchanged",
    "declare",
    "interruptible",
    "kind_of_run",
    "read_journal",
    "read_record_file",
    "read_recorded",
    "replacing",
    "write_atomically",
    "write_config",
]
