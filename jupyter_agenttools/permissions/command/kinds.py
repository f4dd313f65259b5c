"""Which kinds of nodes of the grammar may stand where; any other makes a line too complex.

The kinds belong to the pinned release of the grammar; a test compares the whole set with the one it was written for.
"""

from __future__ import annotations


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LITERAL = _set(
    "word raw_string string concatenation number ansi_c_string simple_expansion expansion command_substitution "
    "arithmetic_expansion brace_expression process_substitution extglob_pattern"
)
_STATEMENT = _set(
    "command list pipeline redirected_statement subshell compound_statement for_statement while_statement if_statement "
    "case_statement test_command negated_command variable_assignment variable_assignments declaration_command "
    "unset_command function_definition comment"
)
_SEPARATOR = frozenset({";", "\n", "&"})
_BODY = _STATEMENT | _SEPARATOR
_REDIRECT = _set("file_redirect herestring_redirect heredoc_redirect")
_ARITHMETIC = _set(
    "number variable_name simple_expansion expansion binary_expression unary_expression postfix_expression "
    "ternary_expression parenthesized_expression word"
) | _set("+ - * / % ** < > <= >= == != && || & | ^ << >> ! ~ ? : , = += -= *= /= %= ++ -- ( )")

CHILDREN: dict[str, frozenset[str]] = {
    "program": _BODY,
    "list": _STATEMENT | {"&&", "||"},
    "pipeline": _STATEMENT | {"|", "|&"},
    "negated_command": _STATEMENT | {"!"},
    "redirected_statement": _STATEMENT | _REDIRECT,
    "subshell": _BODY | {"(", ")"},
    "compound_statement": _BODY | _ARITHMETIC | {"{", "}", "((", "))"},
    "command": _LITERAL | {"command_name", "variable_assignment", "herestring_redirect", "file_redirect"},
    "command_name": _LITERAL,
    "variable_assignment": _LITERAL | {"variable_name", "=", "+="},
    "variable_assignments": frozenset({"variable_assignment"}),
    "declaration_command": _LITERAL | _set("variable_assignment variable_name declare export local readonly typeset"),
    "unset_command": _LITERAL | _set("variable_name unset unsetenv"),
    "concatenation": _LITERAL,
    "string": _set('" $ string_content simple_expansion expansion command_substitution arithmetic_expansion'),
    "simple_expansion": _set("$ variable_name special_variable_name"),
    "expansion": _LITERAL | _set("${ } variable_name special_variable_name # ## % %% :- - :+ + regex"),
    "command_substitution": _BODY | _REDIRECT | _set("$( ) `"),
    "process_substitution": _BODY | _set("<( )"),
    "arithmetic_expansion": _ARITHMETIC | _set("$(( ))"),
    "binary_expression": _ARITHMETIC | _LITERAL | _set("test_operator test_command regex =~"),
    "unary_expression": _ARITHMETIC | _LITERAL | {"test_operator"},
    "postfix_expression": _ARITHMETIC,
    "ternary_expression": _ARITHMETIC,
    "parenthesized_expression": _ARITHMETIC | _LITERAL,
    "brace_expression": _set("{ .. } number word"),
    "test_command": _LITERAL | _set("[ ] [[ ]] binary_expression unary_expression parenthesized_expression"),
    "file_redirect": _LITERAL | _set("file_descriptor < > >> >| &> &>> >& <&"),
    "herestring_redirect": _LITERAL | _set("file_descriptor <<<"),
    "heredoc_redirect": _STATEMENT
    | _LITERAL
    | _set("file_descriptor << <<- heredoc_start heredoc_body heredoc_end && || file_redirect herestring_redirect \n"),
    "heredoc_body": _set("heredoc_content simple_expansion expansion command_substitution arithmetic_expansion"),
    "for_statement": _LITERAL | _set("for in variable_name ; \n do_group"),
    "do_group": _BODY | {"do", "done"},
    "while_statement": _BODY | _set("while until do_group"),
    "if_statement": _BODY | _set("if then fi elif_clause else_clause"),
    "elif_clause": _BODY | _set("elif then"),
    "else_clause": _BODY | {"else"},
    "case_statement": _LITERAL | _set("case in esac case_item ; \n"),
    "case_item": _BODY | _LITERAL | _set("( ) | ;;"),
    "function_definition": _set("word ( ) compound_statement"),
}
"""By the kind of a node: the kinds that its children may be."""

TRANSPARENT_IN_TESTS = _set("binary_expression unary_expression parenthesized_expression")
"""Inside of ``[ … ]`` and ``[[ … ]]``: kinds that only group words."""
