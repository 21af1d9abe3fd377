"""Prompts are files: `NAME.system.md`, if there is one, and `NAME.user.md`, with Jinja2 placeholders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jinja2
import jinja2.meta

from plumbline.models.requests import Message
from plumbline.records import UserError, digest_of

_ROLES = ("system", "user")


class PromptSet:
    """A folder of prompt files.

    Parameters
    ----------
    folder
        Where the files are; each role of a prompt is a file ``NAME.ROLE.md``.

    Notes
    -----
    A value that is no text is inserted as JSON, indented by 2. Values are data: what looks like a placeholder
    inside them is not rendered.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._environment = jinja2.Environment(
            undefined=jinja2.StrictUndefined,
            autoescape=False,  # noqa: S701, prompts are plain text, not HTML
            finalize=_as_text,
        )
        self._templates: dict[str, dict[str, jinja2.Template]] = {}
        self._fragments: dict[str, jinja2.Template] = {}

    def messages(self, name: str, **values: Any) -> tuple[Message, ...]:
        """Render a prompt.

        Parameters
        ----------
        name
            The prompt.
        **values
            What its placeholders stand for.

        Returns
        -------
        tuple of Message
            The system message, if the prompt has one, and the user message.

        Raises
        ------
        UserError
            If the user file is missing, a file is no valid template, a placeholder has no value, or no
            placeholder is used at all; names the file and the placeholder.
        """
        if name not in self._templates:
            self._templates[name] = {
                role: self._compiled(self._path(name, role), text) for role, text in self._texts(name).items()
            }
            self._refuse_constant(name, values)
        return tuple(
            Message(role=role, content=self._rendered(self._path(name, role), template, values))
            for role, template in self._templates[name].items()
        )

    def text(self, file: str, **values: Any) -> str:
        """Render a file of the folder that is no whole message, such as `prometheus/instruction.md`.

        Raises
        ------
        UserError
            If the file is missing or is no valid template, or a placeholder has no value.
        """
        path = self.folder / file
        if file not in self._fragments:
            try:
                source = path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise UserError(f"{path}: the prompt cannot be read ({error}).") from None
            self._fragments[file] = self._compiled(path, source)
        return self._rendered(path, self._fragments[file], values)

    def digest(self, name: str) -> str:
        """SHA-256 of a prompt's files, as hex; for the manifest.

        Raises
        ------
        UserError
            If the user file is missing.
        """
        return digest_of(self._texts(name))

    def _path(self, name: str, role: str) -> Path:
        return self.folder / f"{name}.{role}.md"

    def _texts(self, name: str) -> dict[str, str]:
        if not self._path(name, "user").exists():
            known = sorted(path.name.removesuffix(".user.md") for path in self.folder.glob("*.user.md"))
            raise UserError(
                f"{self._path(name, 'user')} is missing. {self.folder} has: {', '.join(known) or 'none'}."
            )
        paths = {role: self._path(name, role) for role in _ROLES}
        try:
            return {role: path.read_text(encoding="utf-8") for role, path in paths.items() if path.exists()}
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"the prompt {name} in {self.folder} cannot be read ({error}).") from None

    def _compiled(self, path: Path, text: str) -> jinja2.Template:
        try:
            return self._environment.from_string(text)
        except jinja2.TemplateSyntaxError as error:
            raise UserError(
                f"{path}, line {error.lineno}: is no valid template ({error.message}). "
                "To print two braces, write {{ '{{' }}."
            ) from None

    def _refuse_constant(self, name: str, values: dict[str, Any]) -> None:
        """Refuse a prompt that would ask the same of every item."""
        parsed = [self._environment.parse(text) for text in self._texts(name).values()]
        used = set().union(*(jinja2.meta.find_undeclared_variables(tree) for tree in parsed))
        if values and not used:
            raise UserError(
                f"{self._path(name, 'user')}: has no placeholder, so that every question would be the same. "
                f"It may use: {', '.join(f'{{{{ {value} }}}}' for value in sorted(values))}."
            )

    def _rendered(self, path: Path, template: jinja2.Template, values: dict[str, Any]) -> str:
        try:
            return template.render(**values)
        except jinja2.UndefinedError as error:
            raise UserError(
                f"{path}: {error.message}. It may use: {', '.join(sorted(values)) or 'nothing'}."
            ) from None
        except (jinja2.TemplateError, TypeError, ValueError, ArithmeticError) as error:
            raise UserError(f"{path}: cannot be filled in ({error}).") from None


def _as_text(value: Any) -> Any:
    """Write a value that is no text as JSON; an undefined one stays, so that it raises."""
    if isinstance(value, str | jinja2.Undefined):
        return value
    return json.dumps(value, indent=2, ensure_ascii=False)
