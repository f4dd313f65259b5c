"""Which file names belong to a type of files, such as ``py``? Ripgrep's names of types, but a list of our own: what a
search finds must not depend on which ripgrep is installed, or whether one is."""

from __future__ import annotations

import difflib
from functools import cache

from ..core.errors import ToolValidationError
from .telling import quoted

_TYPES = """
ada: *.adb *.ads
asciidoc: *.adoc *.asc *.asciidoc
asm: *.asm *.s *.S
avro: *.avdl *.avpr *.avsc
awk: *.awk
bat batch cmd: *.bat *.cmd
bazel: *.bazel *.bzl *.BUILD *.bazelrc BUILD MODULE.bazel WORKSPACE
c: *.c *.h *.C *.H *.c.in *.h.in *.cats
clojure: *.clj *.cljc *.cljs *.cljx
cmake: *.cmake CMakeLists.txt
coffeescript: *.coffee
config: *.cfg *.conf *.config *.ini
coq rocq: *.v
cpp: *.C *.cc *.cpp *.cxx *.c++ *.h *.H *.hh *.hpp *.hxx *.h++ *.inl *.ipp
crystal: *.cr *.ecr
cs csharp: *.cs
cshtml: *.cshtml
csproj: *.csproj
css: *.css *.scss
csv: *.csv
tsv: *.tsv
cuda: *.cu *.cuh
cython: *.pyx *.pxd *.pxi
d: *.d
dart: *.dart
diff: *.diff *.patch
docker container: *Dockerfile* *Containerfile*
dockercompose: docker-compose.yml docker-compose.*.yml compose.yml compose.yaml
dts devicetree: *.dts *.dtsi *.dtso
dvc: *.dvc Dvcfile
edn: *.edn
elisp: *.el
elixir: *.ex *.exs *.eex *.heex *.leex *.livemd
elm: *.elm
erb: *.erb
erlang: *.erl *.hrl
fish: *.fish
flatbuffers: *.fbs
fortran: *.f *.F *.f77 *.F77 *.f90 *.F90 *.f95 *.F95 *.f03 *.f08
fsharp: *.fs *.fsi *.fsx
gdscript: *.gd
gleam: *.gleam
gn: *.gn *.gni
go: *.go
gradle: *.gradle *.gradle.kts gradle.properties gradlew gradlew.bat gradle-wrapper.*
graphql: *.graphql *.graphqls *.gql
groovy: *.groovy *.gradle
h: *.h *.hh *.hpp
haml: *.haml
haskell hs: *.hs *.lhs *.hsc
hbs: *.hbs
html: *.html *.htm *.ejs
hy: *.hy
java: *.java *.jsp *.jspx *.properties
jinja: *.j2 *.jinja *.jinja2
js javascript: *.js *.jsx *.cjs *.mjs *.vue
jsx: *.jsx
json: *.json *.sarif composer.lock
jsonl: *.jsonl *.ndjson
julia jl: *.jl
jupyter ipynb notebook: *.ipynb *.jpynb
kotlin: *.kt *.kts
lean: *.lean
less: *.less
license: LICENSE* LICENCE* COPYING* COPYRIGHT* EULA* NOTICE* UNLICENSE*
lisp: *.el *.lisp *.lsp *.scm *.sc
llvm: *.ll
lock: *.lock package-lock.json
log: *.log
lua: *.lua
m4: *.ac *.m4
make mk: *.mk *.mak Makefile makefile GNUmakefile Makefile.* makefile.*
mako: *.mako *.mao
man: *.[0-9lnpx]
markdown md: *.md *.markdown *.mdown *.mdwn *.mdx *.mkd *.mkdn
matlab: *.m
meson: meson.build meson.options meson_options.txt
minified: *.min.css *.min.html *.min.js
ml ocaml: *.ml *.mli *.mll *.mly
mojo: *.mojo
msbuild: *.csproj *.fsproj *.vcxproj *.proj *.props *.targets *.sln *.slnf
nim: *.nim *.nimble *.nims
nix: *.nix
objc: *.h *.m
objcpp: *.h *.mm
org: *.org *.org_archive
pascal: *.pas *.dpr *.lpr *.pp *.inc
perl: *.pl *.PL *.pm *.plx *.t *.perl
php: *.php *.php3 *.php4 *.php5 *.php7 *.php8 *.phtml *.pht
po: *.po
prolog: *.pl *.pro *.prolog
proto protobuf: *.proto
ps powershell: *.ps1 *.psm1 *.psd1 *.ps1xml *.cdxml
puppet: *.epp *.erb *.pp *.rb
purs: *.purs
py python: *.py *.pyi
qml: *.qml
r: *.R *.r *.Rmd *.rmd *.Rnw *.rnw
racket: *.rkt
raku: *.raku *.rakumod *.rakutest *.rakudoc *.p6 *.pm6 *.pl6
readme: README* *README
rescript: *.res *.resi
robot: *.robot
rst: *.rst
ruby: *.rb *.rbw *.rake *.gemspec Gemfile Rakefile config.ru .irbrc
rust: *.rs
sass: *.sass *.scss
scala: *.scala *.sbt
sh bash shell: *.sh *.bash *.csh *.ksh *.tcsh *.zsh *.bashrc *.env .bashrc .bash_profile .profile .zshrc .env .envrc
solidity: *.sol
sql: *.sql *.psql
stylus: *.styl
sv: *.sv *.svh *.v *.vg *.h
svelte: *.svelte *.svelte.ts
svg: *.svg
swift: *.swift
swig: *.i *.def
systemd: *.service *.socket *.timer *.target *.mount *.automount *.path *.scope *.slice *.swap *.device *.link *.conf
tcl: *.tcl
tex: *.tex *.ltx *.cls *.sty *.bib *.dtx *.ins
texinfo: *.texi
tf terraform: *.tf *.tf.json *.tfvars *.tfvars.json *.terraform.lock.hcl
thrift: *.thrift
toml: *.toml Cargo.lock
ts typescript: *.ts *.tsx *.cts *.mts
tsx: *.tsx
twig: *.twig
txt text: *.txt
typst: *.typ
vala: *.vala
vb: *.vb
verilog: *.v *.vh *.sv *.svh
vhdl: *.vhd *.vhdl
vim vimscript: *.vim .vimrc .gvimrc vimrc gvimrc _vimrc _gvimrc
vue: *.vue
webidl: *.idl *.webidl *.widl
wgsl: *.wgsl
xml: *.xml *.xsd *.xsl *.xslt *.dtd *.rng *.sch *.xhtml
yacc: *.y
yaml: *.yaml *.yml
yang: *.yang
zig: *.zig
zsh: *.zsh .zshrc .zshenv .zprofile .zlogin .zlogout
"""


MAX_TYPE_CHARS = 100


@cache
def _table() -> dict[str, tuple[str, ...]]:
    """The name patterns by the name of the type."""
    table: dict[str, tuple[str, ...]] = {}
    for line in _TYPES.strip().splitlines():
        names, _, patterns = line.partition(": ")
        table |= dict.fromkeys(names.split(), tuple(patterns.split()))
    return table


def name_patterns_of(type_name: str) -> tuple[str, ...]:
    """The patterns of file names of this type, e.g. ``*.py`` and ``*.pyi`` for ``py``.

    Raises:
        ToolValidationError: there is no such type; near names are told.
    """
    if len(type_name) > MAX_TYPE_CHARS or not type_name.isprintable():
        message = f"{quoted(type_name)} is no type of files; a type is a short name such as py, js, rust, ipynb"
        raise ToolValidationError(message, check_id="grep-type")
    table = _table()
    wanted = type_name.strip().lower()
    if wanted in table:
        return table[wanted]
    extension = f"*.{wanted.lstrip('.*')}"
    same = [name for name, patterns in table.items() if extension in patterns]
    near = list(dict.fromkeys([*same, *difflib.get_close_matches(wanted, table, n=4, cutoff=0.6)]))[:4]
    meant = f"; did you mean {' or '.join(near)}?" if near else f"; there are {', '.join(sorted(table)[:12])} …"
    raise ToolValidationError(
        f"{type_name!r} is no type of files{meant} For other files use `glob`, e.g. glob={extension!r}",
        check_id="grep-type",
    )
