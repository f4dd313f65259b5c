"""The options of an ``%%agent`` cell."""

from __future__ import annotations

import pytest

from jupyter_agenttools.core.errors import UsageError
from jupyter_agenttools.notebook.agent_line import AgentSubcommand, parse_agent_line
from jupyter_agenttools.notebook.agent_run_line import AGENT_OPTION_VALUES, AGENT_OPTIONS, LAST, AgentRun
from jupyter_agenttools.notebook.agent_transcript_line import AgentTranscript
from jupyter_agenttools.notebook.options import take_options


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("--model anthropic:claude-x", AgentRun("go", model="anthropic:claude-x")),
        ("--model=local --mode plan", AgentRun("go", model="local", mode="plan")),
        ("--tools Read,Grep", AgentRun("go", tools=("Read", "Grep"))),
        ("--tools 'Read, Grep,Read,'", AgentRun("go", tools=("Read", "Grep"))),
        ('--name "my first try" --background', AgentRun("go", name="my first try", background=True)),
        ("--continue --rerun", AgentRun("go", resume=LAST, rerun=True)),
        ("--resume 0123abcd", AgentRun("go", resume="0123abcd")),
        ("--resume='a b/transcript.jsonl'", AgentRun("go", resume="a b/transcript.jsonl")),
        ("--record a.jsonl --script t.json", AgentRun("go", record="a.jsonl", script="t.json")),
        ("--replay a.jsonl", AgentRun("go", replay="a.jsonl")),
        ("--expand --step", AgentRun("go", expand=True, step=True)),
        ("--name it's", AgentRun("go", name="it's")),
        ('--name "a"b', AgentRun("go", name='"a"b')),
    ],
)
def test_options_and_their_values(line: str, asked: AgentRun) -> None:
    assert parse_agent_line(line, "go\n") == asked


def test_a_replay_needs_no_prompt_and_a_script_may_be_yaml() -> None:
    assert parse_agent_line("--replay a.jsonl", "") == AgentRun("Go on.", replay="a.jsonl")
    yaml = "- Hello.\n- text: Bye.\n"
    assert parse_agent_line("--script -", yaml) == AgentRun("Go on.", inline_script=yaml)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--model a --replay b", "--model and --replay contradict each other"),
        ("--script a --model b", "--model and --script contradict each other"),
        ("--record a --replay b", "--record and --replay contradict each other"),
        ("--continue --resume x", "--continue and --resume contradict each other"),
        ("--background --step", "--step and --background do not go together"),
        ("--mode plan --background", "change it with %agent mode"),
        ("--mode plam", "did you mean plan?"),
        ("--tools ,", "with commas between them"),
        ("--model", "write --model SPEC"),
        ("--model --step", "write --model SPEC"),
        ("--name ' '", "write --name NAME"),
        ("--step --step", "--step stands there twice"),
        ("--continue=x", "--continue takes no value"),
        ("--backgroud", "Did you mean --background?"),
    ],
)
def test_contradictions_and_mistakes_are_one_clear_line(line: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_agent_line(line, "go\n")
    assert message in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("model", AgentSubcommand("model")),
        ("model script:a b.json", AgentSubcommand("model", text="script:a b.json")),
        ("stop", AgentSubcommand("stop")),
        ("stop bash_1", AgentSubcommand("stop", "bash_1")),
        ("say  not that --file", AgentSubcommand("say", text="not that --file")),
        ("compact keep the paths", AgentSubcommand("compact", text="keep the paths")),
        ("resume", AgentSubcommand("resume")),
        ("resume /tmp/a b", AgentSubcommand("resume", "/tmp/a b")),
        ("reset", AgentSubcommand("reset")),
        ("cost", AgentSubcommand("cost")),
        ("tools", AgentSubcommand("tools")),
        ("sessions the parser", AgentSubcommand("sessions", text="the parser")),
        ("transcript", AgentTranscript()),
        ("transcript search two words", AgentTranscript("search", "two words")),
        ("transcript export md a b.md", AgentTranscript("export", form="md", file="a b.md")),
        ("export html 'a b.html'", AgentTranscript("export", form="html", file="a b.html")),
        ("export --force talk.md", AgentTranscript("export", form="md", file="talk.md", force=True)),
        ("export html a b.md --force", AgentTranscript("export", form="html", file="a b.md", force=True)),
        ("transcript export --force html x", AgentTranscript("export", form="html", file="x", force=True)),
        ("export html --force talk.html", AgentTranscript("export", form="html", file="talk.html", force=True)),
        ("export talk.md", AgentTranscript("export", form="md", file="talk.md")),
        ("export talk.HTML", AgentTranscript("export", form="html", file="talk.HTML")),
    ],
)
def test_sub_commands(text: str, asked: object) -> None:
    assert parse_agent_line(text, None) == asked


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("say", "what is the model to be told"),
        ("reset now", "takes nothing after it"),
        ("cost all", "takes nothing after it"),
        ("transcript foo", "write export html|md FILE, or search TEXT"),
        ("transcript search", "which text"),
        ("export", "write html or md and the file"),
        ("export talk.pdf", "write html or md and the file"),
        ("transcirpt", "Did you mean transcript?"),
    ],
)
def test_mistakes_in_sub_commands(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_agent_line(text, None)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_every_valued_option_is_an_option() -> None:
    assert AGENT_OPTION_VALUES.keys() <= AGENT_OPTIONS.keys()


def test_what_follows_the_options_stays_as_it_is() -> None:
    assert take_options("%agent", "--step  two  words --no", {"--step": ""}) == ({"--step": ""}, "two  words --no")
    assert take_options("%agent", '--name="a b" rest', {"--name": ""}, ("--name",)) == ({"--name": "a b"}, "rest")
    assert take_options("%agent", "--name= rest", {"--name": ""}, ("--name",)) == ({"--name": ""}, "rest")
