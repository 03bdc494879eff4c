"""What a measurement yields, how it is judged by its aim, and how figures are printed and stored. Pure."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

HEADINGS = ("", "median", "min", "max", "runs", "aim", "to floor", "")


class SkippedError(Exception):
    """Something can't be measured here; says why."""


class Aim(NamedTuple):
    """At most so much, in the figure's own unit or, with `of_floor`, times its first floor."""

    most: float
    of_floor: bool = False

    def __str__(self) -> str:
        return f"≤ {self.most:g}{'×' if self.of_floor else ''}"


@dataclass(frozen=True)
class Figure:
    """One row. The name ends with its unit; `floors` name the figures it is compared with, the first of which counts."""

    name: str
    samples: tuple[float, ...]
    aim: Aim | None = None
    floors: tuple[str, ...] = ()
    is_mean: bool = False
    """Judged by its mean instead of its median."""

    @property
    def middle(self) -> float:
        return statistics.fmean(self.samples) if self.is_mean else statistics.median(self.samples)

    def ratios(self, figures: Mapping[str, "Figure"]) -> dict[str, float]:
        """How many times its floors, as far as these were measured and aren't zero."""
        found = {name: figures[name].middle for name in self.floors if name in figures}
        return {name: self.middle / floor for name, floor in found.items() if floor}

    def met(self, figures: Mapping[str, "Figure"]) -> bool | None:
        """Whether the aim is reached; None without one, and without the floor it refers to."""
        if self.aim is None:
            return None
        if not self.aim.of_floor:
            return self.middle <= self.aim.most
        ratio = self.ratios(figures).get(self.floors[0])
        return None if ratio is None else ratio <= self.aim.most

    def record(self, figures: Mapping[str, "Figure"]) -> dict[str, object]:
        """As it is stored."""
        return {
            "name": self.name,
            "mean" if self.is_mean else "median": self.middle,
            "min": min(self.samples),
            "max": max(self.samples),
            "runs": len(self.samples),
            "aim": str(self.aim) if self.aim else None,
            "ratios": self.ratios(figures),
            "met": self.met(figures),
        }


def named(figures: Iterable[Figure]) -> dict[str, Figure]:
    return {figure.name: figure for figure in figures}


def table(figures: Sequence[Figure]) -> list[str]:
    """One line a figure under one line of headings."""
    known = named(figures)
    rows = [HEADINGS, *(_row(figure, known) for figure in figures)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join((row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:]))).rstrip() for row in rows
    ]


def _row(figure: Figure, known: Mapping[str, Figure]) -> tuple[str, ...]:
    ratios = " · ".join(f"{ratio:.3g}×" for ratio in figure.ratios(known).values())
    verdict = {True: "met", False: "missed", None: ""}[figure.met(known)]
    numbers = (figure.middle, min(figure.samples), max(figure.samples))
    return (
        f"{figure.name} (mean)" if figure.is_mean else figure.name,
        *(_plain(number) for number in numbers),
        str(len(figure.samples)),
        str(figure.aim or ""),
        ratios,
        verdict,
    )


def _plain(number: float) -> str:
    return f"{number:.3f}" if abs(number) < 10 else f"{number:.1f}"
