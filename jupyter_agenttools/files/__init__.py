"""Reading and writing bytes faithfully: what every file tool is built on."""

from .content import Content, open_content
from .encoding import TextFormat, decode_exactly, encode, text_format, visible
from .live_document import LiveDocument, LiveDocuments
from .locks import file_lock
from .opening import content_hash, open_regular, read_whole
from .paths import locate, shown_path
from .state import FileStateCache, FileView, ReadRecord, file_state
from .unfinished import recover_writes
from .window import TextWindow, read_window
from .writing import WriteError, WriteReceipt, safe_write

__all__ = [
    "Content",
    "FileStateCache",
    "FileView",
    "LiveDocument",
    "LiveDocuments",
    "ReadRecord",
    "TextFormat",
    "TextWindow",
    "WriteError",
    "WriteReceipt",
    "content_hash",
    "decode_exactly",
    "encode",
    "file_lock",
    "file_state",
    "locate",
    "open_content",
    "open_regular",
    "read_whole",
    "read_window",
    "recover_writes",
    "safe_write",
    "shown_path",
    "text_format",
    "visible",
]
