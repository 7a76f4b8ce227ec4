"""What a long job leaves on the disk, and how it goes on.

A run is a folder that says its own kind, its frozen configuration, files of records that only grow, and files that are
derived from them. It can be killed at any instant: what was finished is there, once, and damage to it is found.
"""

from foible.runs.configuration import check_unchanged, read_recorded, write_config
from foible.runs.files import replacing, write_atomically
from foible.runs.folder import Run, RunFolder, check_folder, declare, kind_of_run
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
