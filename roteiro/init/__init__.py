"""What `roteiro init` writes into a repository and into the settings of agents, and how it is undone to the byte.

Every edit adds a text to a file, or makes a file of it; what was added is recorded in the user's own data folder. So
`init --remove` needs no guess: it takes out exactly the recorded text, and leaves a file alone that was edited since.
"""

from roteiro.init.apply import FileRefusedError, read_place, undone, write_place, written
from roteiro.init.edits import Edit, Place
from roteiro.init.record import load_record, save_record
from roteiro.init.targets import CLIENTS, ServedModel, Wish, wishes

__all__ = [
    "CLIENTS",
    "Edit",
    "FileRefusedError",
    "Place",
    "ServedModel",
    "Wish",
    "load_record",
    "read_place",
    "save_record",
    "undone",
    "wishes",
    "write_place",
    "written",
]
