from hypothesis import given
from hypothesis import strategies as st

from tank.records.identity import Host

part = st.none() | st.text(max_size=5)
hosts = st.builds(Host, part, part, part)


@given(hosts)
def test_a_digest_is_eight_hex_digits_and_always_the_same(host: Host) -> None:
    assert len(host.digest()) == 8
    assert int(host.digest(), 16) >= 0
    assert host.digest() == Host(*host).digest()


def test_each_part_counts_in_its_place() -> None:
    hosts = [
        Host("a", None, None),
        Host(None, "a", None),
        Host(None, None, "a"),
        Host("a", "b", "c"),
        Host("ab", "", "c"),
    ]
    assert len({host.digest() for host in hosts}) == len(hosts)
