"""Programs whose first plain word says what they do: options before it, and those that run another program."""

from __future__ import annotations

from collections.abc import Iterator

from .wrappers import WRAPPERS, Argv, Wrapper, calls_behind, make_wrapper, program_name

GLOBAL_OPTIONS: dict[str, Wrapper] = {
    "conda": make_wrapper(flags="hv"),
    "docker": make_wrapper("-c --context -H --host -l --log-level --config --tlscacert --tlscert --tlskey", flags="D"),
    "git": make_wrapper(
        "-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source", flags="pP"
    ),
    "kubectl": make_wrapper(
        "-n --namespace --context --cluster --kubeconfig -s --server --user --token --as --as-group --as-uid -v --v "
        "--request-timeout --cache-dir --certificate-authority --client-key --client-certificate --tls-server-name "
        "--password --username --profile --profile-output"
    ),
    "npm": make_wrapper(
        "--prefix --registry -w --workspace -C --loglevel --otp --userconfig --globalconfig --tag --access --cache "
        "--script-shell",
        flags="gsqdfylDEOSB",
    ),
    "pip": make_wrapper(
        "--python --log --proxy --retries --timeout --exists-action --trusted-host --cert --client-cert --cache-dir "
        "--use-feature --use-deprecated --keyring-provider",
        flags="hqvV",
    ),
    "terraform": make_wrapper(),
}
"""Options that stand between a program and its sub-command; unknown ones are tried with and without a value."""

_NO_OPTIONS = make_wrapper()

_IN_CONTAINER = make_wrapper(
    "-a -c -e -h -l -m -p -u -v -w --add-host --annotation --attach --cap-add --cap-drop --cgroup-parent --cidfile "
    "--cpus --detach-keys --device --dns --entrypoint --env --env-file --expose --gpus --group-add --hostname --ip "
    "--ipc --label --link --log-driver --log-opt --memory --mount --name --network --network-alias --pid --platform "
    "--publish --pull --restart --runtime --security-opt --shm-size --stop-signal --tmpfs --ulimit --user --userns "
    "--volume --volumes-from --workdir --index",
    positional=1,
    flags="diPtTq",
)
_IN_POD = make_wrapper("-c -f -n --container --filename --namespace --context --image", positional=1, flags="itq")
_PLAIN = make_wrapper()
_IN_ENVIRONMENT = make_wrapper("-n -p -e --name --prefix --cwd --with --python --extra --group --env-file --package")
_IN_PLACE = make_wrapper("-p --profile", positional=1)
_SHELL_TEXT = make_wrapper("-s -n -c -t -x -y -F -e -L -S -A", positional=0, flags="dPAEXk")

RUNNERS: dict[str, dict[Argv, Wrapper]] = {
    "asdf": {("exec",): _PLAIN},
    "aws-vault": {("exec",): _IN_PLACE},
    "bun": {("x",): _PLAIN, ("run",): _PLAIN},
    "bundle": {("exec",): _PLAIN},
    "bunx": {(): _PLAIN},
    "conda": {("run",): _IN_ENVIRONMENT},
    "direnv": {("exec",): _IN_PLACE},
    "docker": {
        ("exec",): _IN_CONTAINER,
        ("run",): _IN_CONTAINER,
        ("create",): _IN_CONTAINER,
        ("compose", "exec"): _IN_CONTAINER,
        ("compose", "run"): _IN_CONTAINER,
    },
    "doppler": {("run",): _PLAIN},
    "dotenv": {("run",): make_wrapper("-f -e"), (): make_wrapper("-f -e")},
    "git": {("bisect", "run"): _PLAIN, ("submodule", "foreach"): _PLAIN},
    "gnome-terminal": {(): _PLAIN},
    "hatch": {("run",): _PLAIN},
    "kubectl": {("exec",): _IN_POD, ("run",): _IN_POD, ("debug",): _IN_POD},
    "lxc": {("exec",): _IN_PLACE},
    "mamba": {("run",): _IN_ENVIRONMENT},
    "micromamba": {("run",): _IN_ENVIRONMENT},
    "mise": {("exec",): _PLAIN, ("x",): _PLAIN},
    "nix": {("develop",): make_wrapper(positional=1), ("run",): make_wrapper(positional=1), ("shell",): _PLAIN},
    "npm": {("exec",): _IN_ENVIRONMENT, ("x",): _IN_ENVIRONMENT},
    "npx": {(): _IN_ENVIRONMENT},
    "op": {("run",): _PLAIN},
    "pdm": {("run",): _IN_ENVIRONMENT},
    "perf": {("record",): make_wrapper("-o -e -F -c -g"), ("stat",): make_wrapper("-o -e -r"), ("trace",): _PLAIN},
    "pipenv": {("run",): _PLAIN},
    "pipx": {("run",): _PLAIN},
    "pixi": {("run",): _IN_ENVIRONMENT},
    "pnpm": {("exec",): _PLAIN, ("dlx",): _PLAIN},
    "poetry": {("run",): _PLAIN},
    "pyenv": {("exec",): _PLAIN},
    "rbenv": {("exec",): _PLAIN},
    "rye": {("run",): _PLAIN},
    "screen": {(): make_wrapper("-S -c -e -h -p -s -t -T", flags="dmDRUaAiLqx")},
    "tmux": {(name,): _SHELL_TEXT for name in ("new", "new-session", "new-window", "neww", "split-window", "splitw")},
    "uv": {("run",): _IN_ENVIRONMENT, ("tool", "run"): _IN_ENVIRONMENT},
    "uvx": {(): _IN_ENVIRONMENT},
    "yarn": {("exec",): _PLAIN, ("dlx",): _PLAIN},
}
"""Sub-commands that run the program that their words name, and how those words are read."""
RUNNERS["podman"] = RUNNERS["nerdctl"] = RUNNERS["docker"]
RUNNERS["docker-compose"] = RUNNERS["podman-compose"] = {("exec",): _IN_CONTAINER, ("run",): _IN_CONTAINER}
RUNNERS["oc"] = RUNNERS["kubectl"]


def option_free(argv: Argv) -> Iterator[Argv]:
    """``argv`` without the options between the program and its sub-command (``git -C . push`` → ``git push``)."""
    name = program_name(argv[0])
    if len(argv) > 2 and argv[1].startswith("-") and name not in WRAPPERS:
        own = GLOBAL_OPTIONS.get(name, _NO_OPTIONS)
        yield from ((argv[0], *words) for words in calls_behind(argv, own))


def runner_calls(argv: Argv) -> Iterator[Argv]:
    """Every call that a sub-command like ``docker exec web …`` may run."""
    known = RUNNERS.get(program_name(argv[0]))
    if known is None:
        return
    for words in (argv, *option_free(argv)):
        for path, wrapper in known.items():
            if words[1 : len(path) + 1] == path:
                yield from calls_behind(words[len(path) :], wrapper)
                if wrapper.positional and "--" in words[:-1]:
                    yield words[words.index("--") + 1 :]
