from bench.figures import Aim, Figure, named, table


def figures(
    *samples: float, aim: Aim | None = None, floor: float = 2.0, is_mean: bool = False
) -> list[Figure]:
    return [
        Figure("publish_ms", samples, aim, ("floor_ms", "unmeasured_ms"), is_mean),
        Figure("floor_ms", (floor,)),
    ]


def test_the_median_counts_unless_the_mean_is_asked_for() -> None:
    assert figures(1, 2, 9)[0].middle == 2
    assert figures(1, 2, 9, is_mean=True)[0].middle == 4


def test_a_ratio_refers_to_each_floor_that_was_measured() -> None:
    found = figures(1, 5, 9)
    assert found[0].ratios(named(found)) == {"floor_ms": 2.5}
    assert found[0].ratios({}) == {}
    assert found[1].ratios(named(found)) == {}


def test_a_floor_of_zero_gives_no_ratio() -> None:
    found = figures(1, floor=0)
    assert found[0].ratios(named(found)) == {}


def test_an_aim_is_met_up_to_its_number() -> None:
    for samples, aim, met in (
        ((6.0,), Aim(6), True),
        ((6.1,), Aim(6), False),
        ((6.0,), Aim(3, of_floor=True), True),
        ((6.1,), Aim(3, of_floor=True), False),
        ((6.0,), None, None),
    ):
        found = figures(*samples, aim=aim)
        assert found[0].met(named(found)) is met


def test_an_aim_of_a_floor_that_was_not_measured_is_neither_met_nor_missed() -> None:
    assert figures(6, aim=Aim(3, of_floor=True))[0].met({}) is None


def test_an_aim_refers_to_the_first_floor_alone() -> None:
    found = Figure("publish_ms", (6,), Aim(3, of_floor=True), ("unmeasured_ms", "floor_ms"))
    assert found.met(named([found, Figure("floor_ms", (2,))])) is None


def test_a_record_names_its_floors_and_how_it_was_averaged() -> None:
    found = figures(1, 5, 9, aim=Aim(2, of_floor=True))
    assert found[0].record(named(found)) == {
        "name": "publish_ms",
        "median": 5,
        "min": 1,
        "max": 9,
        "runs": 3,
        "aim": "≤ 2×",
        "ratios": {"floor_ms": 2.5},
        "met": False,
    }
    assert figures(1, is_mean=True)[0].record({})["mean"] == 1


def test_the_table_has_a_line_for_each_figure_in_columns() -> None:
    assert table(figures(1, 5, 90, aim=Aim(2, of_floor=True))) == [
        "            median    min    max  runs   aim  to floor",
        "publish_ms   5.000  1.000   90.0     3  ≤ 2×      2.5×  missed",
        "floor_ms     2.000  2.000  2.000     1",
    ]
