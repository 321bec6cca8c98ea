"""Hits lift those around them: members of a class that answers, functions that an answering one calls."""

from __future__ import annotations

from graph.search.search import search

FILES = {
    "middleware.py": '''\
class CompressionMiddleware:
    """Compress the response body when the client accepts gzip."""

    def __call__(self, request):
        return self.shrink(request)

    def shrink(self, response):
        """Make the body of a response smaller."""
        return response


def shrink(response):
    """Make the body of a response smaller."""
    return response
''',
}


def test_a_method_of_a_class_that_answers_comes_before_its_twin_elsewhere(make_repository):
    """The two have the same words of their own."""
    hits = search(make_repository(FILES).store, "Where is the response body made smaller with gzip compression?").hits
    names = [hit.qualname for hit in hits]
    assert names.index("CompressionMiddleware.shrink") < names.index("shrink")


def test_the_order_is_the_same_on_every_page(make_repository):
    """Lifting happens before pages are cut."""
    store = make_repository(FILES).store
    whole = [hit.key for hit in search(store, "response body smaller", limit=50).hits]
    first = search(store, "response body smaller", limit=2)
    second = search(store, "response body smaller", limit=2, cursor=first.cursor)
    assert [hit.key for hit in (*first.hits, *second.hits)] == whole[:4]
