"""Which signals a path gives when it appears or disappears."""

from graph.resolve.signals import signals_of


def test_a_module_signals_every_name_under_which_it_can_be_imported():
    """Any folder may be a root, so each suffix of the dotted path is a name."""
    assert signals_of("src/app/core.py", {"src", "src/app"}) == (
        "?app.core",
        "?core",
        "?src.app.core",
        "src/app/core.py",
    )


def test_the_first_file_of_a_folder_signals_the_folder_too():
    """A namespace package comes into being with its first file."""
    assert "?app" in signals_of("src/app/core.py", {"src"})


def test_a_package_signals_the_name_of_its_folder():
    """`__init__` is no name that anyone imports."""
    assert signals_of("app/__init__.py", {"app"}) == ("?app", "app/__init__.py")
