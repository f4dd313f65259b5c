"""The programs that may run without asking, each with every option that it may be given.

An option that is not listed makes the call ask: programs take abbreviations, clusters and values in too many ways
for a list of the bad ones. Left out on purpose is whatever writes, runs a program, reads a list of files from a file,
follows links out of the tree, or never ends.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

OperandRole = Literal["paths", "files", "contents", "names", "pattern", "text", "none", "format", "name"]
"""What the words after the options are: ``files`` may not be folders, of ``contents`` the program reads nothing when it
is a folder, ``names`` are paths whose links are not followed, ``pattern`` is a pattern and then paths, ``format``
starts with ``+``, ``name`` is one plain word."""


class Program(NamedTuple):
    """What one program may be given.

    Attributes:
        short: letters that may be clustered. short_valued: letters that take a value.
        long: whole options, a value after ``=`` allowed. long_valued: options whose value may also be the next word.
        operands: the role of the other words, at most ``max_operands`` of them.
        numeric: ``-5`` is an option. recursive: options that make it read whole folders.
        walks: it always reads whole folders, the working directory when no path is given.
        pattern_options: options that give the pattern, so that every operand is a path.
        short_paths, long_paths: options whose value names a file that is read.
        words: whole options behind a single ``-``. word_valued: such with a value in the next word.
        naming: options with which links at the end of a path are not followed, unless one of not_naming is there.
        not_naming: options with which links at the end of a path are followed, with the role ``names`` too.
        follows: options with which links below a folder are followed. one_of: options of which one has to be there.
        only: with the role ``name``: the words that may stand there.
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
    short_paths: str = ""
    long_paths: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    word_valued: frozenset[str] = frozenset()
    naming: frozenset[str] = frozenset()
    not_naming: frozenset[str] = frozenset()
    follows: frozenset[str] = frozenset()
    one_of: frozenset[str] = frozenset()
    only: frozenset[str] = frozenset()


def program(
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
    short_paths: str = "",
    long_paths: str = "",
    words: str = "",
    word_valued: str = "",
    naming: str = "",
    not_naming: str = "",
    follows: str = "",
    one_of: str = "",
    only: str = "",
) -> Program:
    """A program from texts with blanks between the options; long ones are written without their dashes."""
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
        short_paths,
        frozenset(f"--{name}" for name in long_paths.split()),
        frozenset(words.split()),
        frozenset(word_valued.split()),
        frozenset(naming.split()),
        frozenset(not_naming.split()),
        frozenset(follows.split()),
        frozenset(one_of.split()),
        frozenset(only.split()),
    )


_GREP = program(
    "EFGPivywxcLlqsohnHbTUzaIrRZuV",
    "emABCdD",
    "extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match word-regexp "
    "line-regexp count color colour files-without-match files-with-matches only-matching quiet silent no-messages "
    "byte-offset with-filename no-filename line-number initial-tab null text recursive null-data "
    "dereference-recursive line-buffered no-group-separator",
    "regexp max-count after-context before-context context include exclude exclude-dir label group-separator "
    "binary-files directories devices",
    "pattern",
    numeric=True,
    recursive="-r --recursive -R --dereference-recursive",
    pattern_options="-e --regexp -f --file",
    short_paths="f",
    long_paths="file exclude-from",
    follows="-R --dereference-recursive",
)
_RG = program(
    "inSsvwxclUFPNHIL0u.pqaboh",
    "egtTABCmMrjdE",
    "ignore-case line-number case-sensitive smart-case invert-match word-regexp line-regexp count files-with-matches "
    "files-without-match multiline multiline-dotall fixed-strings pcre2 no-line-number with-filename no-filename null "
    "unrestricted hidden no-ignore no-ignore-vcs pretty quiet text byte-offset files no-heading heading column json "
    "only-matching count-matches stats trim vimgrep type-list no-config no-messages passthru no-unicode crlf follow "
    "line-buffered no-filename no-column null-data no-require-git no-ignore-parent max-columns-preview one-file-system "
    "no-hidden no-follow binary debug include-zero no-context-separator auto-hybrid-regex no-pcre2-unicode no-binary "
    "no-ignore-dot no-ignore-exclude no-ignore-global no-ignore-files ignore-file-case-insensitive "
    "glob-case-insensitive no-trim no-multiline no-fixed-strings no-invert-match no-json no-stats no-crlf no-mmap "
    "block-buffered",
    "color regexp glob iglob type type-not after-context before-context context max-count max-columns replace threads "
    "max-depth encoding sort sortr max-filesize path-separator context-separator field-match-separator "
    "field-context-separator engine colors type-add type-clear dfa-size-limit regex-size-limit hyperlink-format",
    "pattern",
    walks=True,
    pattern_options="-e --regexp -f --file --files --type-list",
    short_paths="f",
    long_paths="file ignore-file",
    follows="-L --follow",
)
_FD = program(
    "HIusigFap0q1",
    "dtEeScoj",
    "hidden no-ignore no-ignore-vcs unrestricted case-sensitive ignore-case glob regex fixed-strings absolute-path "
    "full-path print0 quiet strip-cwd-prefix one-file-system show-errors",
    "max-depth min-depth exact-depth type exclude extension size changed-within changed-before color owner threads "
    "max-results and",
    "pattern",
    walks=True,
)
_LS = program(
    "1aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ",
    "IwT",
    "all almost-all author escape color classify file-type full-time group-directories-first no-group human-readable "
    "si inode kibibytes numeric-uid-gid literal hide-control-chars show-control-chars quote-name reverse recursive "
    "size zero directory context dereference dereference-command-line hyperlink",
    "block-size format hide ignore indicator-style quoting-style sort time time-style tabsize width",
    recursive="-R --recursive",
    naming="-d --directory -l",
    not_naming="-C -x -m -f --format -H -L --dereference --dereference-command-line",
    follows="-L --dereference",
)
_SORT = program(
    "bdfghiMnRrVcCmsuz",
    "ktS",
    "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort ignore-nonprinting "
    "month-sort numeric-sort random-sort reverse version-sort check merge stable unique zero-terminated debug",
    "key field-separator sort parallel buffer-size batch-size",
    "contents",
)
_DIFF = program(
    "abBcdeEinNpqrstuwyZ0123456789",
    "CIUWxL",
    "text ignore-space-change ignore-blank-lines brief ignore-case ignore-all-space ignore-tab-expansion "
    "ignore-trailing-space report-identical-files side-by-side suppress-common-lines left-column expand-tabs minimal "
    "new-file show-c-function normal unified context color strip-trailing-cr speed-large-files recursive "
    "no-dereference ignore-file-name-case palette",
    "width ignore-matching-lines label tabsize horizon-lines exclude",
    "files",
    2,
    recursive="-r --recursive",
    follows="-r --recursive",
)
_DU = program(
    "abchklmsSx0",
    "dBt",
    "all apparent-size bytes total human-readable si summarize separate-dirs one-file-system null inodes time",
    "max-depth block-size threshold exclude time-style",
    "names",
    walks=True,
)
_CHECKSUM = program("btz", "a", "binary text tag zero", "algorithm", "contents")
_LINES = program("qvz", "nc", "quiet silent verbose zero-terminated", "lines bytes", "contents", numeric=True)
_GZIP = program(
    "cdkqvlt123456789", "", "stdout decompress list test quiet verbose keep fast best", "", "contents",
    one_of="-c -l -t --stdout --list --test",
)  # fmt: skip
_TO_STDOUT = program("cdkqv123456789", "", "stdout decompress quiet verbose keep", "", "contents", one_of="-c --stdout")
"""Of the other packers the last of ``-d``, ``-t`` and ``-l`` counts, so that only ``-c`` makes certain of anything."""

TEXT_PROGRAMS: dict[str, Program] = {
    "arch": program(operands="none"),
    "b2sum": _CHECKSUM,
    "cat": program(
        "AbeEnstTuv", "", "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting", "",
        "contents",
    ),
    "cksum": _CHECKSUM,
    "cmp": program("bls", "in", "print-bytes verbose quiet silent", "ignore-initial bytes", "files", 2),
    "column": program(
        "txeLnJ", "socNREHWTOC", "table fillrows json keep-empty-lines", "separator output-separator columns "
        "table-columns table-right table-hide table-wrap table-truncate table-order table-noextreme table-name "
        "output-width", "contents",
    ),
    "comm": program("123z", "", "check-order nocheck-order total zero-terminated output-delimiter", "", "files", 2),
    "cut": program(
        "nsz", "bcdf", "complement only-delimited zero-terminated",
        "bytes characters delimiter fields output-delimiter", "contents",
    ),
    "date": program(
        "uRI", "d", "utc universal rfc-email iso-8601 rfc-3339", "date", "format", 1, short_paths="r",
        long_paths="reference", words="-Idate -Ihours -Iminutes -Iseconds -Ins",
    ),
    "df": program(
        "ahHiklPT", "Btx", "all human-readable si inodes local portability total print-type output",
        "block-size type exclude-type",
    ),
    "diff": _DIFF,
    "dirs": program(words="-v -p -l", operands="none"),
    "du": _DU,
    "egrep": _GREP,
    "dir": _LS,
    "expand": program("i", "t", "initial", "tabs", "contents"),
    "fgrep": _GREP,
    "fmt": program(
        "cstu", "wg", "crown-margin split-only tagged-paragraph uniform-spacing", "width goal", "contents", numeric=True
    ),
    "fold": program("bs", "w", "bytes spaces", "width", "contents", numeric=True),
    "grep": _GREP,
    "head": _LINES,
    "id": program("agGnruz", "", "context group groups name real user zero", "", "name", 1),
    "ls": _LS,
    "md5sum": _CHECKSUM,
    "nl": program(
        "p", "bdfhilnsvw", "no-renumber",
        "body-numbering line-increment number-format number-separator number-width starting-line-number", "contents",
    ),
    "nproc": program("", "", "all", "ignore", "none"),
    "paste": program("sz", "d", "serial zero-terminated", "delimiters", "contents"),
    "pwd": program("LP", "", "logical physical", "", "none"),
    "readlink": program(
        "femnqsvz", "", "canonicalize canonicalize-existing canonicalize-missing no-newline zero", "", "names"
    ),
    "realpath": program(
        "emLPqsz",
        "",
        "canonicalize-existing canonicalize-missing logical physical quiet strip no-symlinks zero",
        "",
        "names",
        long_paths="relative-to relative-base",
    ),
    "rev": program(operands="contents"),
    "rg": _RG,
    "sha1sum": _CHECKSUM,
    "sha224sum": _CHECKSUM,
    "sha256sum": _CHECKSUM,
    "sha384sum": _CHECKSUM,
    "sha512sum": _CHECKSUM,
    "shasum": program("bt", "a", "binary text tag", "algorithm", "contents"),
    "shuf": program("rz", "ni", "repeat zero-terminated", "head-count input-range", "files", 1),
    "sort": _SORT,
    "stat": program(
        "tfL", "c", "terse file-system dereference", "format printf", "names", not_naming="-L --dereference"
    ),
    "sum": program("rs", "", "sysv", "", "contents"),
    "tac": program("br", "s", "before regex", "separator", "contents"),
    "tail": _LINES,
    "tr": program("cCdst", "", "complement delete squeeze-repeats truncate-set1", "", "text", 2),
    "tree": program(
        "adfilpsuhgDFNqQvtrcUSCnxXJA", "LPI", "dirsfirst filesfirst noreport du si inodes device gitignore prune "
        "matchdirs ignore-case metafirst", "sort timefmt charset filelimit", walks=True, follows="-l",
    ),
    "tsort": program(operands="files", max_operands=1),
    "tty": program("s", "", "silent quiet", "", "none"),
    "uname": program(
        "asnrvmpio",
        "",
        "all kernel-name nodename kernel-release kernel-version machine processor hardware-platform operating-system",
        "",
        "none",
    ),
    "base32": program("di", "w", "decode ignore-garbage", "wrap", "files", 1),
    "base64": program("di", "w", "decode ignore-garbage", "wrap", "files", 1),
    "basenc": program(
        "di", "w", "decode ignore-garbage base64 base64url base32 base32hex base16 base2msbf base2lsbf z85", "wrap",
        "files", 1,
    ),
    "bc": program("lqsw", "", "mathlib quiet standard warn", "", "files"),
    "bzcat": program("kqv", "", "", "", "contents"),
    "bzip2": _TO_STDOUT,
    "bunzip2": _TO_STDOUT,
    "col": program("bfpx", "l", operands="none"),
    "colrm": program(operands="text", max_operands=2),
    "diff3": program("aAeEimTxX3", "L", "text show-overlap easy-only merge overlap-only", "label", "contents", 3),
    "fd": _FD,
    "fdfind": _FD,
    "file": program(
        "bhiknNrv0EL", "FeP", "brief mime mime-type mime-encoding no-dereference dereference keep-going no-buffer "
        "no-pad raw print0 extension", "separator exclude parameter", "names",
        not_naming="-L --dereference",
    ),
    "gunzip": _GZIP,
    "gzip": _GZIP,
    "hd": program("bcCdovx", "nse", operands="contents"),
    "hexdump": program("bcCdovx", "nse", "canonical no-squeezing", "length skip", "contents"),
    "iconv": program("csl", "ft", "list silent verbose", "from-code to-code", "contents"),
    "join": program("iz", "aveto12j", "ignore-case check-order nocheck-order header zero-terminated", "", "files", 2),
    "less": program("eEfFgiIJmMnNqQrRsSuUwXFK", operands="files"),
    "more": program("dflpcsu", operands="files"),
    "namei": program("xmolnv", "", "mountpoints modes owners long nosymlinks vertical"),
    "numfmt": program(
        "", "d", "grouping header invalid debug", "to from suffix padding field format delimiter to-unit from-unit "
        "round", "text",
    ),
    "od": program(
        "abcdfhilosxvO", "AjNtS", "output-duplicates strings", "address-radix skip-bytes read-bytes format", "contents",
    ),
    "pr": program(
        "adfFmnrtTJ", "hlowW", "across double-space merge omit-header", "header length", "files", numeric=True
    ),
    "sdiff": program(
        "iabBWEtHdsl", "wI", "ignore-case text ignore-all-space ignore-blank-lines ignore-space-change "
        "ignore-tab-expansion strip-trailing-cr expand-tabs minimal speed-large-files suppress-common-lines "
        "left-column ignore-trailing-space", "width ignore-matching-lines", "files", 2,
    ),
    "strings": program("afow", "nte", "all print-file-name", "bytes radix encoding", "contents", numeric=True),
    "unexpand": program("a", "t", "all first-only", "tabs", "contents"),
    "unxz": _TO_STDOUT,
    "unzstd": _TO_STDOUT,
    "uuidgen": program("rt", "", "random time", "", "none"),
    "vdir": _LS,
    "uniq": program(
        "cdDiuz", "fsw", "count repeated all-repeated ignore-case unique zero-terminated group",
        "skip-fields skip-chars check-chars", "files", 1,
    ),
    "xxd": program(
        "abeEipudr", "cglso", operands="files", max_operands=1,
        words="-ps -plain -postscript -bits -include -uppercase", word_valued="-len -seek -cols -groupsize",
    ),
    "xz": _TO_STDOUT._replace(short_valued="T"),
    "xzcat": program("kqv", "", "", "", "contents"),
    "zcat": program("fkqv", "", "", "", "contents"),
    "zstd": _TO_STDOUT,
    "zstdcat": program("kqv", "", "", "", "contents"),
    "wc": program("cmlLw", "", "bytes chars lines max-line-length words total", "", "contents"),
    "which": program("a", "", "all", "", "text"),
    "whoami": program(operands="none"),
}  # fmt: skip
"""Programs that read files and text."""

TEXT_ONLY = frozenset(": basename break continue dirname echo expr factor false seq sleep true".split())
"""Programs whose every word is text, options included."""

FIND_PREDICATES: dict[str, int] = {
    **dict.fromkeys(
        "-print -print0 -ls -prune -noleaf -nowarn -ignore_readdir_race -quit -empty -readable -writable -executable "
        "-depth -xdev -mount -daystart -true "
        "-false -not ! ( ) -a -o -and -or , -nouser -nogroup".split(),
        0,
    ),
    **dict.fromkeys(
        "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -maxdepth -mindepth -size "
        "-mtime -mmin -atime -amin -ctime -cmin -perm -user -group -uid -gid -links -inum -printf -newermt "
        "-newerat -newerct -newerBt -used -xtype".split(),
        1,
    ),
}
"""The words of a ``find`` expression that only test or print, with the number of words that each takes."""

FIND_PATHS = frozenset({"-newer", "-anewer", "-cnewer", "-samefile"})
"""Words of a ``find`` expression whose value is a file that is looked at."""
