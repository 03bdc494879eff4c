import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tank.records import text
from tank.roster import project_key
from tank.roster.git_facts import GitFacts
from tank.roster.project_key import choose, of_remote

APP = [
    "git@github.com:you/app.git",
    "git@github.com:you/app",
    "git@github.com:/you/app.git",
    "github.com:you/app.git",
    "https://github.com/you/app",
    "https://github.com/you/app.git",
    "https://github.com/you/app.git/",
    "https://github.com//you//app/",
    "https://user:token@github.com/you/app",
    "https://token@github.com/you/app.git",
    "https://github.com:443/you/app",
    "http://github.com:80/you/app",
    "http://github.com/you/app",
    "git://github.com:9418/you/app.git",
    "ssh://git@github.com/you/app.git",
    "ssh://git@github.com:22/you/app.git/",
    "ssh://git@github.com:2222/you/app",
    "git+ssh://git@github.com/you/app",
    "SSH://git@GITHUB.com/you/app",
    "HTTPS://GitHub.COM/you/app",
    " https://github.com/you/app\n",
    "https://github.com/you/app?token=abc#x",
]


@pytest.mark.parametrize("url", APP)
def test_every_clone_of_a_repository_shares_its_key(url: str) -> None:
    assert of_remote(url) == "github.com/you/app"


@pytest.mark.parametrize(
    "url",
    [
        "git@h.test:g/s/app.git",
        "ssh://git@h.test:2222/g/s/app",
        "https://h.test/g/s/app.git/",
        "https://H.TEST/g/s/app",
    ],
)
def test_nested_groups_and_an_ssh_port_share_a_key(url: str) -> None:
    assert of_remote(url) == "h.test/g/s/app"


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("git@h.test:2222/app", "h.test/2222/app"),
        ("git@ssh.dev.azure.test:v3/o/p/r", "ssh.dev.azure.test/v3/o/p/r"),
        ("https://o@dev.azure.test/o/p/_git/r", "dev.azure.test/o/p/_git/r"),
        ("git@h:app", "h/app"),
        ("https://h.test:8443/app", "h.test:8443/app"),
        ("http://h.test:443/app", "h.test:443/app"),
        ("https://h.test/You/App", "h.test/You/App"),
        ("https://h.test/~you/app", "h.test/~you/app"),
        ("https://h.test/%40scope/app", "h.test/@scope/app"),
        ("https://h.test/my%20app.git", "h.test/my app"),
        ("https://[::1]:8080/app", "::1:8080/app"),
        ("git@[::1]:app.git", "::1/app"),
        ("https://h.test/app.git.git", "h.test/app.git"),
        ("https://h.test/you/.git", "h.test/you"),
        ("https://h.test/a/../b/./app", "h.test/a/b/app"),
        ("https://h.test/a%1b%0a\u202eb", "h.test/a b"),
    ],
)
def test_a_remote_url_is_read_as_git_reads_it(url: str, key: str) -> None:
    assert of_remote(url) == key


@pytest.mark.parametrize(
    "url",
    [
        "",
        " ",
        "/srv/git/app.git",
        "../app.git",
        "./h:app",
        "~/app",
        "app",
        "file:///srv/git/app.git",
        "file://host/srv/app",
        "C:\\code\\app",
        "C:/code/app",
        "https://",
        "https:///app",
        "https://h.test",
        "https://h.test/",
        "https://h.test:port/app",
        "https://h.test:99999/app",
        "https://[::1/app",
        "git@h.test:",
        "git@h.test:/",
        "ftp://h.test/app",
        "a/b:c",
    ],
)
def test_what_names_no_host_and_path_has_no_key(url: str) -> None:
    assert of_remote(url) is None


@pytest.mark.parametrize(
    "url",
    [
        "user:s3cr3t@h.test/you/app",
        "s3cr3t@h/app:x",
        "a@s3cr3t@h.test:you/app",
        "s3cr3t:@h.test/you/app",
        "https://s3cr3t/@h.test/you/app",
        "user:s3cr3t@h.test:you/app",
        "https://s3cr3t/s3cr3t@h.test/you/app",
        "https://user:1/s3cr3t@h.test/you/app",
        "https://user:s3cr3t/x@h.test/you/app",
        "https://user:s3cr3t#x@h.test/you/app",
        "https://user:s3cr3t?x@h.test/you/app",
        "https://user:s3cr3t@x@h.test/you/app",
        "https://%73:s3cr3t@h.test/you/app",
        "ssh://s3cr3t@h.test:s3cr3t/you/app",
    ],
)
def test_a_secret_in_a_url_that_is_not_quite_one_reaches_no_key(url: str) -> None:
    assert "s3cr3t" not in (of_remote(url) or "")


part = st.text("abcdefgh0123456789.-_~", min_size=1, max_size=8).filter(lambda p: p.strip(".") != "")
secret = st.text(
    st.characters(codec="utf-8", exclude_characters="/", exclude_categories=("Cc", "Cs", "Zs")), max_size=12
).map("s3cr3t".__add__)


@given(
    scheme=st.sampled_from(["https://", "http://", "ssh://", "git://", "git+ssh://", "ftp://", ""]),
    user=st.none() | secret | st.tuples(part, secret).map(":".join),
    host=part,
    port=st.sampled_from(["", ":22", ":443", ":8443", ":x"]),
    path=st.lists(part, max_size=4).map("/".join),
    between=st.sampled_from(["/", ":", ":/"]),
)
def test_user_info_is_in_no_key(
    scheme: str, user: str | None, host: str, port: str, path: str, between: str
) -> None:
    url = f"{scheme}{f'{user}@' if user is not None else ''}{host}{port}{between}{path}"
    key = of_remote(url)
    assert key is None or "s3cr3t" not in key


@given(host=part, folders=st.lists(part, min_size=1, max_size=4), user=part)
def test_every_way_to_write_a_clean_url_gives_one_key(host: str, folders: list[str], user: str) -> None:
    assume(len(host) > 1 and not folders[-1].endswith(".git") and host[0] not in ".~" and user[0] not in ".~")
    path = "/".join(folders)
    ways = [
        f"https://{host}/{path}",
        f"https://{user}:x@{host}:443/{path}.git/",
        f"ssh://{user}@{host}:2222/{path}",
        f"{user}@{host}:{path}.git",
    ]
    assert {of_remote(url) for url in ways} == {f"{host}/{path}"}


@given(st.text() | st.text("https:/@[]%.gitab01"))
def test_any_text_gives_a_clean_short_key_or_none(url: str) -> None:
    key = of_remote(url)
    assert key is None or (key and text.line(key) == key and text.width(key) <= project_key.KEY_CELLS)


ORIGIN, FORK, OTHER = "git@h.test:you/app.git", "git@h.test:me/app.git", "git@h.test:x/app.git"


@pytest.mark.parametrize(
    ("remotes", "upstream", "key"),
    [
        ({"origin": ORIGIN, "fork": FORK}, "fork", "h.test/you/app"),
        ({"fork": FORK, "other": OTHER}, "fork", "h.test/me/app"),
        ({"upstream": OTHER}, None, "h.test/x/app"),
        ({"upstream": OTHER}, "gone", "h.test/x/app"),
        ({"fork": FORK, "other": OTHER}, None, "/home/you/app/.git"),
        ({"fork": FORK, "other": OTHER}, "gone", "/home/you/app/.git"),
        ({"origin": "/srv/app.git", "fork": FORK}, "fork", "/home/you/app/.git"),
        ({}, None, "/home/you/app/.git"),
    ],
)
def test_origin_decides_else_the_branchs_remote_else_the_only_one_else_the_common_directory(
    remotes: dict[str, str], upstream: str | None, key: str
) -> None:
    assert choose(GitFacts(remotes, upstream, "/home/you/app/.git"), "/home/you/app/src") == (key, "app")


def test_worktrees_share_the_common_directory_and_a_submodule_has_its_own() -> None:
    main = choose(GitFacts({}, None, "/home/you/app/.git"), "/home/you/app")
    tree = choose(GitFacts({}, None, "/home/you/app/.git"), "/home/you/trees/fix")
    module = choose(GitFacts({}, None, "/home/you/app/.git/modules/lib"), "/home/you/app/lib")
    assert main == tree == ("/home/you/app/.git", "app")
    assert module == ("/home/you/app/.git/modules/lib", "lib")


@pytest.mark.parametrize(
    ("cwd", "name"),
    [("/home/you/notes", "notes"), ("/", "/"), ("/home/you/a\nb", "a b"), ("/bare.git", "bare")],
)
def test_without_git_the_directory_is_the_project(cwd: str, name: str) -> None:
    for found in (None, GitFacts({}, None, None)):
        assert choose(found, cwd)[1] == name


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("h.test/you/app", "app"),
        ("/home/you/app/.git", "app"),
        ("/srv/app.git", "app"),
        ("/.git", "/.git"),
        ("", ""),
    ],
)
def test_a_project_is_named_by_the_last_part_of_its_key(key: str, name: str) -> None:
    assert project_key.name_of(key) == name
