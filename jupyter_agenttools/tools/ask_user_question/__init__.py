"""AskUserQuestion: questions with choices, which a person answers."""

from .tool import AskUserQuestionInput, AskUserQuestionOutput, ask_user_question_tool

__all__ = ["AskUserQuestionInput", "AskUserQuestionOutput", "ask_user_question_tool"]
