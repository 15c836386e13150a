"""What the programs draw: nothing is drawn here."""


class Svg(str):
    """The text of a drawing; a notebook shows it."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)
