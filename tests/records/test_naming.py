import pytest

from tank.records.naming import called


@pytest.mark.parametrize(
    ("label", "name"), [("fix the login test", "fix the login test"), ("", "0199c0de"), (None, "0199c0de")]
)
def test_a_session_without_a_label_is_called_by_the_beginning_of_its_id(label: str | None, name: str) -> None:
    assert called(label, "0199c0de-0001-7000-8000-000000000000") == name
