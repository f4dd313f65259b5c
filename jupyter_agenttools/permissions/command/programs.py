"""The programs that may run without asking, each with every option that it may be given.

An option that is not listed makes the call ask: programs take abbreviations, clusters and values in too many ways
for a list of the bad ones. Left out on purpose is whatever writes, runs a program, reads a list of files from a file,
follows links out of the tree, or never ends.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

OperandRole = Literal["paths", "files", "pattern", "text", "none", "format", "name"]
"""What the words after the options are: ``files`` may not be folders, ``pattern`` is a pattern and then paths,
``format`` starts with ``+``, ``name`` is one plain word."""


class Program(NamedTuple):
    """What one program may be given.

    Attributes:
        short: letters that may be clustered. short_valued: letters that take a value.
        long: whole options, a value after ``=`` allowed. long_valued: options whose value may also be the next word.
        operands: the role of the other words, at most ``max_operands`` of them.
        numeric: ``-5`` is an option. recursive: options that make it read whole folders.
        walks: it always reads whole folders, the working directory when no path is given.
        pattern_options: options that give the pattern, so that every operand is a path.
    """

    short: str = ""
    short_valued: str = ""
    long: frozenset[str] = frozenset()
    long_valued: frozenset[str] = frozenset()
    operands: OperandRole = "paths"
    max_operands: int | None = None
    numeric: bool = False
    recursive: frozenset[str] = frozenset()
    walks: bool = False
    pattern_options: frozenset[str] = frozenset()


def _program(
    short: str = "",
    short_valued: str = "",
    long: str = "",
    long_valued: str = "",
    operands: OperandRole = "paths",
    max_operands: int | None = None,
    *,
    numeric: bool = False,
    recursive: str = "",
    walks: bool = False,
    pattern_options: str = "",
) -> Program:
    return Program(
        short,
        short_valued,
        frozenset(f"--{name}" for name in ("help version " + long).split()),
        frozenset(f"--{name}" for name in long_valued.split()),
        operands,
        max_operands,
        numeric,
        frozenset(recursive.split()),
        walks,
        frozenset(pattern_options.split()),
    )


_GREP = _program(
    "EFGPivywxcLlqsohnHbTUzaIrZ",
    "emABC",
    "extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match word-regexp "
    "line-regexp count color colour files-without-match files-with-matches only-matching quiet silent no-messages "
    "byte-offset with-filename no-filename line-number initial-tab null text recursive null-data",
    "regexp max-count after-context before-context context include exclude exclude-dir label",
    "pattern",
    numeric=True,
    recursive="-r --recursive",
    pattern_options="-e --regexp",
)
_RG = _program(
    "inSsvwxclUFPNHI0u.pqab",
    "egtTABCmMrjdE",
    "ignore-case line-number case-sensitive smart-case invert-match word-regexp line-regexp count files-with-matches "
    "files-without-match multiline multiline-dotall fixed-strings pcre2 no-line-number with-filename no-filename null "
    "unrestricted hidden no-ignore no-ignore-vcs pretty quiet text byte-offset files no-heading heading column json "
    "only-matching count-matches stats trim vimgrep type-list no-config no-messages passthru no-unicode crlf",
    "color regexp glob iglob type type-not after-context before-context context max-count max-columns replace threads "
    "max-depth encoding sort sortr max-filesize",
    "pattern",
    walks=True,
    pattern_options="-e --regexp --files --type-list",
)
_LS = _program(
    "1aAbBcCdfFgGhiklmnNopqQrRsStuUvxX",
    "IwT",
    "all almost-all author escape color classify file-type full-time group-directories-first no-group human-readable "
    "si inode kibibytes numeric-uid-gid literal hide-control-chars show-control-chars quote-name reverse recursive "
    "size zero directory",
    "block-size format hide ignore indicator-style quoting-style sort time time-style tabsize width",
    recursive="-R --recursive",
)
_SORT = _program(
    "bdfghiMnRrVcCmsuz",
    "kt",
    "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort ignore-nonprinting "
    "month-sort numeric-sort random-sort reverse version-sort check merge stable unique zero-terminated debug",
    "key field-separator sort parallel",
)
_DIFF = _program(
    "abBcdeEinNpqstuwyZ",
    "CIUW",
    "text ignore-space-change ignore-blank-lines brief ignore-case ignore-all-space ignore-tab-expansion "
    "ignore-trailing-space report-identical-files side-by-side suppress-common-lines left-column expand-tabs minimal "
    "new-file show-c-function normal unified context color strip-trailing-cr speed-large-files",
    "width ignore-matching-lines label tabsize horizon-lines",
    "files",
    2,
)
_DU = _program(
    "abchklmsSx0",
    "dBt",
    "all apparent-size bytes total human-readable si summarize separate-dirs one-file-system null inodes time",
    "max-depth block-size threshold exclude time-style",
    walks=True,
)
_CHECKSUM = _program("btz", "", "binary text tag zero", "", "files")
_LINES = _program("qvz", "nc", "quiet silent verbose zero-terminated", "lines bytes", "files", numeric=True)

PROGRAMS: dict[str, Program] = {
    ":": _program(operands="text"),
    "arch": _program(operands="none"),
    "b2sum": _CHECKSUM,
    "basename": _program("az", "s", "multiple zero", "suffix", "text"),
    "cat": _program(
        "AbeEnstTuv", "", "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting"
    ),
    "cksum": _CHECKSUM,
    "cmp": _program("bls", "in", "print-bytes verbose quiet silent", "ignore-initial bytes", "files", 2),
    "column": _program("tx", "s", "table", "separator"),
    "comm": _program("123z", "", "check-order nocheck-order total zero-terminated output-delimiter", "", "files", 2),
    "cut": _program(
        "nsz", "bcdf", "complement only-delimited zero-terminated", "bytes characters delimiter fields output-delimiter"
    ),
    "date": _program("uRI", "d", "utc universal rfc-email iso-8601 rfc-3339", "date", "format", 1),
    "df": _program(
        "ahHiklPT", "Bt", "all human-readable si inodes local portability total print-type output", "block-size type"
    ),
    "diff": _DIFF,
    "dirname": _program("z", "", "zero", "", "text"),
    "dirs": _program(operands="none"),
    "du": _DU,
    "egrep": _GREP,
    "expand": _program("i", "t", "initial", "tabs"),
    "false": _program(operands="text"),
    "fgrep": _GREP,
    "fmt": _program(
        "cstu", "wg", "crown-margin split-only tagged-paragraph uniform-spacing", "width goal", numeric=True
    ),
    "fold": _program("bs", "w", "bytes spaces", "width"),
    "grep": _GREP,
    "head": _LINES,
    "id": _program("agGnruz", "", "context group groups name real user zero", "", "name", 1),
    "ls": _LS,
    "md5sum": _CHECKSUM,
    "nl": _program(
        "p", "bdfhilnsvw", "no-renumber", "body-numbering line-increment number-format number-separator number-width"
    ),
    "nproc": _program("", "", "all", "ignore", "none"),
    "paste": _program("sz", "d", "serial zero-terminated", "delimiters"),
    "pwd": _program("LP", "", "logical physical", "", "none"),
    "readlink": _program("femnqsvz", "", "canonicalize canonicalize-existing canonicalize-missing no-newline zero"),
    "realpath": _program(
        "emLPqsz",
        "",
        "canonicalize-existing canonicalize-missing logical physical quiet strip no-symlinks zero",
    ),
    "rev": _program(),
    "rg": _RG,
    "seq": _program("w", "fs", "equal-width", "format separator", "text", 3),
    "sha1sum": _CHECKSUM,
    "sha224sum": _CHECKSUM,
    "sha256sum": _CHECKSUM,
    "sha384sum": _CHECKSUM,
    "sha512sum": _CHECKSUM,
    "shuf": _program("rz", "n", "repeat zero-terminated", "head-count", "files", 1),
    "sleep": _program(operands="text"),
    "sort": _SORT,
    "stat": _program("t", "c", "terse", "format printf"),
    "tac": _program("br", "s", "before regex", "separator"),
    "tail": _LINES,
    "tr": _program("cCdst", "", "complement delete squeeze-repeats truncate-set1", "", "text", 2),
    "true": _program(operands="text"),
    "tsort": _program(operands="files", max_operands=1),
    "tty": _program("s", "", "silent quiet", "", "none"),
    "uname": _program(
        "asnrvmpio",
        "",
        "all kernel-name nodename kernel-release kernel-version machine processor hardware-platform operating-system",
        "",
        "none",
    ),
    "unexpand": _program("a", "t", "all first-only", "tabs"),
    "uniq": _program(
        "cdDiuz", "fsw", "count repeated all-repeated ignore-case unique zero-terminated group",
        "skip-fields skip-chars check-chars", "files", 1,
    ),
    "wc": _program("cmlLw", "", "bytes chars lines max-line-length words total"),
    "which": _program("a", "", "all", "", "text"),
    "whoami": _program(operands="none"),
}  # fmt: skip
"""By bare name: a program with a path in front of it is another program."""

TEXT_ONLY = frozenset({"echo"})
"""Programs whose every word is text, options included."""

FIND_PREDICATES: dict[str, int] = {
    **dict.fromkeys(
        "-print -print0 -ls -prune -quit -empty -readable -writable -executable -depth -xdev -mount -daystart -true "
        "-false -not ! ( ) -a -o -and -or , -nouser -nogroup".split(),
        0,
    ),
    **dict.fromkeys(
        "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -maxdepth -mindepth -size "
        "-mtime -mmin -atime -amin -ctime -cmin -perm -user -group -uid -gid -links -inum -printf -newermt".split(),
        1,
    ),
}
"""The words of a ``find`` expression that only test or print, with the number of words that each takes."""
