"""The sub-commands of git that only read, each with every option that it may be given.

Read under the hardened environment of :mod:`jupyter_agenttools.shell.git_safety`, which keeps git from running what a
repository names. Left out is whatever writes a file, runs a program, asks the network, reads the arguments of a file,
or looks into submodules.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Operands = Literal["revisions", "paths", "pattern", "none", "one", "text", "listing", "config"]
"""What the other words are: revisions and paths; a pattern first; at most one; text; patterns when it lists."""


class GitProgram(NamedTuple):
    """What one sub-command may be given.

    Attributes:
        flags: whole options; long ones may have a value after ``=``. valued: options with a value, also in the next
            word. attached: two signs with a value in the same word (``-U3``). cluster: letters that may be clustered.
        operands: what the other words are. counts: ``-5`` is an option.
        lists: with ``listing``: options that make the operands patterns.
    """

    flags: frozenset[str]
    valued: frozenset[str] = frozenset()
    attached: frozenset[str] = frozenset()
    cluster: frozenset[str] = frozenset()
    operands: Operands = "revisions"
    counts: bool = False
    lists: frozenset[str] = frozenset()


def _git(
    flags: str = "",
    valued: str = "",
    attached: str = "",
    cluster: str = "",
    operands: Operands = "revisions",
    *,
    counts: bool = False,
    lists: str = "",
) -> GitProgram:
    letters = frozenset("-" + letter for letter in cluster)
    return GitProgram(
        frozenset(flags.split()) | letters,
        frozenset(valued.split()),
        frozenset(attached.split()),
        frozenset(cluster),
        operands,
        counts,
        frozenset(lists.split()),
    )


_DIFF = (
    "-p -u --patch -s --no-patch --raw --patch-with-raw --minimal --patience --histogram --diff-algorithm --stat "
    "--compact-summary --numstat --shortstat --dirstat --cumulative --summary --patch-with-stat -z --name-only "
    "--name-status --no-color --color --color-moved --no-color-moved --color-words --word-diff --word-diff-regex "
    "--no-renames --rename-empty --full-index --binary --abbrev --no-abbrev -B --break-rewrites -M --find-renames -C "
    "--find-copies --find-copies-harder -D --irreversible-delete --diff-filter --pickaxe-all --pickaxe-regex -R "
    "--relative --no-relative -a --text --ignore-cr-at-eol --ignore-space-at-eol -b --ignore-space-change -w "
    "--ignore-all-space --ignore-blank-lines -W --function-context --inter-hunk-context --exit-code --quiet "
    "--no-ext-diff --no-textconv --ignore-submodules=all --ignore-submodules=dirty --src-prefix --dst-prefix "
    "--no-prefix --default-prefix --ita-invisible-in-index --cc --combined-all-paths -c -t -m --unified --stat-width "
    "--output-indicator-new --output-indicator-old --output-indicator-context --line-prefix --skip-to --rotate-to "
    "--check --stat-count --ws-error-highlight --indent-heuristic --no-indent-heuristic --merge-base"
)
_DIFF_VALUED = (
    "-S -G -l -I --ignore-matching-lines --diff-filter --inter-hunk-context --word-diff-regex --src-prefix "
    "--dst-prefix --diff-algorithm --stat-count --stat-width --ws-error-highlight"
)
_DIFF_ATTACHED = "-S -G -U -M -C -B -l -I"
_LOG = (
    "--oneline --graph --all --branches --tags --remotes --decorate --no-decorate --decorate-refs "
    "--decorate-refs-exclude --source --follow --full-diff --log-size --no-walk --do-walk --first-parent --merges "
    "--no-merges --min-parents --max-parents --no-min-parents --no-max-parents --reverse --date-order --topo-order "
    "--author-date-order --parents --children --left-right --left-only --right-only --cherry-mark --cherry-pick "
    "--cherry --boundary --simplify-by-decoration --simplify-merges --full-history --dense --sparse --ancestry-path "
    "--show-pulls -g --walk-reflogs --merge --not --encoding --format --pretty --abbrev-commit --no-abbrev-commit "
    "--relative-date --date --no-notes --notes --show-notes --expand-tabs --no-expand-tabs --regexp-ignore-case -i "
    "--basic-regexp -E --extended-regexp -F --fixed-strings -P --perl-regexp --all-match --invert-grep --no-mailmap "
    "--mailmap --use-mailmap --clear-decorations --remove-empty --glob --exclude --no-diff-merges "
    "--count --objects -r --root"
)
_LOG_VALUED = (
    "-n --max-count --skip --since --after --until --before --author --committer --grep --grep-reflog --date -L "
    "--min-age --max-age --decorate-refs --decorate-refs-exclude --encoding --exclude --glob"
)
_REF_LIST = (
    "--list --all --remotes --verbose --contains --no-contains --merged --no-merged --points-at --sort --format "
    "--column --no-column --color --no-color --ignore-case --omit-empty"
)
_REF_VALUED = "--sort --format --points-at"
_LISTING = "-l --list --contains --no-contains --merged --no-merged --points-at"

LOG = _git(f"{_DIFF} {_LOG}", f"{_DIFF_VALUED} {_LOG_VALUED}", f"{_DIFF_ATTACHED} -n -L", counts=True)
DIFF = _git(f"{_DIFF} --cached --staged -1 -2 -3 -0 --base --ours --theirs --no-index", _DIFF_VALUED, _DIFF_ATTACHED)

GIT: dict[str, GitProgram] = {
    "annotate": _git("-l -t -s -e -w -M -C --root --show-stats --porcelain", "-L", "-L -M -C"),
    "blame": _git(
        "-l -t -s -f -n -e -w -b -c -M -C --root --show-stats --porcelain -p --line-porcelain --incremental "
        "--show-name --show-number --show-email --color-lines --color-by-age --first-parent --abbrev --date --progress "
        "--no-progress --minimal --since --reverse",
        "-L --date --since --ignore-rev",
        "-L -M -C",
    ),
    "branch": _git(
        f"{_REF_LIST} --show-current --abbrev --no-abbrev", _REF_VALUED, "", "alrvi", "listing", lists=_LISTING
    ),
    "cat-file": _git("-p -t -s -e"),
    "check-attr": _git("-a --all -z", operands="text"),
    "check-ignore": _git("--quiet --verbose --non-matching --no-index", cluster="qvnz", operands="paths"),
    "cherry": _git("-v --abbrev"),
    "hash-object": _git("--stdin --no-filters", "-t", operands="paths"),
    "config": _git("--get --get-all --get-regexp --list -l --local --global --show-origin --show-scope --name-only -z "
                   "--bool --int --path --includes",
                   "--type", operands="config"),
    "count-objects": _git("-v --verbose -H --human-readable", cluster="vH", operands="none"),
    "describe": _git(
        "--all --tags --contains --abbrev --candidates --exact-match --debug --long --match --exclude --always "
        "--first-parent",
        "--match --exclude --candidates",
    ),
    "diff": DIFF,
    "diff-files": DIFF,
    "diff-index": _git(f"{_DIFF} --cached -m", _DIFF_VALUED, _DIFF_ATTACHED),
    "diff-tree": _git(
        f"{_DIFF} -r -t --root -v --no-commit-id --always --pretty --format", _DIFF_VALUED, _DIFF_ATTACHED
    ),
    "for-each-ref": _git(f"{_REF_LIST} --count", f"{_REF_VALUED} --count", operands="text"),
    "grep": _git(
        "--cached --text --ignore-case --word-regexp --invert-match --full-name --extended-regexp --basic-regexp "
        "--perl-regexp --fixed-strings --line-number --column --files-with-matches --name-only --files-without-match "
        "--null --only-matching --count --color --no-color --break --heading --show-function --function-context "
        "--max-depth --context --after-context --before-context --threads --and --or --not --all-match --quiet "
        "--untracked --exclude-standard --no-exclude-standard --no-recursive --recursive --no-textconv -W -p",
        "-e -A -B -C --context --after-context --before-context --max-depth --threads",
        "-A -B -C -e",
        "aiIwvhHEGPFnlLzocpWqr",
        "pattern",
        counts=True,
    ),
    "log": LOG,
    "ls-files": _git(
        "--cached --deleted --others --ignored --stage --unmerged --killed --modified --directory --no-empty-directory "
        "--eol --deduplicate --exclude --exclude-standard --error-unmatch --full-name --abbrev --format",
        "-x --exclude --format",
        "",
        "cdoisukmztvf",
        "paths",
    ),
    "ls-tree": _git(
        "--long --name-only --name-status --object-only --full-name --full-tree --abbrev", "--format", "", "drtlz"
    ),
    "merge-base": _git("-a --all --octopus --independent --is-ancestor --fork-point"),
    "name-rev": _git("--tags --name-only --no-undefined --always --all", "--refs --exclude", operands="text"),
    "range-diff": DIFF,
    "reflog": LOG,
    "remote": _git("-v --verbose", operands="none"),
    "rev-list": LOG,
    "rev-parse": _git(
        "--verify -q --quiet --short --symbolic --symbolic-full-name --abbrev-ref --all --branches --tags --remotes "
        "--glob --exclude --disambiguate --git-dir --absolute-git-dir --git-common-dir --is-inside-git-dir "
        "--is-inside-work-tree --is-bare-repository --is-shallow-repository --show-cdup --show-prefix --show-toplevel "
        "--show-object-format --show-superproject-working-tree --revs-only --no-revs --flags --no-flags --not --sq "
        "--since --after --until --before --local-env-vars --path-format",
        "--default --git-path --path-format",
    ),
    "shortlog": _git(
        "--numbered --summary --email --committer --group --no-merges --all --since --until --after --before --format",
        "--since --until --after --before --group",
        "-n -w",
        "nsec",
    ),
    "show": LOG,
    "show-branch": _git("-a -r --all --remotes --list --current --topo-order --date-order --sha1-name --no-name"),
    "show-ref": _git("--head --heads --branches --tags -d --dereference -s --hash --abbrev --verify -q --quiet "
                     "--exists", operands="text"),
    "status": _git(
        "--short --branch --show-stash --porcelain --long --verbose --untracked-files --ignored --column --no-column "
        "--ahead-behind --no-ahead-behind --renames --no-renames --find-renames --ignore-submodules=all",
        "",
        "-u",
        "sbvz",
        "paths",
    ),
    "symbolic-ref": _git("--short -q --quiet --recurse --no-recurse", operands="one"),
    "tag": _git(f"{_REF_LIST} -n", _REF_VALUED, "-n", "lni", "listing", lists=_LISTING),
    "var": _git(operands="one"),
    "version": _git("--build-options", operands="none"),
}  # fmt: skip
"""By sub-command."""

VERBS: dict[str, dict[str, GitProgram]] = {
    "remote": {
        "get-url": _git("--push --all", operands="one"),
        "show": _git("-n", operands="listing", lists="-n"),
    },
    "stash": {"list": LOG, "show": LOG},
    "worktree": {"list": _git("-v --verbose --porcelain -z", operands="none")},
    "notes": {"list": _git(operands="one"), "show": _git(operands="one")},
    "reflog": {"show": LOG},
    "bisect": {"log": _git(operands="none")},
}
"""Sub-commands whose first word says what they do."""

WRITING_WORDS = {"reflog": frozenset({"expire", "delete", "drop", "exists", "list", "write"})}
"""First words with which a sub-command that usually reads does something else."""

SECRET_KEYS = ("token", "password", "secret", "header", "credential", "helper", "cookie", "proxy", "url", "key")
"""Parts of the names of settings whose values are nobody's business."""
