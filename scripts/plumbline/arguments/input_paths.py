"""Where values come from in what each input shows, instead of in what Plain shows (C-D6)."""

from __future__ import annotations

from plumbline.arguments.contexts import Context, full_context, plain_context, window_kind
from plumbline.arguments.paths import PathFinder
from plumbline.arguments.question_text import function_named
from plumbline.arguments.questions import JudgeMaterial
from plumbline.config.argument_cells import ArgumentCell, arguments_of, input_of
from plumbline.records.arguments import ArgumentItem, Path, Shortened


class InputPaths:
    """Finds the paths of a cell's values.

    Parameters
    ----------
    material, cell
        What the cell rests on.

    Notes
    -----
    What an input shows beside the history (a reference, snippets, the schema's facts) is no part of the
    dialogue: a value that stands there alone is not in view.
    """

    def __init__(self, material: JudgeMaterial, cell: ArgumentCell) -> None:
        self._settings = arguments_of(material.config)
        self._is_full = input_of(material.config, cell).context == "full"
        self._states = {state.state_id: state for state in material.files.states}
        self._found: tuple[object, PathFinder] | None = None

    def find(self, item: ArgumentItem, shortened: Shortened | None) -> Path:
        """Give the path of a value in the history that is left of its input.

        Parameters
        ----------
        item
            The value.
        shortened
            What the ladder took from its input.
        """
        state = self._states[item.state_id]
        taken = shortened or Shortened(rung=0)
        key = (item.state_id, taken.rung, taken.kept)
        if self._found is None or self._found[0] != key:
            finder = PathFinder(state, self._context(item.state_id, taken), self._settings.paths)
            self._found = (key, finder)
        return self._found[1].match(item.value, function_named(state, item.function), item.parameter).path

    def _context(self, state_id: str, taken: Shortened) -> Context:
        state, settings = self._states[state_id], self._settings
        roles = settings.paths.roles_in_view()
        if self._is_full:
            return full_context(state, taken.rung, roles=roles)
        kind = window_kind(settings, state.dataset)
        return plain_context(state, settings.window, kind, taken.rung, kept=taken.kept, roles=roles)
