"""How a provider's error is told."""

import pytest

from tank.session.run import plain


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (
            '529: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
            "529: Overloaded",
        ),
        ('400: {"message":"The bucket refuses this key"}', "400: The bucket refuses this key"),
        ('{"error":"invalid key"}', "invalid key"),
        ('400 {"error":{"code":7}}', '400 {"error":{"code":7}}'),
        ('400: {"message":""}', '400: {"message":""}'),
        ('529: {"error":{"message":"cut he', '529: {"error":{"message":"cut he'),
        ("Connection error.", "Connection error."),
        ("{}", "{}"),
        ("set {x} first", "set {x} first"),
    ],
)
def test_the_words_of_an_error_are_told_without_their_wrapping(failure: str, told: str) -> None:
    assert plain(failure) == told
