"""A template is foreign code: it does what templates do, within bounds, and its refusals are passed on."""

import time

import pytest

from serve.errors import EngineError, TemplateRefusedError
from serve.prompt.content import Marker
from serve.prompt.template import CHATML, ChatTemplate

USER = {"role": "user", "content": "hi"}


def test_fallback_is_chatml():
    """Models without a template get the commonest form."""
    assert ChatTemplate(CHATML).render([USER]) == "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n"


def test_functions_that_templates_expect_are_there():
    """`tojson` as transformers prints it, the date, loop controls, and the model's own tokens."""
    source = (
        "{{ bos_token }}{{ {'a': '<é>'} | tojson }}{{ strftime_now('%Y') | length }}"
        "{% for m in messages %}{% if loop.index0 == 1 %}{% break %}{% endif %}{{ loop.last }}{% endfor %}"
    )
    assert ChatTemplate(source, bos_token="<s>").render([USER, USER]) == '<s>{"a": "<é>"}4False'


def test_own_refusal_is_passed_on_word_by_word():
    """`raise_exception` is the template's way to say no."""
    template = ChatTemplate("{{ raise_exception('Roles must alternate; got ' + messages[0].content) }}")
    with pytest.raises(TemplateRefusedError) as caught:
        template.render([{"role": "user", "content": Marker([]).mark("mine")}])
    assert caught.value.status == 400
    assert caught.value.message.startswith("Roles must alternate; got ")


@pytest.mark.parametrize("source", ["{{ messages[0].content + 1 }}", "{{ none.x.y }}", "{{ 1 / 0 }}"])
def test_failing_template_is_an_error_that_says_how(source):
    """Whatever a template raises, the request is refused and the server lives."""
    with pytest.raises(TemplateRefusedError, match="chat template of this model failed"):
        ChatTemplate(source).render([USER])


@pytest.mark.parametrize(
    "source",
    [
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{% macro f(n) %}{{ f(n) }}{{ f(n) }}{% endmacro %}{{ f(1) }}",
        "{{ 'a' * 10 ** 12 }}",
        "{{ 'a' * 1000000000000 }}",
        "{{ '%1000000000d' % 1 }}",
        "{{ [0] * 1000000000 }}",
        "{% set n = namespace(x='ab') %}{% for a in range(60) %}{% set n.x = n.x + n.x %}{% endfor %}{{ n.x }}",
        "{% set n = namespace(x='ab') %}{% for a in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}{{ n.x }}",
        "{% set n = namespace(x=[1]) %}{% for a in range(60) %}{% set n.x = n.x + n.x %}{% endfor %}",
        "{% macro d(x) %}{{ x }}{{ x }}{% endmacro %}{% set n = namespace(x='ab') %}"  # noqa: ISC004 - too long for one
        "{% for a in range(60) %}{% set n.x = d(n.x) %}{% endfor %}",
        "{% set n = namespace(x='a') %}{% for a in range(60) %}{% set n.x = n.x.replace('a', n.x + 'a') %}{% endfor %}",
        "{% set n = namespace(x='aa') %}{% for a in range(60) %}{% set n.x = n.x | replace('a', n.x) %}{% endfor %}",
        "{% set n = namespace(x='aa') %}{% for a in range(60) %}{% set n.x = ([n.x] * 9) | join(n.x) %}{% endfor %}",
        "{% set n = namespace(x='aa') %}{% for a in range(60) %}{% set n.x = n.x.join([n.x] * 9) %}{% endfor %}",
        "{{ 'a' | indent(10 ** 9, true) }}",
        "{{ 'a' | indent(1000000000, true) }}",
        "{% for a in range(9999) %}{{ 'a' * 1000000 }}{% endfor %}",
    ],
)
def test_template_without_end_is_stopped(source):
    """Loops, recursion and growing texts come to an end within the bound."""
    begun = time.monotonic()
    with pytest.raises(TemplateRefusedError, match="did not come to an end"):
        ChatTemplate(source).render([USER])
    assert time.monotonic() - begun < 50


@pytest.mark.parametrize(
    "source",
    [
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ messages.__init__.__globals__ }}",
        "{{ messages.append(1) }}",
        "{{ 'a'.ljust(1000000000000) }}",
    ],
)
def test_template_cannot_escape_or_change_what_it_is_given(source):
    """The sandbox hides what leads out, and is immutable."""
    try:
        text = ChatTemplate(source).render([USER])
    except TemplateRefusedError:
        return
    assert text == ""


def test_unreadable_template_says_so_at_load():
    """A syntax error is the file's fault, not a request's."""
    with pytest.raises(EngineError, match="cannot be read"):
        ChatTemplate("{% for %}")


def test_marked_content_answers_as_the_text_it_stands_for():
    """What templates ask of content is answered from the real text; what they print is a segment."""
    marker = Marker(["  <a>x</a> tail "])
    content = marker.mark("  <a>x</a> tail ", 3)
    source = (
        "{% set c = messages[0].content %}[{{ c | trim }}][{{ c.split('</a>')[-1].lstrip() }}]"
        "{{ '<a>' in c }}{{ c.strip().startswith('<a>') }}{{ c | length }}{{ c == 'x' }}{{ c | tojson }}"
    )
    segments = marker.split(ChatTemplate(source).render([{"role": "user", "content": content}]))
    assert "".join(segment.text for segment in segments) == '[<a>x</a> tail][tail ]TrueTrue16False"  <a>x</a> tail "'
    assert [(s.text, s.message) for s in segments if s.is_content] == [
        ("<a>x</a> tail", 3),
        ("tail ", 3),
        ('"  <a>x</a> tail "', 3),
    ]


def test_call_arguments_print_as_their_own_bytes():
    """A template that prints arguments as JSON prints what the model wrote, and one that walks them can."""
    marker = Marker([])
    arguments = marker.mark_json('{"b":1,  "a": "é\\u0041"}', 0)
    source = (
        "{{ messages[0].arguments | tojson }}|"
        "{% for k, v in messages[0].arguments | items %}{{ k }}={{ v }};{% endfor %}"
    )
    segments = marker.split(ChatTemplate(source).render([{"arguments": arguments}]))
    assert "".join(segment.text for segment in segments) == '{"b":1,  "a": "é\\u0041"}|b=1;a=éA;'


def test_content_that_holds_placeholders_is_kept_apart():
    """A text that imitates the marks of another is a text like any other."""
    first = Marker([]).mark("x")
    marker = Marker([str(first)])
    marked = marker.mark(str(first), 0)
    assert [segment.text for segment in marker.split(f"a{marked!s}b")] == ["a", str(first), "b"]


def test_joined_text_is_what_it_was_before_it_was_bounded():
    """`~`, `+`, `replace`, `join` and `indent` as jinja2 has them, and content stays marked in them."""
    marker = Marker(["<a>"])
    content = marker.mark("<a>", 0)
    source = (
        "{{ 'x' ~ 1 ~ none ~ messages[0].content }}|{{ 'p' + messages[0].content }}|{{ ['a', 'b'] | join(', ') }}|"
        "{{ [{'k': 1}, {'k': 2}] | join('-', attribute='k') }}|{{ 'aXa' | replace('a', 'b') }}|"
        "{{ 'a-a'.replace('a', 'c') }}|"
        "{{ 'a\nb' | indent(2) }}|{{ [1] + [2] }}|{{ 1 + 1 }}|{{ none }}|{{ undefined_name }}|{{ {'a': true} }}"
    )
    segments = marker.split(ChatTemplate(source).render([{"role": "user", "content": content}]))
    assert "".join(segment.text for segment in segments) == (
        "x1None<a>|p<a>|a, b|1-2|bXb|c-c|a\n  b|[1, 2]|2|None||{'a': True}"
    )
    assert [segment.text for segment in segments if segment.is_content] == ["<a>", "<a>"]
